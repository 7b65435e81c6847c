// When operations fall due: section 2 of docs/MODEL.md, section 1 of docs/WORKLOAD.md.
#include <algorithm>
#include <cmath>

#include "support/naive_parts.hpp"

namespace partsim::naive {
namespace {

double per_nanosecond(const Rate& rate) {
  return double(rate.count_micro) / (1e6 * double(rate.per_ns));
}

/// The rate without spikes, pauses and days, in the segment that begins there.
std::function<double(Nanoseconds)> base_rate(const OpenLoop& loop, Nanoseconds begin_ns) {
  double rate = per_nanosecond(loop.rate);
  std::function<double(Nanoseconds)> base = [rate](Nanoseconds) { return rate; };
  for (const RateChange& change : loop.changes) {
    const double to = per_nanosecond(change.rate);
    if (begin_ns >= change.at_ns + change.over_ns) {
      base = [to](Nanoseconds) { return to; };
    } else if (begin_ns >= change.at_ns) {
      base = [change, from = rate, to](Nanoseconds t) {
        return from + (to - from) * (double(t - change.at_ns) / double(change.over_ns));
      };
    }
    rate = to;
  }
  return base;
}

std::int64_t day_ppm(const std::array<std::int64_t, 24>& hours, std::int64_t unix_s) {
  const auto h = std::size_t(unix_s / 3'600 % 24);
  const std::int64_t m = unix_s / 60 % 60;
  return (hours.at(h) * (60 - m) + hours.at((h + 1) % 24) * m) / 60;
}

/// Operations from t to `until`, in one segment.
double mass(const Segment& segment, Nanoseconds t, Nanoseconds until) {
  return (segment.rate(t) + segment.rate(until)) / 2 * double(until - t);
}

/// Where the segment has gathered x since t; x is less than it holds.
Nanoseconds reach(const Segment& segment, Nanoseconds t, double x) {
  const double r0 = segment.rate(segment.begin_ns);
  const double r1 = segment.rate(segment.end_ns);
  const double r = segment.rate(t);
  const double s = (r1 - r0) / double(segment.end_ns - segment.begin_ns);
  const double gap = r0 == r1 ? x / r : (std::sqrt(r * r + 2 * s * x) - r) / s;
  return std::min(t + Nanoseconds(gap), segment.end_ns);
}

}  // namespace

std::vector<Nanoseconds> Model::rate_cuts(const OpenLoop& loop) const {
  const Nanoseconds end = scenario.duration_ns;
  std::set<Nanoseconds> cuts = {0, kNever};
  for (const RateChange& change : loop.changes) {
    cuts.insert({change.at_ns, change.at_ns + change.over_ns});
  }
  for (const RateSpike& spike : loop.spikes) {
    cuts.insert({spike.at_ns, spike.at_ns + spike.for_ns});
  }
  if (loop.on_off) {
    for (Nanoseconds t = 0; t < end; t += loop.on_off->on_ns + loop.on_off->off_ns) {
      cuts.insert({t, t + loop.on_off->on_ns});
    }
  }
  if (loop.hour_ppm) {
    const Nanoseconds first = kMinute - scenario.start_unix_s % 60 * kSecond;
    for (Nanoseconds t = first; t < end + kMinute; t += kMinute) {
      cuts.insert(t);
    }
  }
  return {cuts.begin(), cuts.end()};
}

std::vector<Segment> Model::segments(const OpenLoop& loop) const {
  std::vector<Segment> found;
  const std::vector<Nanoseconds> cuts = rate_cuts(loop);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Nanoseconds begin = cuts[i];
    double spike = 1.0;
    for (const RateSpike& each : loop.spikes) {
      const bool lasts = begin >= each.at_ns && begin < each.at_ns + each.for_ns;
      spike = lasts ? double(each.times_micro) / 1e6 : spike;
    }
    const bool on =
        !loop.on_off || begin % (loop.on_off->on_ns + loop.on_off->off_ns) < loop.on_off->on_ns;
    const double day =
        loop.hour_ppm
            ? double(day_ppm(*loop.hour_ppm, scenario.start_unix_s + begin / kSecond)) / 1e6
            : 1.0;
    found.push_back(
        {begin, cuts[i + 1], [base = base_rate(loop, begin), spike, on, day](Nanoseconds t) {
           return on ? base(t) * spike * day : 0.0;
         }});
  }
  return found;
}

/// Every operation from the time of the one before: where the rate has gathered x.
void Model::begin_at_rates(const ClientSpec& client, const OpenLoop& loop) {
  const bool evenly = loop.spacing == OpenLoop::Spacing::evenly;
  Operation op{&client, &scenario.containers[client.container]};
  Nanoseconds t = 0;
  double x = evenly ? 0 : exponential(draw(op, "arrivals"));
  for (const Segment& segment : segments(loop)) {
    while (x < mass(segment, t, segment.end_ns)) {
      const Nanoseconds found = reach(segment, t, x);
      if (found >= scenario.duration_ns) {
        return;
      }
      fall_due(client, op.number, found);
      ++op.number;
      x = evenly ? 1 + std::max(0.0, x - mass(segment, t, found))
                 : exponential(draw(op, "arrivals"));
      t = found;
    }
    x -= mass(segment, t, segment.end_ns);
    t = segment.end_ns;
  }
}

void Model::begin_open(const ClientSpec& client) {
  if (const auto* batch = std::get_if<AtOnce>(&client.arrivals)) {
    const Rate pace = batch->pace.value_or(Rate{1, 0});
    for (Number number = 0; number < batch->count; ++number) {
      const Wide later = Wide(number) * pace.per_ns * kMillion / pace.count_micro;
      fall_due(client, number, Nanoseconds(std::min<Wide>(batch->at_ns + later, kNever)));
    }
    return;
  }
  const auto& loop = std::get<OpenLoop>(client.arrivals);
  if (!loop.changes.empty() || !loop.spikes.empty() || loop.on_off || loop.hour_ppm) {
    return begin_at_rates(client, loop);
  }
  const Rate rate = loop.rate;
  Operation op{&client, &scenario.containers[client.container]};
  for (Nanoseconds t = 0; rate.count_micro > 0 && t < scenario.duration_ns; ++op.number) {
    if (loop.spacing == OpenLoop::Spacing::evenly) {
      t = Nanoseconds(Wide(op.number) * rate.per_ns * kMillion / rate.count_micro);
    } else {
      const double mean_gap = double(rate.per_ns) * 1e6 / double(rate.count_micro);
      t += Nanoseconds(exponential(draw(op, "arrivals")) * mean_gap);
    }
    fall_due(client, op.number, t);
  }
}

}  // namespace partsim::naive
