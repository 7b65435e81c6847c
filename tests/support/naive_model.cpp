#include "support/naive_model.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;
using Number = std::uint64_t;
using Visits = std::multiset<std::uint32_t>;  // partitions, each as often as it weighs

struct Request : AttemptRecord {  // its latest attempt, or the one to come
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = kNever;  // when it completed or failed
  Nanoseconds waited_ns = 0;
};

struct Operation {
  const ClientSpec* client = nullptr;
  const ContainerSpec* container = nullptr;
  const OperationSpec* spec = nullptr;
  Number number = 0;
  Nanoseconds sent_ns = 0;
  bool fan_out = false;                                    // even if only one partition is visited
  std::map<std::size_t, std::vector<KeyComponent>> key{};  // parts by level
  std::vector<Request> requests{};                         // in range order
  [[nodiscard]] bool is(OperationKind kind) const { return spec->kind == kind; }
};

struct Partition : PartitionResult {
  const ContainerSpec* spec = nullptr;
  HashRange range;
  Wide balance = 0;  // mRU times window
  Nanoseconds refilled_ns = 0;
  std::multiset<Nanoseconds> unfinished;  // requests, by completion
};

std::string text_of(const KeyComponent& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    std::string text(512, '\0');
    std::to_chars(text.data(), text.data() + text.size(), *number, std::chars_format::fixed);
    return text.c_str();
  }
  const auto* text = std::get_if<std::string>(&value);
  const auto* flag = std::get_if<bool>(&value);
  return text != nullptr ? *text : flag == nullptr ? "null" : *flag ? "true" : "false";
}

MilliRu charge_by_size(Bytes size, MilliRu ChargeRow::*column) {
  const auto reaches = [&](const ChargeRow& row) { return size <= row.size_bytes; };
  const auto* hi = std::find_if(&kCosmosCharges[1], &kCosmosCharges.back(), reaches);
  const auto* lo = hi - 1;
  const Bytes above = std::max<Bytes>(0, size - lo->size_bytes);
  return lo->*column + (hi->*column - lo->*column) * above / (hi->size_bytes - lo->size_bytes);
}

struct Model {
  Scenario scenario;
  const ProviderParameters& rules = scenario.parameters;
  const Nanoseconds window = rules.throttle_window_ns;
  LogNormal read_time{double(rules.read_latency_p50_ns), double(rules.read_latency_p99_ns)};
  LogNormal write_time{double(rules.write_latency_p50_ns), double(rules.write_latency_p99_ns)};
  NaiveResult result{};
  std::vector<Partition> partitions{};
  std::map<std::pair<std::string, Number>, Operation> operations{};  // by client and number
  std::map<std::pair<Number, double>, Zipf> zipfs{};
  std::set<std::tuple<Nanoseconds, Number, std::string, std::size_t>> queue{};  // as in section 6

  NaiveResult run() {
    for (ContainerSpec& container : scenario.containers) {  // section 4
      container.hash = container.partition_key.size() > 1 ? HashVersion::multihash : container.hash;
      const MilliRu total = container.throughput.mru_per_s;
      const MilliRu each = rules.initial_partition_mru_manual;
      const auto n = container.throughput.partitions.value_or(std::uint32_t((total + each - 1) / each));
      for (MilliRu i = 0; const HashRange& range : initial_ranges(container.hash, n)) {
        partitions.push_back({{}, &container, range, 0, -window, {}});  // so it is full at time 0
        partitions.back().id = std::uint32_t(partitions.size() - 1);
        partitions.back().share_mru_per_s = total / n + (i++ < total % n ? 1 : 0);
      }
    }
    for (const ClientSpec& client : scenario.clients) {  // section 2
      result.clients.emplace_back().name = client.name;
      const auto* batch = std::get_if<AtOnce>(&client.arrivals);
      const auto [rate, spacing] = batch ? OpenLoop{} : std::get<OpenLoop>(client.arrivals);
      const Number most = batch ? batch->count : rate.count_micro > 0 ? UINT64_MAX : 0;
      Operation op{&client, &scenario.containers[client.container]};
      for (; op.number < most && op.sent_ns < scenario.duration_ns; ++op.number) {
        if (batch != nullptr) {
          op.sent_ns = batch->at_ns;
        } else if (spacing == OpenLoop::Spacing::evenly) {
          op.sent_ns = Nanoseconds(Wide(op.number) * rate.per_ns * kMillion / rate.count_micro);
        } else {
          const double mean_gap = double(rate.per_ns) * 1e6 / double(rate.count_micro);
          op.sent_ns += Nanoseconds(exponential(draw(op, "arrivals")) * mean_gap);
        }
        route(operations[{client.name, op.number}] = op);
      }
    }
    while (!queue.empty() && std::get<0>(*queue.begin()) < scenario.duration_ns) {
      const auto [time, number, client, r] = *queue.begin();
      queue.erase(queue.begin());
      handle(time, operations.at({client, number}), r);
    }
    for (const auto& [id, op] : operations) {
      if (op.sent_ns >= scenario.warm_up_ns && op.sent_ns < scenario.duration_ns) {
        finish(op, result.clients[op.requests[0].client]);
      }
    }
    result.partitions.assign(partitions.begin(), partitions.end());
    return result;
  }

  Number draw(const Operation& op, const std::string& purpose, Number slot = 0) {
    const Number random = RngStream(scenario.seed, op.client->name, purpose).draw(op.number);
    return slot == 0 ? random : mix64(random + slot * kGoldenGamma);
  }

  Number choose(const ChoiceLaw& law, Number count, Number random) {  // section 3
    if (const auto* zipf = std::get_if<ZipfChoice>(&law)) {
      const double exponent = double(zipf->exponent_micro) / 1e6;
      return zipfs.try_emplace({count, exponent}, count, exponent).first->second.sample(random);
    }
    const auto* set = std::get_if<HotSetChoice>(&law);
    const Number hot = set ? std::max<Number>(1, count * Number(set->of_ppm) / kMillion) : count;
    const Number cold = count - hot;
    const bool is_hot = cold == 0 || bounded(random, kMillion) < Number(set->share_ppm);
    const Number again = cold == 0 ? random : redraw(random);
    return is_hot ? bounded(again, hot) : hot + bounded(again, cold);
  }

  KeyComponent field_value(const Operation& op, const std::string& name) {
    const auto is_it = [&](const FieldSpec& field) { return field.name == name; };
    const auto& kind =
        std::find_if(op.container->fields.begin(), op.container->fields.end(), is_it)->kind;
    const Number random = draw(op, "field/" + name);
    std::string text;
    if (const auto* clock = std::get_if<TimeField>(&kind)) {
      clock->format.append(text, scenario.start_unix_s + op.sent_ns / kSecond);
    } else if (const auto* values = std::get_if<ValuesField>(&kind)) {
      return values->values.at(choose(values->law, values->values.size(), random));
    } else if (const auto* chosen = std::get_if<ChooseField>(&kind)) {
      const Number index = choose(chosen->law, chosen->count, random);
      text = std::to_string(index);
      text.insert(0, chosen->width - std::min<std::size_t>(chosen->width, text.size()), '0');
      return chosen->is_text ? KeyComponent(chosen->prefix + text + chosen->suffix) : double(index);
    } else {
      for (int shift = 60; shift >= 0; shift -= 4) {
        text += "0123456789abcdef"[(random >> shift) & 15U];
      }
    }
    return text;
  }

  /// Section 4: adds the partitions that may hold keys with these first levels.
  void visit(const Operation& op, std::size_t levels, Visits& visits) const {
    std::vector<KeyComponent> key;
    for (std::size_t l = 0; l < levels; ++l) {
      std::string text;
      for (const KeyComponent& part : op.key.at(l)) {
        text += text_of(part);
      }
      key.push_back(op.key.at(l).size() == 1 ? op.key.at(l)[0] : KeyComponent(text));
    }
    const HashPoint point = hash_point(op.container->hash, key);
    for (const Partition& at : partitions) {
      if (at.spec == op.container && (levels == 0 || PrefixRange{point}.overlaps(at.range))) {
        visits.insert(at.id);
      }
    }
  }

  void route(Operation& op) {
    auto u = std::int64_t(bounded(draw(op, "operation"), kMillion));
    for (op.spec = op.client->operations.data(); u >= op.spec->share_ppm; ++op.spec) {
      u -= op.spec->share_ppm;
    }
    const std::vector<KeyTemplate>& levels = op.container->partition_key;
    const std::vector<std::string>& given = op.spec->given;
    const bool create = op.is(OperationKind::create);
    std::map<std::pair<std::size_t, std::size_t>, RandomSuffix> randoms;  // by level and part
    Number candidates = 1;
    std::size_t known_levels = 0;
    bool fields_known = true;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      for (const KeyPart& part : levels[l].parts) {
        KeyComponent& value = op.key[l].emplace_back();
        const auto* hashed = std::get_if<HashedSuffix>(&part);
        if (const auto* literal = std::get_if<LiteralText>(&part)) {
          value = literal->text;
        } else if (const auto* random = std::get_if<RandomSuffix>(&part)) {
          const std::size_t p = op.key[l].size() - 1;
          const auto drawn = draw(op, "random/" + std::to_string(l) + "/" + std::to_string(p));
          value = std::to_string(random->first + bounded(drawn, random->count));
          candidates = std::min<Number>(candidates * random->count, 10'001);
          randoms[{l, p}] = *random;
        } else {
          const std::string& name = hashed ? hashed->field : std::get<FieldValue>(part).field;
          value = field_value(op, name);
          value = hashed ? std::to_string(hashed_suffix(*hashed, text_of(value))) : value;
          fields_known &= create || std::count(given.begin(), given.end(), name) > 0;
        }
      }
      known_levels += fields_known && (create || randoms.empty()) ? 1U : 0U;
    }
    Visits home;
    Visits visits;
    visit(op, levels.size(), home);
    op.fan_out = known_levels < levels.size() || op.is(OperationKind::query);
    if (known_levels == levels.size() || !fields_known || candidates > 10'000) {
      visit(op, known_levels, visits);
    } else {
      for (Number candidate = 0; candidate < candidates; ++candidate) {
        for (Number digits = candidate; const auto& [at, random] : randoms) {
          op.key[at.first][at.second] = std::to_string(random.first + digits % random.count);
          digits /= random.count;
        }
        visit(op, levels.size(), visits);
      }
    }
    charge(op, visits, op.is(OperationKind::read) ? home : visits);  // a read matches one item
  }

  void charge(Operation& op, const Visits& visits, const Visits& matching) {  // section 5
    const auto client = std::uint32_t(op.client - scenario.clients.data());
    const bool is_strong = op.container->consistency <= Consistency::bounded_staleness;
    const std::int64_t strong_micro = is_strong ? rules.strong_read_multiplier_micro : kMillion;
    const Bytes size = op.container->item_size_bytes;
    const MilliRu write = charge_by_size(size, &ChargeRow::write_mru) +
                          rules.index_mru_per_term * op.container->indexed_terms;
    const auto all = std::int64_t(matching.size());
    for (std::int64_t upto = 0; const auto at : std::set(visits.begin(), visits.end())) {
      const std::int64_t before = upto;
      upto += std::int64_t(matching.count(at));
      const auto matches = op.spec->matches * upto / all - op.spec->matches * before / all;
      const auto returned = op.spec->returned * upto / all - op.spec->returned * before / all;
      const MilliRu query = rules.query_min_mru_per_partition +
                            rules.query_mru_per_match * matches +
                            rules.query_mru_per_returned_kb * (returned * size) / 1024;
      const MilliRu read = op.fan_out ? query : charge_by_size(size, &ChargeRow::read_mru);
      const MilliRu charge = op.is(OperationKind::create) ? write : read * strong_micro / kMillion;
      queue.insert({op.sent_ns, op.number, op.client->name, op.requests.size()});
      op.requests.push_back(
          {{0, op.number, client, at, 0, {}, op.spec->charge_mru.value_or(charge), 0}});
    }
  }

  /// Section 6: brings the budget to time t; returns t if it admits the charge, else when it will.
  Nanoseconds ready_at(Partition& partition, Wide charge, Nanoseconds t) const {
    const Wide share = Wide(partition.share_mru_per_s) * window / kSecond;
    const Wide full = share * window;
    const Wide boundaries = t / window - partition.refilled_ns / window;
    Wide& balance = partition.balance;
    if (rules.throttle_model == ThrottleModel::token_bucket) {
      balance = std::min(balance + share * (t - partition.refilled_ns), full);
      const Wide missing = std::max<Wide>(0, std::min(charge * window, full) - balance);
      return t + Nanoseconds(share == 0 ? window : (missing + share - 1) / share);
    }
    const bool strict = rules.throttle_model == ThrottleModel::window_strict;
    balance = strict && boundaries > 0 ? full : std::min(balance + boundaries * full, full);
    const bool admits = strict ? charge * window <= balance : balance > 0;
    const Wide windows = strict || share == 0 ? 1 : -balance / full + 1;
    return admits ? t : Nanoseconds((t / window + windows) * window);
  }

  Nanoseconds service_time(const Operation& op, MilliRu charge, std::size_t r) {
    const auto random = op.fan_out ? draw(op, "service/fan-out", r + 1) : draw(op, "service");
    if (const auto& service = op.container->service) {
      const auto [mean_ns, per_ru] = service->mean;
      const double mean = double(mean_ns) * (per_ru ? double(charge) / 1000.0 : 1.0);
      const Nanoseconds fixed = per_ru ? mean_ns * charge / 1000 : mean_ns;
      const bool is_fixed = service->law == ServiceTimeSpec::Law::fixed;
      return is_fixed ? fixed : Nanoseconds(exponential(random) * mean);
    }
    const LogNormal& law = op.is(OperationKind::create) ? write_time : read_time;
    const MilliRu queried = op.fan_out ? charge : 0;
    return Nanoseconds(law.sample(random)) + rules.query_latency_ns_per_ru * queried / 1000;
  }

  void handle(Nanoseconds t, Operation& op, std::size_t r) {
    Request& request = op.requests[r];
    Partition& partition = partitions[request.partition];
    const MilliRu charge = request.charge_mru;
    const Nanoseconds ready = ready_at(partition, charge, t);
    partition.refilled_ns = t;
    // No workers are as good as endless ones; of c, the first is free at the c-th last completion.
    const auto workers = op.container->workers.value_or(WorkersSpec{UINT32_MAX, {}});
    const auto places = std::size_t{workers.count} + workers.queue_limit.value_or(UINT32_MAX);
    partition.unfinished.erase(partition.unfinished.begin(), partition.unfinished.upper_bound(t));
    const bool admitted = ready == t && partition.unfinished.size() < places;
    request.time_ns = t;
    if (admitted) {
      const bool waits = partition.unfinished.size() >= workers.count;
      request.outcome = AttemptOutcome::admitted;
      request.start_ns = waits ? *std::prev(partition.unfinished.end(), workers.count) : t;
      request.end_ns = request.next_ns = request.start_ns + service_time(op, charge, r);
      partition.unfinished.insert(request.end_ns);
      partition.balance -= Wide(charge) * window;
      partition.storage_bytes += op.is(OperationKind::create) ? op.container->item_size_bytes : 0;
    } else {
      request.outcome = ready > t ? AttemptOutcome::throttled : AttemptOutcome::queue_full;
      const bool pays = ready > t && rules.throttled_charge_counts;
      partition.balance -= pays ? Wide(rules.throttled_request_charge_mru) * window : 0;
      retry(op, r, ready - t);
    }
    const auto tally = [&](auto& counters) {  // section 8
      counters.attempts += 1;
      counters.throttled += admitted ? 0 : 1;
      counters.consumed_mru += admitted ? charge : 0;
    };
    if (t >= scenario.warm_up_ns) {
      tally(result.clients[request.client]);
      tally(partition);
      partition.demand_mru += request.attempt == 0 ? charge : 0;
    }
    const Number who = mix64(Number(t) + name_hash(op.client->name)) + op.number * kGoldenGamma;
    const auto what = Number{partition.id} << 40U | Number{request.attempt} << 32U | Number(charge);
    const Number then = Number(request.next_ns) * 4 + Number(request.outcome);
    result.digest += mix64(who ^ what) + mix64(who + then);
    result.attempts.push_back(request);
    request.attempt += 1;
  }

  /// Sends a refused request again, or lets it fail.
  void retry(Operation& op, std::size_t r, Nanoseconds until_ready) {
    Request& request = op.requests[r];
    const auto [max_retries, max_wait_ns, jitter_ns, jitter_ppm, base_ns, cap_ns] = op.client->retry;
    static_cast<void>(base_ns);
    static_cast<void>(cap_ns);
    const Number k = request.attempt + 1;
    const auto draw1 = op.fan_out ? draw(op, "jitter/fan-out", r * 256 + k) : draw(op, "jitter", k);
    const auto draw2 = jitter_ns > 0 ? redraw(draw1) : draw1;
    const Nanoseconds step = rules.retry_after_step_ns;
    const Nanoseconds least = std::max(rules.retry_after_min_ns, until_ready);
    const Nanoseconds retry_after = (least + step - 1) / step * step;
    const Wide extra_ns = bounded(draw1, Number(std::max<Nanoseconds>(1, jitter_ns)));
    const Wide extra_ppm = bounded(draw2, Number(std::max<std::int64_t>(1, jitter_ppm)));
    const auto wait = Nanoseconds(retry_after + extra_ns + retry_after * extra_ppm / kMillion);
    const Nanoseconds known_ns = request.time_ns + rules.throttle_response_ns;
    request.waited_ns += wait;
    const bool fails = k > max_retries || request.waited_ns > max_wait_ns || wait >= max_wait_ns;
    request.next_ns = fails ? kNever : known_ns + wait;
    request.end_ns = fails ? known_ns : kNever;
    queue.insert({request.next_ns, op.number, op.client->name, r});
  }

  void finish(const Operation& op, ClientResult& client) const {  // section 7
    Request last = op.requests[0];
    bool failed = false;
    MilliRu cost_mru = 0;
    for (const Request& request : op.requests) {
      last = request.end_ns >= last.end_ns ? request : last;
      failed = failed || request.outcome != AttemptOutcome::admitted;
      cost_mru += request.charge_mru;
    }
    OperationCounts& ends = client.operations;
    client.requests += op.requests.size();
    ends.offered += 1;
    const bool in_flight = last.end_ns >= scenario.duration_ns;
    (in_flight ? ends.in_flight : failed ? ends.failed : ends.succeeded) += 1;
    if (!in_flight && !failed) {
      client.succeeded_mru += cost_mru;
      client.latency_ns.add(Number(last.end_ns - op.sent_ns));
      client.parts.service_ns += Number(last.end_ns - last.start_ns);
      client.parts.queue_ns += Number(last.start_ns - last.time_ns);
      client.parts.retry_wait_ns += Number(last.time_ns - op.sent_ns);
    }
  }
};

}  // namespace

NaiveResult naive_run(const Scenario& scenario) {
  return Model{scenario}.run();
}

}  // namespace partsim
