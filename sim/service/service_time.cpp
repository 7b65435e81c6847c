#include "partsim/service/service_time.hpp"

namespace partsim {

ServiceTime::ServiceTime(const ContainerSpec& container, const ProviderParameters& parameters) {
  if (container.service) {
    law_ = container.service->law == ServiceTimeSpec::Law::fixed ? Law::fixed : Law::exponential;
    per_ru_ = container.service->mean.per_ru;
    fixed_ns_ = container.service->mean.mean_ns;
    mean_ns_ = static_cast<double>(fixed_ns_);
    return;
  }
  query_ns_per_ru_ = parameters.query_latency_ns_per_ru;
  read_ = LogNormal(static_cast<double>(parameters.read_latency_p50_ns),
                    static_cast<double>(parameters.read_latency_p99_ns));
  write_ = LogNormal(static_cast<double>(parameters.write_latency_p50_ns),
                     static_cast<double>(parameters.write_latency_p99_ns));
}

}  // namespace partsim
