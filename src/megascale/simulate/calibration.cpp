// Fits rates to measured tasks. Samples are grouped in bins of half an octave of work, and a bin's
// rate is total work over total time: rare slow tasks count with their full time, as they do in a
// step. For transfers the latency is estimated first, from small ones, and subtracted.
#include "megascale/simulate/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace megascale::simulate {
namespace {

constexpr double kBinsPerOctave = 2;
// Bytes up to which a transfer is pure latency: copying 4 KiB takes well under a microsecond.
constexpr double kFewBytes = 4096;
// A transfer must take longer than the base by this share of it. Otherwise the difference is mostly
// noise and says nothing about the rate.
constexpr double kLeastOverBase = 0.2;

// Candidates for flops_per_byte. A core multiplies at 1 to 500 GFLOP/s and packs at 2 to 20 GB/s.
constexpr std::array kFlopsPerByte{0.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 120.0};

// Sums over the tasks of a bin.
struct Bin {
  double tasks = 0, work = 0, seconds = 0;
};

Curve curve_of(const std::map<int, Bin>& bins) {
  Curve curve;
  for (const auto& [number, bin] : bins)
    curve.points.push_back({bin.work / bin.tasks, 1e-9 * bin.work / bin.seconds});
  return curve;
}

// Returns the median time of transfers of at most kFewBytes; infinite if there are none.
double median_seconds_of_few_bytes(std::span<const WorkSample> samples) {
  std::vector<std::pair<double, double>> few;  // seconds, tasks
  double tasks = 0;
  for (const WorkSample& sample : samples) {
    if (sample.work > kFewBytes) continue;
    few.emplace_back(sample.seconds, sample.tasks);
    tasks += sample.tasks;
  }
  std::sort(few.begin(), few.end());
  double before = 0;
  for (const auto& [seconds, count] : few) {
    before += count;
    if (2 * before >= tasks) return seconds;
  }
  return std::numeric_limits<double>::infinity();
}

// A transfer never takes longer than a larger one. If a few small ones did, their threads waited
// for a core. Raises the rates of smaller sizes accordingly.
void raise_to_larger(Curve& gb_per_s) {
  for (std::size_t i = gb_per_s.points.size(); i-- > 1;) {
    const auto& larger = gb_per_s.points[i];
    auto& smaller = gb_per_s.points[i - 1];
    smaller.value = std::max(smaller.value, larger.value * smaller.size / larger.size);
  }
}

// Returns the samples that are large and long enough to tell a rate, with `base` subtracted.
std::vector<WorkSample> above_base(std::span<const WorkSample> samples, double base) {
  std::vector<WorkSample> above;
  for (const WorkSample& sample : samples) {
    if (sample.work <= kFewBytes || sample.seconds < (1 + kLeastOverBase) * base) continue;
    above.push_back(sample);
    above.back().seconds -= base;
  }
  return above;
}

}  // namespace

RatesByKind fit_rates(std::span<const WorkSample> samples) {
  std::map<std::string, std::map<int, Bin>> bins;
  for (const WorkSample& sample : samples) {
    if (!(sample.work > 0 && sample.seconds > 0 && sample.tasks > 0)) continue;
    Bin& bin =
        bins[sample.kind][static_cast<int>(std::floor(kBinsPerOctave * std::log2(sample.work)))];
    bin.tasks += sample.tasks;
    bin.work += sample.tasks * sample.work;
    bin.seconds += sample.tasks * sample.seconds;
  }
  RatesByKind rates;
  for (const auto& [kind, of_kind] : bins) rates[kind] = curve_of(of_kind);
  return rates;
}

Cluster::Kernels fit_kernels(std::span<const WorkSample> by_flops,
                             std::span<const WorkSample> by_bytes) {
  Cluster::Kernels kernels{.gb_per_s = fit_rates(by_bytes)};
  std::map<std::string, std::vector<WorkSample>> by_kind;
  for (const WorkSample& sample : by_flops) by_kind[sample.kind].push_back(sample);
  for (const auto& [kind, of_kind] : by_kind) {
    double least = std::numeric_limits<double>::infinity();
    for (const double flops_per_byte : kFlopsPerByte) {
      std::vector<WorkSample> samples = of_kind;
      for (WorkSample& sample : samples) sample.work += flops_per_byte * sample.nbytes;
      const RatesByKind rates = fit_rates(samples);
      if (rates.empty()) break;
      const Curve& curve = rates.begin()->second;
      double missed = 0;
      for (const WorkSample& sample : samples) {
        if (sample.work > 0)
          missed +=
              sample.tasks * std::abs(sample.work / (1e9 * curve.at(sample.work)) - sample.seconds);
      }
      if (missed >= least) continue;
      least = missed;
      kernels.flops_per_byte[kind] = flops_per_byte;
      kernels.gflop_per_s[kind] = curve;
    }
  }
  return kernels;
}

Cluster::Transfers fit_transfers(std::span<const WorkSample> samples) {
  if (samples.empty()) return {};
  double shortest = std::numeric_limits<double>::infinity();
  for (const WorkSample& sample : samples) shortest = std::min(shortest, sample.seconds);
  double base = 0;
  std::vector<WorkSample> above;
  // On a busy machine, small transfers may have waited for a core longer than large ones took. Then
  // no sample is above the first candidate.
  for (const double candidate : {median_seconds_of_few_bytes(samples), shortest, 0.0}) {
    base = candidate;
    above = above_base(samples, base);
    if (!above.empty()) break;
  }
  Cluster::Transfers transfers{.base_us = 1e6 * base, .gb_per_s = fit_rates(above)};
  for (WorkSample& sample : above) sample.kind = "all";
  RatesByKind together = fit_rates(above);
  for (RatesByKind* rates : {&transfers.gb_per_s, &together})
    for (auto& [kind, curve] : *rates) raise_to_larger(curve);
  for (const WorkSample& sample : samples) {
    if (!together.empty()) transfers.gb_per_s.try_emplace(sample.kind, together.begin()->second);
  }
  return transfers;
}

}  // namespace megascale::simulate
