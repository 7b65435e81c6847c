// Clients: when they send, what, and what they do after a 429.
#include <algorithm>
#include <array>
#include <utility>

#include "bind_values.hpp"
#include "client_table.hpp"
#include "fragment.hpp"

namespace partsim::bind {
namespace {

// ---- operations --------------------------------------------------------------------------------

OperationSpec bind_operation(const TreeNode& node) {
  OperationSpec operation;
  const std::span<const Word> kinds = operation_words();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (node.find(kinds[i].name) != nullptr) {
      operation.kind = static_cast<OperationKind>(i);
      operation.share_ppm = signed_amount(node, kinds[i].name, ValueKind::percent);
    }
  }
  if (const TreeNode* given = node.find("given")) {
    for (const TreeNode& item : given->items) {
      operation.given.push_back(item.text);
    }
    std::sort(operation.given.begin(), operation.given.end());
  }
  // What does not go with the kind has no default and keeps that of the struct.
  const auto take = [&node](std::string_view key, std::uint32_t& place) {
    if (const TreeNode* value = node.find(key)) {
      place = small_amount(*value);
    }
  };
  take("matches", operation.matches);
  take("returned", operation.returned);
  take("keys", operation.keys);
  take("items", operation.items);
  take("changed_terms", operation.changed_terms);
  take("patched", operation.patched);
  if (node.find("existing") != nullptr) {
    operation.existing_ppm = signed_amount(node, "existing", ValueKind::percent);
  }
  if (node.find("within") != nullptr) {
    operation.within_ns = signed_amount(node, "within", ValueKind::duration);
  }
  if (node.find("charge") != nullptr) {
    operation.charge_mru = signed_amount(node, "charge", ValueKind::ru);
  }
  return operation;
}

// ---- retries -----------------------------------------------------------------------------------

RetrySpec retry_of_section(const TreeNode& node) {
  RetrySpec retry;
  retry.max_retries = small_amount(member(node, "max_retries"));
  retry.max_wait_ns = signed_amount(node, "max_wait", ValueKind::duration);
  retry.backoff_base_ns = signed_amount(node, "backoff_base", ValueKind::duration);
  retry.backoff_max_ns = signed_amount(node, "backoff_max", ValueKind::duration);
  retry.backoff_jitter = word_of<RetrySpec::Jitter>(member(node, "backoff_jitter"), jitter_words());
  retry.fixed_wait_ns = signed_amount(node, "wait", ValueKind::duration);
  const Nanoseconds longest = signed_amount(node, "longest_wait", ValueKind::duration);
  const bool is_limit = longest < static_cast<Nanoseconds>(language::kTenYears);
  retry.longest_wait_ns = is_limit ? longest : kNever;
  retry.may_overshoot = member(node, "overshoot").text == "true";
  retry.quota_tokens = small_amount(member(node, "quota"));
  retry.quota_cost = small_amount(member(node, "quota_cost"));
  const TreeNode& jitter = member(node, "jitter");
  const auto value = static_cast<std::int64_t>(amount(jitter, ValueKind::jitter));
  (jitter.text.ends_with('%') ? retry.jitter_ppm : retry.jitter_ns) = value;
  return retry;
}

/// A word stands for the section that its preset fills.
RetrySpec bind_retry(const TreeNode& node) {
  if (!node.is_scalar()) {
    return retry_of_section(node);
  }
  TreeNode section;
  section.kind = TreeNode::Kind::map;
  for (const Key& key : language::kRetry.keys) {
    TreeNode value;
    value.kind = TreeNode::Kind::scalar;
    value.text = preset_value(node.text, key);
    section.entries.push_back({std::string(key.name), {}, std::move(value)});
  }
  return retry_of_section(section);
}

// ---- arrivals ----------------------------------------------------------------------------------

using Curve = std::array<std::int64_t, 24>;

/// The curves of the words, in percent, by hour.
constexpr std::array kOffice{5,  5,  5,   5,   5,  10, 20, 50, 90, 100, 100, 95,
                             70, 85, 100, 100, 95, 80, 45, 25, 15, 10,  10,  5};
constexpr std::array kEvening{35, 20, 12, 8,  6,  8,  15, 25, 35,  40, 45, 50,
                              55, 55, 55, 58, 62, 70, 82, 94, 100, 98, 85, 60};
static_assert(kOffice.size() == 24 && kEvening.size() == 24);

Curve bind_daily(const TreeNode& node) {
  Curve curve{};
  for (std::size_t hour = 0; hour < curve.size(); ++hour) {
    if (node.is_list()) {
      curve.at(hour) = static_cast<std::int64_t>(amount(node.items[hour], ValueKind::percent));
    } else {
      static constexpr std::int64_t kPpmPerPercent = 10'000;
      curve.at(hour) =
          kPpmPerPercent * (node.text == "office" ? kOffice.at(hour) : kEvening.at(hour));
    }
  }
  return curve;
}

Rate rate_of(const TreeNode& map, std::string_view key) {
  return parse_rate(member(map, key).text).value.value_or(Rate{});
}

OpenLoop bind_rate(const TreeNode& node, const DataFiles& files) {
  OpenLoop loop;
  loop.rate = rate_of(node, "rate");
  loop.spacing = word_of<OpenLoop::Spacing>(member(node, "spacing"), spacing_words());
  if (const TreeNode* file = node.find("rate_file")) {
    loop.changes = files.rates(file->text);
  }
  if (const TreeNode* changes = node.find("changes")) {
    for (const TreeNode& change : changes->items) {
      loop.changes.push_back({signed_amount(change, "at", ValueKind::duration),
                              rate_of(change, "rate"),
                              signed_amount(change, "over", ValueKind::duration)});
    }
  }
  if (const TreeNode* spikes = node.find("spikes")) {
    for (const TreeNode& spike : spikes->items) {
      loop.spikes.push_back({signed_amount(spike, "at", ValueKind::duration),
                             signed_amount(spike, "for", ValueKind::duration),
                             signed_amount(spike, "times", ValueKind::decimal)});
    }
  }
  if (const TreeNode* bursts = node.find("bursts")) {
    loop.on_off = OnOff{signed_amount(*bursts, "on", ValueKind::duration),
                        signed_amount(*bursts, "off", ValueKind::duration)};
  }
  if (const TreeNode* daily = node.find("daily")) {
    loop.hour_ppm = bind_daily(*daily);
  }
  return loop;
}

AtOnce bind_at_once(const TreeNode& node) {
  AtOnce at_once{amount(member(node, "at_once"), ValueKind::integer),
                 signed_amount(node, "at", ValueKind::duration)};
  if (node.find("pace") != nullptr) {
    at_once.pace = rate_of(node, "pace");
  }
  return at_once;
}

ClosedLoop bind_users(const TreeNode& node) {
  ClosedLoop loop;
  loop.users = small_amount(member(node, "users"));
  const TreeNode& think = member(node, "think");
  const TreeNode* mean = think.find("exponential");
  if (mean != nullptr) {
    loop.think = ClosedLoop::Think::exponential;
  } else {
    mean = think.is_map() ? think.find("fixed") : &think;
  }
  loop.think_ns = static_cast<Nanoseconds>(amount(*mean, ValueKind::duration));
  loop.start_over_ns = signed_amount(node, "start_over", ValueKind::duration);
  if (const TreeNode* total = node.find("total")) {
    loop.total = amount(*total, ValueKind::integer);
  }
  return loop;
}

BulkLoad bind_bulk(const TreeNode& node) {
  BulkLoad bulk;
  bulk.count = amount(member(node, "bulk"), ValueKind::integer);
  bulk.at_ns = signed_amount(node, "at", ValueKind::duration);
  bulk.batch = small_amount(member(node, "batch"));
  bulk.most_degrees = small_amount(member(node, "degrees"));
  return bulk;
}

TraceReplay bind_trace(const TreeNode& node) {
  TraceReplay trace;
  if (node.is_scalar()) {
    trace.file = node.text;
    return trace;
  }
  trace.file = member(node, "file").text;
  if (const TreeNode* requests = node.find("requests")) {
    trace.requests_file = requests->text;
  }
  trace.speed_micro = signed_amount(node, "speed", ValueKind::decimal);
  trace.at_ns = signed_amount(node, "at", ValueKind::duration);
  return trace;
}

void bind_arrivals(const TreeNode& node, const DataFiles& files, ClientSpec& client) {
  if (node.find("at_once") != nullptr) {
    client.arrivals = bind_at_once(node);
  } else if (node.find("users") != nullptr) {
    client.arrivals = bind_users(node);
  } else if (node.find("bulk") != nullptr) {
    client.arrivals = bind_bulk(node);
  } else if (const TreeNode* trace = node.find("trace")) {
    client.arrivals = bind_trace(*trace);
  } else if (node.find("rate_counters") != nullptr) {
    // the rates follow from charges, and so from the whole scenario: apply_counters
    client.arrivals = OpenLoop{
        {0, kSecond}, word_of<OpenLoop::Spacing>(member(node, "spacing"), spacing_words())};
  } else {
    client.arrivals = bind_rate(node, files);
  }
}

}  // namespace

ClientSpec bind_client(const Entry& entry, const Names& names, const DataFiles& files) {
  const TreeNode& node = entry.value;
  ClientSpec client;
  client.name = entry.key;
  client.container = index_of(names.containers, node.find("container"));
  client.region = index_of(names.regions, node.find("region"));
  client.priority = word_of<Priority>(member(node, "priority"), priority_words());
  if (const TreeNode* bucket = node.find("bucket")) {
    client.bucket = small_amount(*bucket);
  }
  bind_arrivals(node, files, client);
  for (const TreeNode& operation : member(node, "operations").items) {
    client.operations.push_back(bind_operation(operation));
  }
  client.retry = bind_retry(member(node, "retry"));
  if (const TreeNode* concurrency = node.find("concurrency")) {
    client.concurrency = small_amount(*concurrency);
  }
  if (node.find("timeout") != nullptr) {
    client.timeout_ns = signed_amount(node, "timeout", ValueKind::duration);
  }
  return client;
}

}  // namespace partsim::bind
