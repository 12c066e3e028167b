// Prints the calibrated cluster, and how well it predicts the steps it was fitted to.
#include "megascale/cli/calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "megascale/study/forecast/simulated_step.h"

namespace megascale::cli {
namespace {

void print_rates(std::string_view title, const simulate::RatesByKind& rates) {
  fmt::print("\n{:<28} {:>7} {:>10} {:>10} {:>10} {:>10}\n", title, "points", "from", "to",
             "slowest", "fastest");
  for (const auto& [kind, curve] : rates) {
    const auto [slowest, fastest] =
        std::minmax_element(curve.points.begin(), curve.points.end(),
                            [](const auto& a, const auto& b) { return a.value < b.value; });
    fmt::print("{:<28} {:>7} {:>10.3g} {:>10.3g} {:>10.2f} {:>10.2f}\n", kind, curve.points.size(),
               curve.points.front().size, curve.points.back().size, slowest->value, fastest->value);
  }
}

}  // namespace

void print_calibrated(const simulate::Cluster& cluster, nlohmann::ordered_json& json) {
  const simulate::Cluster::Device& device = cluster.device;
  const simulate::Cluster::Host& host = cluster.host;
  fmt::print(
      "a rank     {} threads, {:.1f} GFLOP/s float32 FMA peak, {:.1f} GB/s, launch {:.2f} us\n",
      cluster.kernels.threads, 1e3 * device.float32_tflops, device.memory_gb_per_s,
      device.launch_us);
  const double all = host.speed.at(host.processors), crowded = host.speed.points.back().value;
  fmt::print(
      "host       {:g} processors, speed {:.3f} with all at work, {:.3f} with {:g} ranks\n"
      "slices     {:.0f} us; a slice that a wait ends early loses {:.3f} of a full one's loss\n",
      host.processors, all, crowded, host.speed.points.back().size, host.slice_us, host.wait_share);
  fmt::print("jitter     {:.3f} of a task's time\n", host.jitter);
  fmt::print("transfers  base {:.1f} us, at most {:.2f} GB/s read and written\n",
             cluster.transfers.base_us, cluster.node.gb_per_s);
  fmt::print("operands   FLOPs that a byte counts as:");
  for (const auto& [kind, flops] : cluster.kernels.flops_per_byte)
    fmt::print(" {} {:g}", kind, flops);
  fmt::print("\n");
  json["processors"] = host.processors;
  json["speed_with_all_at_work"] = all;
  json["speed_crowded"] = crowded;
  json["slice_us"] = host.slice_us;
  json["wait_share"] = host.wait_share;
  json["jitter"] = host.jitter;
  json["launch_us"] = device.launch_us;
  json["transfer_base_us"] = cluster.transfers.base_us;
  json["flops_per_byte"] = cluster.kernels.flops_per_byte;
  print_rates("GFLOP/s by FLOPs", cluster.kernels.gflop_per_s);
  print_rates("GB/s by bytes", cluster.kernels.gb_per_s);
  print_rates("transfers, GB/s by bytes", cluster.transfers.gb_per_s);
}

void print_residuals(const simulate::Cluster& cluster,
                     std::span<const study::MeasuredCase> measured_cases,
                     nlohmann::ordered_json& json) {
  fmt::print("\n{:<40} {:>10} {:>10} {:>8} {:>10} {:>8} {:>9}\n", "measured case", "measured s",
             "predicted s", "error", "of compute", "waits", "predicted");
  double sum = 0, worst = 0;
  for (const study::MeasuredCase& one : measured_cases) {
    const observe::StepTimes measured = one.times();
    const study::SimulatedStep step = study::StepSimulator(one.of().config, cluster).run();
    double compute = 0;
    for (const study::SimulatedRanks& ranks : step.ranks)
      compute += ranks.busy_seconds / static_cast<double>(step.ranks.size());
    const double error = step.seconds / measured.step - 1;
    sum += std::abs(error);
    worst = std::max(worst, std::abs(error));
    fmt::print("{:<40} {:>10.5f} {:>10.5f} {:>+7.1f}% {:>+9.1f}% {:>7.1f}% {:>8.1f}%\n",
               one.of().name, measured.step, step.seconds, 100 * error,
               100 * (compute / measured.compute - 1), 100 * measured.waits_share(),
               100 * step.waits_share());
    json["cases"].push_back({{"name", one.of().name},
                             {"measured", measured.step},
                             {"predicted", step.seconds},
                             {"error", error},
                             {"compute_error", compute / measured.compute - 1},
                             {"waits", measured.waits_share()},
                             {"predicted_waits", step.waits_share()}});
  }
  const double mean = sum / static_cast<double>(measured_cases.size());
  fmt::print("mean of |error| {:.1f} %, worst {:.1f} %\n", 100 * mean, 100 * worst);
  json["mean_error"] = mean;
  json["worst_error"] = worst;
}

}  // namespace megascale::cli
