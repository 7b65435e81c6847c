#include "support/random_workload_scenario.hpp"

#include <algorithm>

#include "partsim/scenario/check.hpp"

#include "support/random_scenario.hpp"

namespace partsim {
namespace {

using Kind = OperationKind;

template <class Part>
bool key_has(const ContainerSpec& container) {
  const auto is = [](const KeyPart& part) { return std::holds_alternative<Part>(part); };
  return std::any_of(container.partition_key.begin(), container.partition_key.end(),
                     [&](const KeyTemplate& level) {
                       return std::any_of(level.parts.begin(), level.parts.end(), is);
                     });
}

bool key_has_clock(const ContainerSpec& container) {
  return std::any_of(
      container.partition_key.begin(), container.partition_key.end(),
      [](const KeyTemplate& level) { return level.text.find("day") != std::string::npos; });
}

// ---- items -------------------------------------------------------------------------------------

ChoiceLaw random_weights(Dice& dice, std::size_t count) {
  WeightedChoice law;
  for (std::size_t i = 0; i < count; ++i) {
    law.weights.push_back(static_cast<std::uint64_t>(dice.pick<std::int64_t>({0, 1, 3, 1'000})));
  }
  law.weights[dice.next() % count] += 1;
  return law;
}

/// A field whose values belong to those of another; none if nothing can be the other.
void add_child_field(Dice& dice, ContainerSpec& container) {
  ChooseField child;
  child.count = dice.pick<std::uint64_t>({1, 2, 7});
  child.is_text = dice.one_in(2);
  child.prefix = child.is_text ? "c" : "";
  child.width = child.is_text ? 3 : 0;
  child.law = dice.one_in(2) ? ChoiceLaw(ZipfChoice{990'000}) : random_weights(dice, child.count);
  for (const FieldSpec& field : container.fields) {
    const bool can_be_parent = std::holds_alternative<ChooseField>(field.kind) ||
                               std::holds_alternative<ValuesField>(field.kind);
    if (can_be_parent && (child.of.empty() || dice.one_in(2))) {
      child.of = field.name;
    }
  }
  if (!child.of.empty()) {
    container.fields.push_back({"part", child});
  }
}

void make_fields(Dice& dice, ContainerSpec& container) {
  for (FieldSpec& field : container.fields) {
    auto* values = std::get_if<ValuesField>(&field.kind);
    auto* chosen = std::get_if<ChooseField>(&field.kind);
    if (values != nullptr && dice.one_in(2)) {
      values->values.emplace_back(Undefined{});
      values->law =
          dice.one_in(2) ? ChoiceLaw(UniformChoice{}) : random_weights(dice, values->values.size());
    }
    if (chosen != nullptr && dice.one_in(3)) {
      chosen->law = random_weights(dice, chosen->count);
    }
  }
  if (dice.one_in(2)) {
    SequenceField sequence;
    sequence.is_text = dice.one_in(2);
    sequence.prefix = sequence.is_text ? "order-" : "";
    sequence.width = sequence.is_text ? 4 : 0;
    container.fields.push_back({"order", sequence});
  }
  if (dice.one_in(2)) {
    add_child_field(dice, container);
  }
  std::sort(container.fields.begin(), container.fields.end(),
            [](const FieldSpec& a, const FieldSpec& b) { return a.name < b.name; });
}

/// One level made of a new field, so that keys of every kind come up.
void make_key(Dice& dice, ContainerSpec& container) {
  const std::string& field = dice.pick(container.fields).name;
  const auto text = dice.pick<std::string>(
      {"{" + field + "}", "{" + field + "}", "x{" + field + "}", "{" + field + "}-{random 1..3}",
       "{hash " + field + " 1..5}", "{" + field + "}.{" + field + "}"});
  container.partition_key[dice.next() % container.partition_key.size()] =
      std::get<KeyTemplate>(parse_key_template(text));
  container.initial_storage_bytes = 0;  // its keys might be too many for the naive model
}

void make_items(Dice& dice, ContainerSpec& container, const ProviderParameters& parameters) {
  make_fields(dice, container);
  if (dice.one_in(2)) {
    make_key(dice, container);
  }
  if (dice.one_in(2)) {
    SizeLaw law;
    law.law = dice.one_in(2) ? SizeLaw::Law::uniform : SizeLaw::Law::log_normal;
    law.low = dice.pick<Bytes>({1, 500, 1'024, 3'000});
    law.high = law.low * dice.pick<std::int64_t>({1, 2, 9});
    law.high = std::min(law.high, parameters.item_max_bytes);
    container.item_size_law = law;
    container.item_size_bytes = law.low;
  }
}

// ---- operations --------------------------------------------------------------------------------

std::vector<std::string> random_given(Dice& dice, const ContainerSpec& container) {
  const auto known = dice.pick<std::int64_t>({100, 100, 100, 60, 0});
  std::vector<std::string> given;
  for (const FieldSpec& field : container.fields) {
    if (dice.between(0, 99) < known) {
      given.push_back(field.name);
    }
  }
  return given;
}

std::vector<std::string> all_fields(const ContainerSpec& container) {
  std::vector<std::string> names;
  for (const FieldSpec& field : container.fields) {
    names.push_back(field.name);
  }
  return names;
}

Kind random_kind(Dice& dice, const ContainerSpec& container, bool units_apart) {
  const Kind kind = dice.pick<Kind>({Kind::create, Kind::create, Kind::read, Kind::query,
                                     Kind::upsert, Kind::replace, Kind::patch, Kind::remove,
                                     Kind::remove, Kind::read_feed, Kind::batch, Kind::script});
  // Where reads and writes have budgets of their own a write cannot search; nor are there scripts.
  const bool searches = kind == Kind::replace || kind == Kind::patch || kind == Kind::remove;
  const bool unsuited = kind == Kind::script || (searches && key_has<RandomSuffix>(container));
  return units_apart && unsuited ? Kind::upsert : kind;
}

OperationSpec random_operation(Dice& dice, const ContainerSpec& container, bool units_apart) {
  OperationSpec operation;
  operation.kind = random_kind(dice, container, units_apart);
  const bool makes_key = operation.kind == Kind::create || operation.kind == Kind::upsert;
  const bool one_item = operation.kind == Kind::replace || operation.kind == Kind::patch ||
                        operation.kind == Kind::remove;
  operation.given = makes_key ? std::vector<std::string>{} : random_given(dice, container);
  if (units_apart && one_item) {
    operation.given = all_fields(container);
  }
  const auto small = [&] { return static_cast<std::uint32_t>(dice.pick<int>({1, 1, 2, 5})); };
  operation.returned = small();
  operation.matches = operation.returned;
  if (operation.kind == Kind::query) {
    operation.matches += dice.one_in(2) ? 7U : 0U;
    if (dice.one_in(3) && !key_has<RandomSuffix>(container)) {
      operation.keys = 1 + small();
      operation.given = all_fields(container);
    }
  }
  operation.items = small();
  operation.patched = small();
  operation.changed_terms = small() - 1;
  operation.existing_ppm = dice.pick<std::int64_t>({0, 300'000, 700'000, kMillion});
  if (operation.kind != Kind::create && dice.one_in(4)) {
    operation.within_ns = dice.pick<Nanoseconds>({1, kSecond, 10 * kSecond, kHour});
  }
  if (dice.one_in(4)) {
    operation.charge_mru = dice.pick<MilliRu>({1, 1'000, 7'777, 300'000});
  }
  return operation;
}

void make_operations(Dice& dice, ClientSpec& client, const ContainerSpec& container,
                     bool units_apart) {
  client.operations.clear();
  const auto count = dice.pick<std::int64_t>({1, 2, 3, 5});
  std::int64_t left = kMillion;
  for (std::int64_t i = 1; i <= count; ++i) {
    OperationSpec operation = random_operation(dice, container, units_apart);
    operation.share_ppm = i == count ? left : dice.between(1, left / 2);
    left -= operation.share_ppm;
    client.operations.push_back(operation);
  }
}

// ---- arrivals ----------------------------------------------------------------------------------

Rate random_rate(Dice& dice, std::int64_t count, Nanoseconds duration_ns) {
  return {dice.between(0, 3) * count * kMillion / 2, duration_ns};
}

OpenLoop changing_rates(Dice& dice, std::int64_t count, Nanoseconds duration_ns) {
  OpenLoop loop;
  loop.spacing = dice.one_in(2) ? OpenLoop::Spacing::evenly : OpenLoop::Spacing::poisson;
  loop.rate = random_rate(dice, count, duration_ns);
  auto at = dice.pick<Nanoseconds>({0, 1, kSecond / 2, duration_ns / 3});
  for (auto i = dice.between(0, 2); i > 0; --i) {
    const auto over =
        dice.pick<Nanoseconds>({0, 0, 1, 300 * kMillisecond, duration_ns / 2, duration_ns});
    loop.changes.push_back({at, random_rate(dice, count, duration_ns), over});
    at += std::max<Nanoseconds>(1, over) + dice.pick<Nanoseconds>({0, 1, kSecond / 3});
  }
  at = dice.pick<Nanoseconds>({0, kSecond, duration_ns / 4});
  for (auto i = dice.between(0, 2); i > 0; --i) {
    const auto length = dice.pick<Nanoseconds>({1, 100 * kMillisecond, kSecond});
    loop.spikes.push_back({at, length, dice.pick<std::int64_t>({0, 500'000, 3'333'333})});
    at += length + dice.pick<Nanoseconds>({0, 1, kSecond / 2});
  }
  if (dice.one_in(3)) {
    loop.on_off = OnOff{dice.pick<Nanoseconds>({100'000'007, kSecond}),
                        dice.pick<Nanoseconds>({1, 300 * kMillisecond, kSecond})};
  }
  if (dice.one_in(3)) {
    loop.hour_ppm.emplace();
    for (std::int64_t& ppm : *loop.hour_ppm) {
      ppm = dice.pick<std::int64_t>({0, 400'001, kMillion, 2 * kMillion});
    }
  }
  return loop;
}

ClosedLoop random_users(Dice& dice, std::int64_t count, Nanoseconds duration_ns) {
  ClosedLoop loop;
  loop.users = static_cast<std::uint32_t>(dice.pick<int>({1, 2, 7, 30}));
  loop.think = dice.one_in(2) ? ClosedLoop::Think::fixed : ClosedLoop::Think::exponential;
  loop.think_ns =
      dice.pick<Nanoseconds>({0, 0, 1, kMillisecond, 50 * kMillisecond, 700 * kMillisecond});
  loop.start_over_ns = dice.pick<Nanoseconds>({0, 0, 7, kSecond, duration_ns});
  const Nanoseconds slow = loop.users * duration_ns / count;
  if (loop.think_ns < slow || dice.one_in(3)) {
    loop.total = static_cast<std::uint64_t>(count);
  }
  return loop;
}

BulkLoad random_bulk(Dice& dice, std::int64_t count, Nanoseconds duration_ns) {
  BulkLoad bulk;
  bulk.count = static_cast<std::uint64_t>(count);
  bulk.at_ns = dice.pick<Nanoseconds>({0, 0, 300'000'001, duration_ns / 2});
  bulk.batch = static_cast<std::uint32_t>(dice.pick<int>({1, 3, 10, 100}));
  bulk.most_degrees = static_cast<std::uint32_t>(dice.pick<int>({1, 2, 20}));
  return bulk;
}

void make_arrivals(Dice& dice, ClientSpec& client, const ContainerSpec& container,
                   Nanoseconds duration_ns, std::int64_t count) {
  switch (dice.between(0, 7)) {
    case 0:
    case 1:
      client.arrivals = changing_rates(dice, count, duration_ns);
      break;
    case 2:
    case 3:
    case 4:
      client.arrivals = random_users(dice, count, duration_ns);
      break;
    case 5:
      // The clock in the key of an item that is not sent yet has no meaning.
      if (!key_has_clock(container)) {
        client.arrivals = random_bulk(dice, count, duration_ns);
        for (OperationSpec& operation : client.operations) {
          operation.kind = dice.one_in(2) ? Kind::create : Kind::upsert;
          operation.given.clear();
          operation.keys = 1;
          operation.within_ns = 0;
        }
      }
      break;
    case 6:
      client.arrivals = AtOnce{static_cast<std::uint64_t>(count), dice.between(0, kSecond),
                               Rate{count * kMillion, dice.between(1, duration_ns)}};
      break;
    default:  // as it was
      break;
  }
}

// ---- retries and limits ------------------------------------------------------------------------

void make_retries(Dice& dice, RetrySpec& retry) {
  using Jitter = RetrySpec::Jitter;
  retry.max_retries = static_cast<std::uint32_t>(dice.pick<int>({0, 1, 3, 9, 9}));
  retry.backoff_base_ns = 0;
  switch (dice.between(0, 4)) {
    case 0:
      retry.backoff_base_ns = dice.pick<Nanoseconds>({1, kMillisecond, 100'000'007});
      retry.backoff_max_ns = std::max(
          retry.backoff_base_ns, dice.pick<Nanoseconds>({1, 2, 150 * kMillisecond, 20 * kSecond}));
      retry.jitter_ns = 0;  // it has its own
      retry.jitter_ppm = 0;
      retry.backoff_jitter = dice.pick<Jitter>({Jitter::full, Jitter::equal, Jitter::none});
      break;
    case 1:
      retry.fixed_wait_ns = dice.pick<Nanoseconds>({1, 10 * kMillisecond, kSecond});
      break;
    case 2:
      retry.longest_wait_ns = dice.pick<Nanoseconds>({1, 10 * kMillisecond, kSecond});
      break;
    default:  // what the service says
      break;
  }
  retry.may_overshoot = dice.one_in(4);
  if (dice.one_in(4)) {
    retry.max_wait_ns = kMaxDuration;
  }
  if (dice.one_in(4)) {
    retry.quota_tokens = static_cast<std::uint32_t>(dice.pick<int>({1, 5, 20, 500}));
    retry.quota_cost = static_cast<std::uint32_t>(dice.pick<int>({1, 5, 7}));
  }
}

void make_client(Dice& dice, Scenario& scenario, ClientSpec& client) {
  const ContainerSpec& container = scenario.containers[client.container];
  const ProviderParameters& p = scenario.parameters;
  // Some clients keep their plain operations, retries or arrivals, beside those that do not.
  if (!dice.one_in(3)) {
    make_operations(dice, client, container, p.read_unit_bytes > 0);
  }
  if (!dice.one_in(3)) {
    make_retries(dice, client.retry);
  }
  const std::int64_t count =
      dice.between(10, 600) / static_cast<std::int64_t>(scenario.clients.size());
  make_arrivals(dice, client, container, scenario.duration_ns, std::max<std::int64_t>(2, count));
  if (!std::holds_alternative<BulkLoad>(client.arrivals) && dice.one_in(3)) {
    client.concurrency = static_cast<std::uint32_t>(dice.pick<int>({1, 1, 2, 10}));
  }
  if (dice.one_in(3)) {
    const Nanoseconds served = container.service ? container.service->mean.mean_ns : kMillisecond;
    client.timeout_ns = dice.pick<Nanoseconds>(
        {1, std::max<Nanoseconds>(1, p.throttle_response_ns), 6 * kMillisecond, served, served + 1,
         kSecond, p.throttle_response_ns + p.retry_after_min_ns, 3 * kSecond});
  }
}

/// A layout that changes, of a kind that users may write; most of those drawn are not.
Scenario valid_life_scenario(Dice& dice) {
  for (int draws = 0; draws < 60; ++draws) {
    Scenario scenario = random_life_scenario(dice.next());
    if (check(scenario).empty()) {
      return scenario;
    }
  }
  return random_scenario(dice.next());
}

}  // namespace

Scenario random_workload_scenario(std::uint64_t seed) {
  Dice dice(seed + 0x776F726BU);
  Scenario scenario = dice.one_in(2) ? random_scenario(dice.next()) : valid_life_scenario(dice);
  if (dice.one_in(10)) {
    scenario.duration_ns += dice.between(1, 2) * kMinute;  // days change by the minute
    scenario.parameters.throttle_window_ns = kSecond;
  }
  for (ContainerSpec& container : scenario.containers) {
    if (dice.one_in(2)) {
      make_items(dice, container, scenario.parameters);
    }
  }
  for (ClientSpec& client : scenario.clients) {
    make_client(dice, scenario, client);
  }
  return scenario;
}

}  // namespace partsim
