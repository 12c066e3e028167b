// Formats roofs, sensors and op times of a CUDA device.
#include "megascale/cli/device_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace megascale::cli {
namespace {

std::string_view name_of(kernels::cuda::GemmKind kind) {
  constexpr std::array<std::string_view, 3> kNames{"forward", "input_gradient", "weight_gradient"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_beside_dense(const study::DeviceOp& op) {
  return op.experts && op.experts->dense_seconds.has_value();
}
// Returns the speed of a grouped product relative to the dense one.
double of_dense(const study::DeviceOp& op) {
  return op.experts->dense_seconds->median / op.seconds.median;
}

}  // namespace

void RoofArguments::add_to(Command& command) {
  command
      .option("--gemm-sizes", sizes.gemm_sizes,
              "rows and columns of square products; the fastest is the roof (CUDA)")
      .separated_by_commas()
      .between(1, 1 << 15)
      .shows_default();
  command
      .option("--copy", sizes.copied_nbytes,
              "bytes of the copy whose rate is the roof of memory, such as 256m (CUDA)")
      .in_bytes()
      .between(1 << 10, std::int64_t{1} << 36)
      .shows_default();
}

void print(const study::DeviceRoofs& roofs) {
  const kernels::cuda::Roofs& measured = roofs.measured;
  fmt::print(
      "roofs: best GEMM {:.1f} TFLOP/s ({}, {} square, {}), {:.1f}% of the published {:.1f}; ",
      measured.gemm.flops * 1e-12, name_of(measured.gemm.config.kind), measured.gemm.config.rows,
      to_string(measured.gemm.config.dtype), 100 * measured.gemm.flops / roofs.published_flops,
      roofs.published_flops * 1e-12);
  if (measured.fp8_gemm.flops > 0) {
    fmt::print("with 8-bit operands {:.1f} TFLOP/s ({}, {} square); ",
               measured.fp8_gemm.flops * 1e-12, name_of(measured.fp8_gemm.config.kind),
               measured.fp8_gemm.config.rows);
  }
  fmt::print("copy {:.1f} GB/s (read and written, {:.0f} MiB)\n", measured.bytes_per_second * 1e-9,
             static_cast<double>(measured.copied_nbytes) / (1U << 20U));
}

nlohmann::ordered_json to_json(const study::DeviceRoofs& roofs) {
  const kernels::cuda::Roofs& measured = roofs.measured;
  nlohmann::ordered_json json{{"gemm_flops", measured.gemm.flops},
                              {"gemm_kind", name_of(measured.gemm.config.kind)},
                              {"gemm_size", measured.gemm.config.rows},
                              {"gemm_dtype", to_string(measured.gemm.config.dtype)},
                              {"published_flops", roofs.published_flops},
                              {"copy_bytes_per_second", measured.bytes_per_second},
                              {"copied_bytes", measured.copied_nbytes}};
  if (measured.fp8_gemm.flops > 0) json["fp8_gemm_flops"] = measured.fp8_gemm.flops;
  return json;
}

nlohmann::ordered_json to_json(const cuda::SensorSummary& sensors) {
  if (!sensors.why_not.empty()) return {{"why_not", sensors.why_not}};
  nlohmann::ordered_json json{{"readings", sensors.readings}};
  if (sensors.sm_mhz_max) json["sm_mhz_max"] = *sensors.sm_mhz_max;
  const auto put = [&](const char* name, const std::optional<cuda::SensorSummary::Range>& range) {
    if (range) json[name] = {{"median", range->median}, {"min", range->min}, {"max", range->max}};
  };
  put("sm_mhz", sensors.sm_mhz);
  put("memory_mhz", sensors.memory_mhz);
  put("watts", sensors.watts);
  put("celsius", sensors.celsius);
  if (sensors.limits) json["clock_limits"] = *sensors.limits;
  return json;
}

void print(const study::DeviceOps& timed) {
  print(timed.roofs);
  const bool has_dense = std::ranges::any_of(timed.ops, is_beside_dense);
  fmt::print("{:<64} {:>10} {:>9} {:>8} {:>8} {:>8} {:>8}{}\n", "op", "us", "TFLOP/s", "of best",
             "of peak", "GB/s", "of copy", has_dense ? "  of dense" : "");
  for (const study::DeviceOp& op : timed.ops) {
    fmt::print("{:<64} {:>10.1f} {:>9.1f} {:>7.1f}% {:>7.1f}% {:>8.1f} {:>7.1f}%", op.name,
               op.seconds.median * 1e6, op.rate() * 1e-12, 100 * op.rate() / op.best_flops,
               100 * op.rate() / timed.roofs.published_flops, op.bandwidth() * 1e-9,
               100 * op.bandwidth() / timed.roofs.measured.bytes_per_second);
    if (is_beside_dense(op)) fmt::print(" {:>8.1f}%", 100 * of_dense(op));
    fmt::print("\n");
  }
  fmt::print("{}\n", cuda::describe(timed.sensors));
}

nlohmann::ordered_json to_json(const study::DeviceOps& timed) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const study::DeviceOp& op : timed.ops) {
    rows.push_back(
        {{"op", op.name},
         {"seconds",
          {{"median", op.seconds.median}, {"min", op.seconds.min}, {"max", op.seconds.max}}},
         {"flops", op.flops},
         {"of_best_gemm", op.rate() / op.best_flops},
         {"of_peak", op.rate() / timed.roofs.published_flops},
         {"bytes", op.nbytes},
         {"of_copy", op.bandwidth() / timed.roofs.measured.bytes_per_second}});
    if (!op.experts) continue;
    auto& json = rows.back()["experts"];
    json = {{"rows_min", op.experts->rows_min}, {"rows_max", op.experts->rows_max}};
    if (!is_beside_dense(op)) continue;
    json["dense_seconds"] = op.experts->dense_seconds->median;
    json["of_dense"] = of_dense(op);
  }
  return {{"device", timed.device},
          {"peak_flops", timed.roofs.published_flops},
          {"roofs", to_json(timed.roofs)},
          {"sensors", to_json(timed.sensors)},
          {"ops", rows}};
}

}  // namespace megascale::cli
