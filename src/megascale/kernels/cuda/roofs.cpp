#include "megascale/kernels/cuda/roofs.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "megascale/base/philox.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stopwatch.h"

namespace megascale::kernels::cuda {
namespace {

using megascale::cuda::DeviceMemory;
using megascale::cuda::Stopwatch;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure_copy(const RoofSizes& sizes, const Stopwatch& stopwatch, Roofs& roofs) {
  // Two of them, in at most half of what is free.
  roofs.copied_nbytes =
      std::min(sizes.copied_nbytes, megascale::cuda::memory_use().free_nbytes / 4 / 256 * 256);
  const DeviceMemory from(roofs.copied_nbytes), to(roofs.copied_nbytes);
  const double seconds = median(stopwatch.seconds_of(
      [&](CUstream_st* stream) -> const Error* {
        megascale::cuda::copy_async(to.bytes().data(), from.bytes(), stream);
        return nullptr;
      },
      sizes.repetitions));
  roofs.bytes_per_second = 2 * static_cast<double>(roofs.copied_nbytes) / seconds;
}

void measure_gemm(DType dtype, const RoofSizes& sizes, const Stopwatch& stopwatch,
                  GemmChoices* choices, Roofs& roofs) {
  const std::size_t largest = *std::max_element(sizes.gemm_sizes.begin(), sizes.gemm_sizes.end());
  const std::size_t count = largest * largest;
  const DeviceMemory left(count * itemsize(dtype)), right(count * itemsize(dtype)),
      result(count * sizeof(float)), workspace(kGemmWorkspaceNbytes);
  fill_with_numbers(left.bytes(), dtype);
  fill_with_numbers(right.bytes(), dtype);
  for (const std::size_t size : sizes.gemm_sizes) {
    for (const GemmKind kind :
         {GemmKind::forward, GemmKind::input_gradient, GemmKind::weight_gradient}) {
      const GemmConfig config{.kind = kind, .rows = size, .in = size, .out = size, .dtype = dtype};
      const Gemm gemm(config, choices);
      const double seconds = median(stopwatch.seconds_of(
          [&](CUstream_st* stream) {
            return gemm.run({.left = left.bytes().data(),
                             .right = right.bytes().data(),
                             .result = result.bytes().data(),
                             .workspace = workspace.bytes().data()},
                            stream);
          },
          sizes.repetitions));
      const double n = static_cast<double>(size), flops = 2 * n * n * n / seconds;
      if (flops <= roofs.gemm_flops) continue;
      roofs.gemm_flops = flops;
      roofs.gemm = config;
    }
  }
}

}  // namespace

Roofs measure_roofs(DType dtype, const RoofSizes& sizes, GemmChoices* choices) {
  Roofs roofs;
  const Stopwatch stopwatch(std::min(sizes.copied_nbytes, Stopwatch::kCopied));
  measure_copy(sizes, stopwatch, roofs);
  measure_gemm(dtype, sizes, stopwatch, choices, roofs);
  return roofs;
}

void fill_with_numbers(std::span<std::byte> device_memory, DType dtype) {
  constexpr std::size_t kRun = std::size_t{16} << 20U;
  std::vector<float> values(kRun / sizeof(float));
  PhiloxStream(1, "bench").fill_normal(values, 0, 0.0, 1.0);
  if (dtype == DType::bfloat16) {
    for (float& value : values) {  // two of them in each
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) >> 16U;
      value = std::bit_cast<float>(bits << 16U | bits);
    }
  }
  const auto bytes = std::as_bytes(std::span(values));
  for (std::size_t at = 0; at < device_memory.size(); at += kRun) {
    megascale::cuda::copy_to_device(device_memory.data() + at,
                                    bytes.first(std::min(kRun, device_memory.size() - at)));
  }
}

}  // namespace megascale::kernels::cuda
