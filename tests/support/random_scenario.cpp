#include "support/random_scenario.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

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

std::variant<OpenLoop, AtOnce> random_arrivals(Dice& dice, const Scenario& scenario,
                                               std::int64_t count) {
  if (dice.one_in(5)) {
    const Nanoseconds at = dice.pick<Nanoseconds>(
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
  const std::int64_t operations = dice.pick<std::int64_t>({1, 1, 2, 3});
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

void describe(const ContainerSpec& container, std::ostream& out) {
  out << "container " << container.name << ": throughput_mru " << container.throughput.mru_per_s
      << ", partitions "
      << (container.throughput.partitions ? std::to_string(*container.throughput.partitions) : std::string("by rule"))
      << ", hash " << static_cast<int>(container.hash) << ", size " << container.item_size_bytes
      << ", terms " << container.indexed_terms << ", consistency "
      << static_cast<int>(container.consistency) << ", key";
  for (const KeyTemplate& level : container.partition_key) {
    out << " [" << level.text << ']';
  }
  out << ", fields";
  for (const FieldSpec& field : container.fields) {
    out << ' ' << field.name << '#' << field.kind.index();
    if (const auto* clock = std::get_if<TimeField>(&field.kind)) {
      out << '(' << clock->format.pattern() << ')';
    } else if (const auto* choose = std::get_if<ChooseField>(&field.kind)) {
      out << '(' << choose->count << " law " << choose->law.index() << ')';
    }
  }
  if (container.workers) {
    out << ", workers " << container.workers->count << " queue "
        << (container.workers->queue_limit ? std::to_string(*container.workers->queue_limit)
                                           : std::string("unbounded"));
  }
  if (container.service) {
    out << ", service law " << static_cast<int>(container.service->law) << " mean "
        << container.service->mean.mean_ns << (container.service->mean.per_ru ? " ns/RU" : " ns");
  }
  out << '\n';
}

void describe(const ClientSpec& client, std::ostream& out) {
  out << "client " << client.name << ": container " << client.container;
  if (const auto* batch = std::get_if<AtOnce>(&client.arrivals)) {
    out << ", at_once " << batch->count << " at " << batch->at_ns;
  } else {
    const auto& loop = std::get<OpenLoop>(client.arrivals);
    out << (loop.spacing == OpenLoop::Spacing::evenly ? ", evenly " : ", poisson ")
        << loop.rate.count_micro << " micro per " << loop.rate.per_ns << " ns";
  }
  out << ", retries " << client.retry.max_retries << " max_wait " << client.retry.max_wait_ns
      << " jitter " << client.retry.jitter_ns << " ns " << client.retry.jitter_ppm << " ppm\n";
  for (const OperationSpec& operation : client.operations) {
    out << "  operation kind " << static_cast<int>(operation.kind) << " share "
        << operation.share_ppm << " matches " << operation.matches << " returned "
        << operation.returned << " charge " << operation.charge_mru.value_or(-1) << " given";
    for (const std::string& field : operation.given) {
      out << ' ' << field;
    }
    out << '\n';
  }
}

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
  if (std::any_of(scenario.containers.begin(), scenario.containers.end(),
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
  const auto with = [&](auto change) {
    Scenario changed = scenario;
    change(changed);
    if (describe(changed) != describe(scenario)) {
      simpler.push_back(std::move(changed));
    }
  };
  for (std::size_t i = 0; i < scenario.clients.size() && scenario.clients.size() > 1; ++i) {
    with([&](Scenario& s) { s.clients.erase(s.clients.begin() + static_cast<std::ptrdiff_t>(i)); });
  }
  with([](Scenario& s) { s.duration_ns = std::max<Nanoseconds>(s.duration_ns / 2, 1); });
  with([](Scenario& s) { s.warm_up_ns = 0; });
  with([](Scenario& s) { s.parameters.throttled_charge_counts = false; });
  with([](Scenario& s) { s.parameters.throttle_response_ns = 0; });
  for (std::size_t i = 0; i < scenario.containers.size(); ++i) {
    with([&](Scenario& s) { s.containers[i].throughput.partitions = 1; });
    with([&](Scenario& s) { s.containers[i].workers.reset(); });
    with([&](Scenario& s) { s.containers[i].service = ServiceTimeSpec{}; });
    with([&](Scenario& s) {
      s.containers[i].partition_key = {std::get<KeyTemplate>(parse_key_template("k"))};
    });
  }
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    with([&](Scenario& s) { s.clients[i].retry.jitter_ns = 0; });
    with([&](Scenario& s) { s.clients[i].retry.jitter_ppm = 0; });
    with([&](Scenario& s) { s.clients[i].retry.max_retries /= 2; });
    with([&](Scenario& s) {
      s.clients[i].operations.resize(1);
      s.clients[i].operations[0].share_ppm = kMillion;
    });
    with([&](Scenario& s) { s.clients[i].operations[0].charge_mru = 1'000; });
  }
  return simpler;
}

std::string describe(const Scenario& scenario) {
  std::ostringstream out;
  const ProviderParameters& p = scenario.parameters;
  out << "seed " << scenario.seed << ", start " << scenario.start_unix_s << ", duration "
      << scenario.duration_ns << ", warm_up " << scenario.warm_up_ns << ", model "
      << static_cast<int>(p.throttle_model) << ", window " << p.throttle_window_ns
      << ", retry_after min " << p.retry_after_min_ns << " step " << p.retry_after_step_ns
      << ", response " << p.throttle_response_ns << ", throttled charge "
      << p.throttled_request_charge_mru << (p.throttled_charge_counts ? " counts" : "")
      << ", initial_partition " << p.initial_partition_mru_manual << '\n';
  for (const ContainerSpec& container : scenario.containers) {
    describe(container, out);
  }
  for (const ClientSpec& client : scenario.clients) {
    describe(client, out);
  }
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
