#include "bind.hpp"

#include <algorithm>
#include <array>

#include "partsim/core/assert.hpp"

#include "scalar.hpp"

namespace partsim {
namespace {

const TreeNode& member(const TreeNode& map, std::string_view key) {
  const TreeNode* node = map.find(key);
  PARTSIM_ASSERT(node != nullptr, "the walk and the defaults leave no required key missing");
  return *node;
}

std::uint64_t amount(const TreeNode& node, ValueKind kind) {
  const Parsed<std::uint64_t> parsed = parse_amount(kind, node.text);
  PARTSIM_ASSERT(parsed.value.has_value(), "the walk lets only values through that parse");
  return *parsed.value;
}

std::int64_t signed_amount(const TreeNode& map, std::string_view key, ValueKind kind) {
  return static_cast<std::int64_t>(amount(member(map, key), kind));
}

std::uint32_t small_amount(const TreeNode& node) {
  return static_cast<std::uint32_t>(amount(node, ValueKind::integer));
}

template <class Enum>
Enum word_of(const TreeNode& node, std::span<const Word> words) {
  // Enumerators stand in the order of their words.
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const Word& word) { return word.name == node.text; });
  PARTSIM_ASSERT(found != words.end(), "the walk lets only known words through");
  return static_cast<Enum>(found - words.begin());
}

template <class T>
void sort_by_name(std::vector<T>& things) {
  std::sort(things.begin(), things.end(), [](const T& a, const T& b) { return a.name < b.name; });
}

// ---- container ---------------------------------------------------------------------------------

ChoiceLaw bind_law(const TreeNode& field) {
  if (const TreeNode* zipf = field.find("zipf")) {
    const std::uint64_t exponent = amount(*zipf, ValueKind::decimal);
    if (exponent == 0) {
      return UniformChoice{};
    }
    return ZipfChoice{static_cast<std::int64_t>(exponent)};
  }
  if (const TreeNode* hot = field.find("hot")) {
    return HotSetChoice{signed_amount(*hot, "share", ValueKind::percent),
                        signed_amount(*hot, "of", ValueKind::percent)};
  }
  return UniformChoice{};
}

FieldSpec bind_field(const std::string& name, const TreeNode& node) {
  FieldSpec field{name, UniqueField{}};
  if (const TreeNode* time = node.find("time")) {
    const auto format = TimeFormat::parse(time->text);
    PARTSIM_ASSERT(format.has_value(), "the walk checked the format");
    field.kind = TimeField{*format};
  } else if (const TreeNode* count = node.find("choose")) {
    ChooseField choose;
    choose.count = amount(*count, ValueKind::integer);
    choose.law = bind_law(node);
    if (const TreeNode* as = node.find("as")) {
      const auto format = parse_number_format(as->text);
      PARTSIM_ASSERT(format.has_value(), "the walk checked the format");
      choose.is_text = true;
      choose.prefix = format->prefix;
      choose.suffix = format->suffix;
      choose.width = format->width;
    }
    field.kind = std::move(choose);
  } else if (const TreeNode* list = node.find("values")) {
    ValuesField values;
    for (const TreeNode& item : list->items) {
      const auto component = parse_component(item);
      PARTSIM_ASSERT(component.has_value(), "the walk checked the values");
      values.values.push_back(*component);
    }
    values.law = bind_law(node);
    field.kind = std::move(values);
  }
  return field;
}

std::vector<KeyTemplate> bind_key(const TreeNode& node) {
  std::vector<KeyTemplate> levels;
  const auto add = [&levels](const TreeNode& level) {
    auto parsed = parse_key_template(level.text);
    PARTSIM_ASSERT(std::holds_alternative<KeyTemplate>(parsed), "the walk checked the template");
    levels.push_back(std::get<KeyTemplate>(std::move(parsed)));
  };
  if (node.is_list()) {
    std::for_each(node.items.begin(), node.items.end(), add);
  } else {
    add(node);
  }
  return levels;
}

std::optional<ServiceTimeSpec> bind_service(const TreeNode* node) {
  if (node == nullptr) {
    return std::nullopt;
  }
  const TreeNode* fixed = node->find("fixed");
  const TreeNode& mean = fixed != nullptr ? *fixed : member(*node, "exponential");
  ServiceTimeSpec service;
  service.law = fixed != nullptr ? ServiceTimeSpec::Law::fixed : ServiceTimeSpec::Law::exponential;
  service.mean = parse_service_duration(mean.text).value.value_or(ServiceDuration{});
  return service;
}

ContainerSpec bind_container(const TreeNode& node) {
  ContainerSpec container;
  container.throughput.mru_per_s = signed_amount(node, "throughput", ValueKind::throughput);
  if (const TreeNode* partitions = node.find("partitions")) {
    container.throughput.partitions = small_amount(*partitions);
  }
  container.partition_key = bind_key(member(node, "partition_key"));
  container.hash = word_of<HashVersion>(member(node, "hash"), hash_words());
  if (container.partition_key.size() > 1) {
    container.hash = HashVersion::multihash;
  }
  container.consistency = word_of<Consistency>(member(node, "consistency"), consistency_words());
  const TreeNode& items = member(node, "items");
  container.item_size_bytes = signed_amount(items, "size", ValueKind::size);
  container.indexed_terms = small_amount(member(items, "indexed_terms"));
  for (const Entry& entry : member(items, "fields").entries) {
    container.fields.push_back(bind_field(entry.key, entry.value));
  }
  sort_by_name(container.fields);
  if (const TreeNode* workers = node.find("workers")) {
    WorkersSpec spec;
    spec.count = small_amount(member(*workers, "count"));
    if (const TreeNode* limit = workers->find("queue_limit")) {
      spec.queue_limit = small_amount(*limit);
    }
    container.workers = spec;
  }
  container.service = bind_service(node.find("service"));
  return container;
}

// ---- clients -----------------------------------------------------------------------------------

OperationSpec bind_operation(const TreeNode& node) {
  static constexpr std::array<std::pair<std::string_view, OperationKind>, 3> kKinds{{
      {"create", OperationKind::create},
      {"read", OperationKind::read},
      {"query", OperationKind::query},
  }};
  OperationSpec operation;
  for (const auto& [name, kind] : kKinds) {
    if (node.find(name) != nullptr) {
      operation.kind = kind;
      operation.share_ppm = signed_amount(node, name, ValueKind::percent);
    }
  }
  if (const TreeNode* given = node.find("given")) {
    for (const TreeNode& item : given->items) {
      operation.given.push_back(item.text);
    }
    std::sort(operation.given.begin(), operation.given.end());
  }
  if (operation.kind == OperationKind::query) {
    operation.matches = small_amount(member(node, "matches"));
    operation.returned = small_amount(member(node, "returned"));
  }
  if (const TreeNode* charge = node.find("charge")) {
    operation.charge_mru = static_cast<MilliRu>(amount(*charge, ValueKind::ru));
  }
  return operation;
}

RetrySpec bind_retry(const TreeNode& node) {
  RetrySpec retry;
  if (node.is_scalar()) {
    if (node.text == "none") {
      retry.max_retries = 0;
    }
    return retry;
  }
  retry.max_retries = small_amount(member(node, "max_retries"));
  retry.max_wait_ns = signed_amount(node, "max_wait", ValueKind::duration);
  const TreeNode& jitter = member(node, "jitter");
  const auto value = static_cast<std::int64_t>(amount(jitter, ValueKind::jitter));
  (jitter.text.ends_with('%') ? retry.jitter_ppm : retry.jitter_ns) = value;
  return retry;
}

ClientSpec bind_client(const std::string& name, const TreeNode& node) {
  ClientSpec client;
  client.name = name;
  if (const TreeNode* count = node.find("at_once")) {
    client.arrivals =
        AtOnce{amount(*count, ValueKind::integer), signed_amount(node, "at", ValueKind::duration)};
  } else {
    client.arrivals =
        OpenLoop{parse_rate(member(node, "rate").text).value.value_or(Rate{}),
                 word_of<OpenLoop::Spacing>(member(node, "spacing"), spacing_words())};
  }
  for (const TreeNode& operation : member(node, "operations").items) {
    client.operations.push_back(bind_operation(operation));
  }
  client.retry = bind_retry(member(node, "retry"));
  return client;
}

// ---- parameters --------------------------------------------------------------------------------

ProviderParameters bind_parameters(const TreeNode& node) {
  const auto ru = [&](std::string_view key) {
    return signed_amount(node, key, ValueKind::ru_number);
  };
  const auto ms = [&](std::string_view key) {
    return signed_amount(node, key, ValueKind::ms_number);
  };
  const auto micro = [&](std::string_view key) {
    return signed_amount(node, key, ValueKind::decimal);
  };
  const auto whole = [&](std::string_view key) {
    return signed_amount(node, key, ValueKind::integer);
  };
  ProviderParameters p;
  p.partition_max_mru_per_s = ru("partition_max_ru_per_s");
  p.initial_partition_mru_manual = ru("initial_partition_ru_manual");
  p.min_mru_manual = ru("min_ru_manual");
  p.mru_step_manual = ru("ru_step_manual");
  p.item_max_bytes = whole("item_max_bytes");
  p.partition_key_max_bytes = whole("partition_key_max_bytes");
  p.index_mru_per_term = ru("index_ru_per_term");
  p.strong_read_multiplier_micro = micro("strong_read_multiplier");
  p.query_min_mru_per_partition = ru("query_min_ru_per_partition");
  p.query_mru_per_match = ru("query_ru_per_match");
  p.query_mru_per_returned_kb = ru("query_ru_per_returned_kb");
  p.throttle_window_ns = ms("throttle_window_ms");
  p.throttle_model = word_of<ThrottleModel>(member(node, "throttle_model"), throttle_model_words());
  p.retry_after_min_ns = ms("retry_after_min_ms");
  p.retry_after_step_ns = ms("retry_after_step_ms");
  p.throttled_request_charge_mru = ru("throttled_request_charge_ru");
  p.throttled_charge_counts = member(node, "throttled_charge_counts").text == "true";
  p.read_latency_p50_ns = ms("read_latency_p50_ms");
  p.read_latency_p99_ns = ms("read_latency_p99_ms");
  p.write_latency_p50_ns = ms("write_latency_p50_ms");
  p.write_latency_p99_ns = ms("write_latency_p99_ms");
  p.query_latency_ns_per_ru = ms("query_latency_ms_per_ru");
  p.throttle_response_ns = ms("throttle_response_ms");
  p.price_per_100ru_hour_micro = micro("price_per_100ru_hour");
  p.price_storage_gb_month_micro = micro("price_storage_gb_month");
  p.hours_per_month = whole("hours_per_month");
  return p;
}

}  // namespace

Scenario bind_scenario(const TreeNode& fragment) {
  Scenario scenario;
  scenario.seed = amount(member(fragment, "seed"), ValueKind::integer);
  scenario.start_unix_s = parse_utc(member(fragment, "start").text).value.value_or(0);
  scenario.duration_ns = signed_amount(fragment, "duration", ValueKind::duration);
  scenario.warm_up_ns = signed_amount(fragment, "warm_up", ValueKind::duration);
  scenario.provider = word_of<Provider>(member(fragment, "provider"), provider_words());
  scenario.parameters = bind_parameters(member(fragment, "parameters"));
  scenario.containers.push_back(bind_container(member(fragment, "container")));
  for (const Entry& entry : member(fragment, "clients").entries) {
    scenario.clients.push_back(bind_client(entry.key, entry.value));
  }
  sort_by_name(scenario.clients);
  return scenario;
}

}  // namespace partsim
