#include "matplot_backend.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <matplot/matplot.h>

#include "partsim/metrics/derived.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

/// Matplot++ writes its texts into a gnuplot script between double quotes, where gnuplot runs what
/// stands in backticks. So only characters that mean nothing there get through.
std::string harmless(std::string_view text) {
  std::string label;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool other = (c >= '0' && c <= '9') || std::string_view(" .,:()+-").find(c) < 8;
    label += letter || other ? c : ' ';
  }
  return label;
}

bool is_harmless_path(const std::string& path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return c == '/' || c == '_' || (c != ' ' && harmless(std::string_view(&c, 1))[0] == c);
  });
}

matplot::figure_handle new_figure(const StudyResult& study, std::string_view explanation) {
  matplot::figure_handle figure = matplot::figure(true);
  figure->size(1000, 600);
  figure->current_axes()->title(harmless(study.title.empty() ? study.name : study.title) + ": " +
                                std::string(explanation));
  return figure;
}

/// The hottest partition of each variant; matrices of several variants do not fit in one axes.
matplot::figure_handle draw_utilization(const StudyResult& study) {
  matplot::figure_handle figure = new_figure(study, "the hottest partition's use of its RU/s");
  auto axes = figure->current_axes();
  axes->hold(true);
  std::vector<std::string> names;
  double highest = 0;
  for (const VariantResult& result : study.runs) {
    const std::optional<std::size_t> hottest = hottest_partition(result.run);
    if (!hottest) {
      continue;
    }
    highest = std::max(highest, peak_utilization(result.run.partitions[*hottest]) * 100);
    const UtilizationMatrix used = utilization_by_interval(result.run);
    std::vector<double> seconds;
    std::vector<double> percent;
    for (Eigen::Index row = 0; row < used.rows(); ++row) {
      if (std::isnan(used(row, static_cast<Eigen::Index>(*hottest)))) {
        continue;  // a split had not made it yet
      }
      seconds.push_back(static_cast<double>(row * result.run.series.interval_s));
      percent.push_back(used(row, static_cast<Eigen::Index>(*hottest)) * 100);
    }
    axes->plot(seconds, percent);
    names.push_back(harmless(result.variant));
  }
  axes->xlabel("simulated time in s");
  axes->ylabel("used, percent of the share");
  axes->ylim({0, std::max(105.0, highest * 1.05)});
  axes->legend(names);
  return figure;
}

matplot::figure_handle draw_latency(const StudyResult& study) {
  matplot::figure_handle figure = new_figure(study, "latency of succeeded operations");
  auto axes = figure->current_axes();
  axes->hold(true);
  std::vector<std::string> names;
  for (const VariantResult& result : study.runs) {
    const Histogram latency_ns = result.run.total().latency_ns;
    if (latency_ns.count() == 0) {
      continue;
    }
    std::vector<double> percentiles;
    std::vector<double> milliseconds;
    constexpr std::uint32_t kStep = 1'000;  // ppm
    for (std::uint32_t ppm = 0; ppm < 1'000'000; ppm += kStep) {
      percentiles.push_back(ppm / 10'000.0);
      milliseconds.push_back(std::max(latency_ms_at(latency_ns, ppm), 1e-6));
    }
    axes->semilogy(percentiles, milliseconds);
    names.push_back(harmless(result.variant));
  }
  axes->xlabel("percentile of operations");
  axes->ylabel("latency in ms");
  axes->legend(names);
  return figure;
}

matplot::figure_handle draw_variants(const StudyResult& study) {
  matplot::figure_handle figure = new_figure(study, "throttled attempts, percent");
  auto axes = figure->current_axes();
  std::vector<double> throttled;
  std::vector<double> places;
  std::vector<std::string> names;
  for (const VariantResult& result : study.runs) {
    throttled.push_back(result.run.throttled_share() * 100);
    names.push_back(harmless(result.variant));
    places.push_back(static_cast<double>(places.size() + 1));
  }
  axes->bar(places, throttled);
  axes->xticks(places);
  axes->xticklabels(names);
  axes->ylim({0, 100});
  return figure;
}

}  // namespace

bool has_matplot() noexcept {
  return true;
}

ChartOutcome draw_with_matplot(const StudyResult& study, const std::string& folder) {
  // Its own folder: the path is part of the script too, and the target's may hold any character.
  std::string pattern = (fs::temp_directory_path() / "partsim-XXXXXX").string();
  if (!is_harmless_path(pattern) || mkdtemp(pattern.data()) == nullptr) {
    return {{}, "no charts: no usable temporary folder"};
  }
  const fs::path work = pattern;
  ChartOutcome outcome;
  const auto save = [&](const matplot::figure_handle& figure, const std::string& name) {
    std::error_code error;
    const bool sent = figure->save((work / name).string());
    figure->backend(nullptr);  // waits for its gnuplot, which has only been sent the commands
    if (sent && fs::file_size(work / name, error) > 0 && !error &&
        fs::copy_file(work / name, fs::path(folder) / name, error)) {
      outcome.files.push_back(name);
    } else {
      outcome.warning += (outcome.warning.empty() ? "" : "; ") + name + " was not drawn";
    }
  };
  save(draw_utilization(study), "utilization.svg");
  save(draw_latency(study), "latency.svg");
  save(draw_variants(study), "variants.svg");
  std::error_code ignored;
  fs::remove_all(work, ignored);
  return outcome;
}

}  // namespace partsim
