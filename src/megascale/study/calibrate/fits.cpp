// The fits behind a calibrated cluster file: ratios of times, a bisection for jitter, and a
// least-squares line for wait_share. calibration.cpp measures and calls them in order.
#include "megascale/study/calibrate/fits.h"

#include <algorithm>

namespace megascale::study {
namespace {

constexpr double kMostJitter = 0.5;  // upper bound of the bisection; see fit_jitter()
constexpr int kJitterHalvings = 10;

}  // namespace

std::optional<double> fit_speed_together(const CalibrationSamples& together,
                                         const simulate::Cluster::Kernels& alone) {
  double alone_seconds = 0, together_seconds = 0;
  const auto add = [&](const std::vector<simulate::WorkSample>& all,
                       const simulate::RatesByKind& rates) {
    for (const simulate::WorkSample& sample : all) {
      const auto found = rates.find(sample.kind);
      const double work = alone.work_of(sample.kind, sample.work, sample.nbytes);
      if (found == rates.end() || work == 0) continue;
      alone_seconds += sample.tasks * work / (1e9 * found->second.at(work));
      together_seconds += sample.tasks * sample.seconds;
    }
  };
  add(together.by_flops, alone.gflop_per_s);
  add(together.by_bytes, alone.gb_per_s);
  if (together_seconds == 0) return std::nullopt;
  return std::min(1.0, alone_seconds / together_seconds);
}

double fit_jitter(double measured_share, const std::function<double(double)>& simulated_share) {
  double low = 0, high = kMostJitter;
  for (int i = 0; i < kJitterHalvings; ++i) {
    const double sigma = (low + high) / 2;
    (simulated_share(sigma) < measured_share ? low : high) = sigma;
  }
  return low;
}

std::vector<simulate::Curve::Point> fit_crowded_speed(
    const std::map<std::int64_t, StepPair>& steps_by_ranks, double full_speed) {
  std::vector<simulate::Curve::Point> points;
  for (const auto& [ranks, seconds] : steps_by_ranks) {
    points.push_back({static_cast<double>(ranks),
                      full_speed * std::min(1.0, seconds.simulated / seconds.measured)});
  }
  return points;
}

double fit_wait_share(std::span<const WaitShareSample> samples) {
  // x: what wait_share = 1 adds to the simulated step; y: what the measured step is longer by.
  std::vector<Point> points;
  for (const WaitShareSample& one : samples)
    points.push_back({one.if_whole - one.if_free, one.measured - one.if_free});
  return std::max(0.0, proportion(points));
}

void set_channels(simulate::Cluster& cluster) {
  double fastest = 0;
  for (const auto& [kind, curve] : cluster.transfers.gb_per_s)
    for (const auto& point : curve.points) fastest = std::max(fastest, point.value);
  cluster.node = {.gb_per_s = fastest > 0 ? fastest : cluster.device.memory_gb_per_s,
                  .efficiency = {{{1, 1}}},
                  .protocols = {{.base_us = cluster.transfers.base_us}},
                  .processor_share = 0.9};
  cluster.network = cluster.node;
  cluster.spread_efficiency = {{{1, 1}}};
}

}  // namespace megascale::study
