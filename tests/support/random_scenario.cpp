#include "support/random_scenario.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>
#include <utility>

#include "support/scenario_text.hpp"

namespace partsim {
namespace {

ChoiceLaw random_law(Dice& dice) {
  switch (dice.between(0, 2)) {
    case 0:
      return UniformChoice{};
    case 1:
      return ZipfChoice{dice.pick<std::int64_t>({0, 600'000, 990'000, 1'000'000, 2'500'000})};
    default:
      return HotSetChoice{dice.pick<std::int64_t>({500'000, 800'000, 1'000'000}),
                          dice.pick<std::int64_t>({1, 200'000, 500'000, 1'000'000})};
  }
}

ChooseField random_choose(Dice& dice, bool is_text) {
  ChooseField field;
  field.count = dice.pick<std::uint64_t>({1, 2, 3, 10, 97, 500});
  field.law = random_law(dice);
  field.is_text = is_text;
  if (is_text) {
    field.prefix = dice.pick<std::string>({"", "VIN", "a\"b", "\xC3\xA9"});
    field.width = static_cast<std::uint32_t>(dice.pick<std::int64_t>({0, 1, 6}));
    field.suffix = dice.pick<std::string>({"", "-x"});
  }
  return field;
}

ValuesField random_values(Dice& dice) {
  const std::vector<KeyComponent> all = {
      std::string("red"), 1.0,  0.1,    true,  std::string("green"),
      1'000'000.0,        -2.5, Null{}, false, std::string("1")};
  ValuesField field;
  const auto first = static_cast<std::size_t>(dice.between(0, 5));
  const auto count = static_cast<std::size_t>(dice.between(1, 4));
  for (std::size_t i = first; i < first + count; ++i) {
    field.values.push_back(all.at(i));
  }
  field.law = random_law(dice);
  return field;
}

std::vector<FieldSpec> random_fields(Dice& dice) {
  const auto clock = dice.pick<std::string>({"%Y-%m-%d", "%H:%M", "%M:%S", "%F %T", "%s"});
  std::vector<FieldSpec> all = {{"color", random_values(dice)},
                                {"day", TimeField{TimeFormat::parse(clock).value()}},
                                {"num", random_choose(dice, false)},
                                {"uid", UniqueField{}},
                                {"vin", random_choose(dice, true)}};
  const auto dropped = dice.between(0, 9);  // half of the scenarios have all five
  if (dropped < 5) {
    all.erase(all.begin() + dropped);
  }
  return all;
}

std::string random_part(Dice& dice, const std::vector<FieldSpec>& fields) {
  const std::string& field = dice.pick(fields).name;
  switch (dice.between(0, 6)) {
    case 0:
      return dice.pick<std::string>({"k-", ".", "{{x}}", "\xE2\x82\xAC"});
    case 1:
      return "{hash " + field + dice.pick<std::string>({" 1..4}", " 0..399}", " 7..7}"});
    case 2:
      return dice.pick<std::string>(
          {"{random 1..3}", "{random 0..11}", "{random 5..5}", "{random 1..100}"});
    case 3:
      return dice.one_in(4) ? dice.pick<std::string>({"{random 1..10000}", "{random 1..10001}"})
                            : "{random 1..20}";
    default:
      return "{" + field + "}";
  }
}

std::vector<KeyTemplate> random_key(Dice& dice, const std::vector<FieldSpec>& fields) {
  std::vector<KeyTemplate> key;
  const auto levels = dice.pick<std::int64_t>({1, 1, 1, 2, 3});
  for (std::int64_t l = 0; l < levels; ++l) {
    std::string text;
    const auto parts = dice.pick<std::int64_t>({1, 1, 2, 3});
    for (std::int64_t p = 0; p < parts; ++p) {
      text += random_part(dice, fields);
    }
    key.push_back(std::get<KeyTemplate>(parse_key_template(text)));
  }
  return key;
}

/// Keys a reader who knows all fields has to try; the naive model really tries them.
std::uint64_t candidate_count(const ContainerSpec& container) {
  std::uint64_t product = 1;
  for (const KeyTemplate& level : container.partition_key) {
    for (const KeyPart& part : level.parts) {
      const auto* random = std::get_if<RandomSuffix>(&part);
      product =
          std::min<std::uint64_t>(product * (random != nullptr ? random->count : 1), kMillion);
    }
  }
  return product > 10'000 ? 1 : product;
}

/// RU of a partition in a second, from starving to more than can be asked for.
MilliRu random_share(Dice& dice) {
  switch (dice.between(0, 5)) {
    case 0:
      return dice.between(1, 10);  // less than one mRU a window is possible
    case 1:
      return dice.between(1'000, 20'000);
    case 2:
    case 3:
      return dice.between(20'000, 400'000);
    case 4:
      return dice.pick<MilliRu>({100'000, 400'000, 1'000'000});
    default:
      return 10'000'000;
  }
}

ContainerSpec random_container(Dice& dice, ProviderParameters& parameters) {
  ContainerSpec container;
  const std::int64_t n = dice.between(1, 12);
  const MilliRu share = random_share(dice);
  // A remainder, so that not all shares are equal.
  container.throughput.mru_per_s = share * n + (share < 10'000'000 ? dice.between(0, n - 1) : 0);
  if (dice.one_in(4)) {
    parameters.initial_partition_mru_manual = share + dice.between(0, 2);
  } else {
    container.throughput.partitions = static_cast<std::uint32_t>(n);
  }
  container.hash = dice.pick<HashVersion>({HashVersion::v1, HashVersion::v2, HashVersion::v2});
  container.fields = random_fields(dice);
  container.partition_key = random_key(dice, container.fields);
  container.item_size_bytes =
      dice.pick<Bytes>({1, 1'023, 1'024, 1'025, 3'000, 65'536, 100'000, 2'097'152});
  container.indexed_terms = static_cast<std::uint32_t>(dice.pick<std::int64_t>({0, 4, 20}));
  container.consistency =
      dice.pick<Consistency>({Consistency::session, Consistency::strong, Consistency::eventual,
                              Consistency::bounded_staleness, Consistency::session});
  if (dice.one_in(3)) {
    container.workers = WorkersSpec{static_cast<std::uint32_t>(dice.between(1, 4)), {}};
    if (dice.one_in(2)) {
      container.workers->queue_limit =
          static_cast<std::uint32_t>(dice.pick<std::int64_t>({0, 1, 2, 10}));
    }
  }
  if (dice.one_in(3) || container.workers) {
    ServiceTimeSpec service;
    service.law = dice.one_in(2) ? ServiceTimeSpec::Law::fixed : ServiceTimeSpec::Law::exponential;
    service.mean = {dice.pick<Nanoseconds>({1, 100'000, kMillisecond, 12'345'679, 50'000'000}),
                    dice.one_in(3)};
    container.service = service;
  }
  return container;
}

ProviderParameters random_parameters(Dice& dice) {
  ProviderParameters parameters;
  parameters.min_mru_manual = 1;
  parameters.mru_step_manual = 1;
  parameters.index_storage_overhead_ppm = 0;
  parameters.throttle_window_ns =
      dice.pick<Nanoseconds>({1'000, 1'000, 500, 100, 2'000}) * kMillisecond;
  parameters.throttle_model =
      dice.pick<ThrottleModel>({ThrottleModel::window_debt, ThrottleModel::window_debt,
                                ThrottleModel::window_strict, ThrottleModel::token_bucket});
  parameters.retry_after_min_ns = dice.pick<Nanoseconds>({1, 1, 10}) * kMillisecond;
  parameters.retry_after_step_ns = dice.one_in(3) ? 1 : kMillisecond;
  parameters.throttled_charge_counts = dice.one_in(4);
  parameters.throttled_request_charge_mru = dice.pick<MilliRu>({380, 380, 20'000});
  parameters.throttle_response_ns =
      dice.pick<Nanoseconds>({0, 1, 1'500 * kMicrosecond, 1'500 * kMicrosecond, kSecond});
  if (dice.one_in(4)) {
    parameters.read_latency_p99_ns = parameters.read_latency_p50_ns;
    parameters.query_latency_ns_per_ru = 0;
    parameters.strong_read_multiplier_micro = 1'333'333;
  }
  return parameters;
}

OperationSpec random_operation(Dice& dice, const ContainerSpec& container) {
  OperationSpec operation;
  operation.kind = dice.pick<OperationKind>(
      {OperationKind::create, OperationKind::create, OperationKind::read, OperationKind::query});
  if (operation.kind != OperationKind::create) {
    // All, some or none of the fields, so that every routing class comes up.
    const auto known = dice.pick<std::int64_t>({100, 100, 60, 60, 0});
    for (const FieldSpec& field : container.fields) {
      if (dice.between(0, 99) < known) {
        operation.given.push_back(field.name);
      }
    }
  }
  if (operation.kind == OperationKind::query) {
    operation.matches = static_cast<std::uint32_t>(dice.pick<std::int64_t>({1, 2, 7, 1'000}));
    operation.returned = static_cast<std::uint32_t>(dice.between(1, operation.matches));
  }
  if (dice.one_in(3)) {
    operation.charge_mru = dice.pick<MilliRu>({1, 1'000, 5'000, 10'000, 7'777, 300'000, 2'500'000});
  }
  return operation;
}

RetrySpec random_retry(Dice& dice) {
  RetrySpec retry;
  retry.max_retries = static_cast<std::uint32_t>(dice.pick<std::int64_t>({0, 0, 1, 2, 3, 9, 9}));
  retry.max_wait_ns =
      dice.pick<Nanoseconds>({30 * kSecond, 30 * kSecond, kSecond, 100 * kMillisecond, 1});
  retry.jitter_ns = dice.pick<Nanoseconds>({0, 0, 0, 1, 7, 10 * kMillisecond, kSecond});
  retry.jitter_ppm = dice.pick<std::int64_t>({0, 0, 0, 1, 250'000, 1'000'000});
  return retry;
}

decltype(ClientSpec::arrivals) random_arrivals(Dice& dice, const Scenario& scenario,
                                               std::int64_t count) {
  if (dice.one_in(5)) {
    const auto at = dice.pick<Nanoseconds>(
        {0, 0, kSecond, 999'999'999, 500 * kMillisecond, dice.between(0, scenario.duration_ns)});
    return AtOnce{static_cast<std::uint64_t>(count), std::min(at, scenario.duration_ns - 1)};
  }
  OpenLoop loop;
  loop.spacing = dice.one_in(2) ? OpenLoop::Spacing::evenly : OpenLoop::Spacing::poisson;
  loop.rate = {count * kMillion, scenario.duration_ns};
  if (dice.one_in(3)) {
    // Round rates of several clients meet at the same instants, boundaries of windows among them.
    loop.rate = {std::min(count, dice.pick<std::int64_t>({10, 20, 50, 100})) * kMillion, kSecond};
  } else if (dice.one_in(12)) {
    loop.rate = {0, kSecond};
  }
  return loop;
}

/// Operations a client may send so that the whole scenario stays at a few thousand attempts.
std::int64_t affordable(const ContainerSpec& container, const ClientSpec& client,
                        std::size_t clients) {
  const bool creates_only =
      std::all_of(client.operations.begin(), client.operations.end(),
                  [](const auto& operation) { return operation.kind == OperationKind::create; });
  const std::int64_t visits = creates_only ? 1 : container.throughput.partitions.value_or(12);
  const std::int64_t tries = 1 + std::min<std::int64_t>(client.retry.max_retries, 4) / 2;
  const auto candidates = static_cast<std::int64_t>(creates_only ? 1 : candidate_count(container));
  const std::int64_t most = 2'400 / (static_cast<std::int64_t>(clients) * visits * tries);
  return std::max<std::int64_t>(2, std::min(most, 20'000 / candidates));
}

ClientSpec random_client(Dice& dice, const Scenario& scenario, std::size_t clients) {
  ClientSpec client;
  client.container = static_cast<std::uint32_t>(
      dice.between(0, static_cast<std::int64_t>(scenario.containers.size()) - 1));
  const ContainerSpec& container = scenario.containers[client.container];
  const auto operations = dice.pick<std::int64_t>({1, 1, 2, 3});
  std::int64_t left = kMillion;
  for (std::int64_t i = 1; i <= operations; ++i) {
    OperationSpec operation = random_operation(dice, container);
    operation.share_ppm = i == operations ? left : dice.between(1, left / 2);
    left -= operation.share_ppm;
    client.operations.push_back(operation);
  }
  client.retry = random_retry(dice);
  const std::int64_t most = affordable(container, client, clients);
  client.arrivals = random_arrivals(dice, scenario, dice.between((most + 1) / 2, most));
  return client;
}

void one_region(Scenario& scenario) {
  scenario.regions.resize(1);
  for (ClientSpec& client : scenario.clients) {
    client.region = 0;
  }
}

constexpr std::array<void (*)(ProviderParameters&), 12> kSimplerParameters = {
    [](ProviderParameters& p) { p.throttled_charge_counts = false; },
    [](ProviderParameters& p) { p.throttle_response_ns = 0; },
    [](ProviderParameters& p) { p.burst_enabled = false; },
    [](ProviderParameters& p) { p.ru_per_minute_enabled = false; },
    [](ProviderParameters& p) { p.adaptive_capacity = false; },
    [](ProviderParameters& p) { p.split_swap_unavailable_ns = 0; },
    [](ProviderParameters& p) { p.split_storage_threshold_bytes = kGigabyte * 50; },
    [](ProviderParameters& p) { p.logical_partition_max_storage_bytes = 0; },
    [](ProviderParameters& p) { p.index_storage_overhead_ppm = 0; },
    [](ProviderParameters& p) { p.split_cut_storage = SplitCut::midpoint; },
    [](ProviderParameters& p) { p.split_cut_throughput = SplitCut::midpoint; },
    [](ProviderParameters& p) { p.split_order = SplitOrder::lowest_id; },
};

constexpr std::array<void (*)(ContainerSpec&), 6> kSimplerContainer = {
    [](ContainerSpec& c) { c.throughput.partitions = 1; },
    [](ContainerSpec& c) { c.workers.reset(); },
    [](ContainerSpec& c) { c.service = ServiceTimeSpec{}; },
    [](ContainerSpec& c) { c.initial_storage_bytes = 0; },
    [](ContainerSpec& c) { c.fixed = false; },
    [](ContainerSpec& c) {
      // Containers that share a database keep as many levels as the others.
      const auto k = std::get<KeyTemplate>(parse_key_template("k"));
      c.partition_key.resize(c.shares_database ? c.partition_key.size() : 1);
      std::fill(c.partition_key.begin(), c.partition_key.end(), k);
    },
};

constexpr std::array<void (*)(ClientSpec&), 8> kSimplerClient = {
    [](ClientSpec& c) { c.retry.jitter_ns = 0; },
    [](ClientSpec& c) { c.retry.jitter_ppm = 0; },
    [](ClientSpec& c) { c.retry.backoff_base_ns = 0; },
    [](ClientSpec& c) { c.retry.max_retries /= 2; },
    [](ClientSpec& c) { c.priority = Priority::high; },
    [](ClientSpec& c) { c.bucket = 0; },
    [](ClientSpec& c) {
      c.operations.resize(1);
      c.operations[0].share_ppm = kMillion;
    },
    [](ClientSpec& c) { c.operations[0].charge_mru = 1'000; },
};

}  // namespace

Scenario random_scenario(std::uint64_t seed) {
  Dice dice(seed);
  Scenario scenario;
  scenario.seed = dice.next();
  // New year, a leap day's end, and a minute's end, each a few seconds ahead.
  scenario.start_unix_s =
      dice.pick<std::int64_t>({1'704'067'195, 1'709'251'198, 1'704'067'200 + 57});
  scenario.duration_ns =
      dice.one_in(2) ? dice.between(2, 8) * kSecond : dice.between(2 * kSecond, 8 * kSecond);
  scenario.warm_up_ns =
      dice.pick<Nanoseconds>({0, 0, 0, kSecond, 700'000'001, dice.between(0, kSecond)});
  scenario.parameters = random_parameters(dice);
  const std::int64_t containers = dice.one_in(6) ? 2 : 1;
  for (std::int64_t i = 0; i < containers; ++i) {
    scenario.containers.push_back(random_container(dice, scenario.parameters));
    scenario.containers.back().name = i == 0 ? "main" : "other";
  }
  if (std::any_of(
          scenario.containers.begin(), scenario.containers.end(),
          [](const ContainerSpec& container) { return !container.throughput.partitions; })) {
    // The creation rule holds for all; keep the other container from being cut to pieces.
    for (ContainerSpec& container : scenario.containers) {
      const auto most = 12 * scenario.parameters.initial_partition_mru_manual;
      container.throughput.mru_per_s = std::min(container.throughput.mru_per_s, most);
    }
  }
  const std::vector<std::string> names = {"a", "batch", "ingest", "lookup-10"};
  const auto clients = static_cast<std::size_t>(dice.between(1, 4));
  for (std::size_t i = 0; i < clients; ++i) {
    scenario.clients.push_back(random_client(dice, scenario, clients));
    scenario.clients.back().name = names[i];
  }
  return scenario;
}

std::vector<Scenario> simpler_scenarios(const Scenario& scenario) {
  std::vector<Scenario> simpler;
  const std::string text = describe(scenario);
  const auto with = [&](auto change) {
    Scenario changed = scenario;
    change(changed);
    if (describe(changed) != text) {
      simpler.push_back(std::move(changed));
    }
  };
  for (std::size_t i = 0; i < scenario.clients.size() && scenario.clients.size() > 1; ++i) {
    with([&](Scenario& s) { s.clients.erase(s.clients.begin() + static_cast<std::ptrdiff_t>(i)); });
  }
  for (std::size_t i = 0; i < scenario.timeline.size(); ++i) {
    with([&](Scenario& s) {
      s.timeline.erase(s.timeline.begin() + static_cast<std::ptrdiff_t>(i));
    });
  }
  with([](Scenario& s) { s.duration_ns = std::max<Nanoseconds>(s.duration_ns / 2, 1); });
  with([](Scenario& s) { s.warm_up_ns = 0; });
  with(one_region);
  with([](Scenario& s) { s.database ? void(s.database->throughput.partitions = 1) : void(); });
  for (const auto simplify : kSimplerParameters) {
    with([&](Scenario& s) { simplify(s.parameters); });
  }
  for (std::size_t i = 0; i < scenario.containers.size(); ++i) {
    for (const auto simplify : kSimplerContainer) {
      with([&](Scenario& s) { simplify(s.containers[i]); });
    }
  }
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    for (const auto simplify : kSimplerClient) {
      with([&](Scenario& s) { simplify(s.clients[i]); });
    }
  }
  return simpler;
}

std::string describe(const Scenario& scenario) {
  std::ostringstream out;
  scenario_text::put(scenario, out);
  return out.str();
}

rc::Gen<Scenario> any_scenario() {
  return rc::gen::shrink(
      rc::gen::map(rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()),
                   [](std::uint64_t seed) { return random_scenario(seed); }),
      [](const Scenario& scenario) { return rc::seq::fromContainer(simpler_scenarios(scenario)); });
}

void showValue(const Scenario& scenario, std::ostream& out) {
  out << describe(scenario);
}

}  // namespace partsim
