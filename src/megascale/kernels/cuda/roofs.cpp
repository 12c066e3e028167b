// Measures the roofs with Stopwatch: the median time of a large copy gives the memory bandwidth,
// the fastest of some square products by Gemm the peak of products.
#include "megascale/kernels/cuda/roofs.h"

#include <algorithm>

#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stopwatch.h"
#include "megascale/kernels/cuda/quantise.h"
#include "megascale/kernels/cuda/random_operands.h"

namespace megascale::kernels::cuda {
namespace {

using megascale::cuda::DeviceMemory;
using megascale::cuda::Stopwatch;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure_copy(const RoofSizes& sizes, const Stopwatch& stopwatch, Roofs& roofs) {
  // The two buffers take at most half of the free memory.
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

// A square matrix in device memory, rounded to 8 bits by the kernel that a step uses.
class Rounded {
 public:
  Rounded(std::span<const std::byte> x, std::size_t size, Float8 format)
      : values_(size * size),
        scale_(sizeof(QuantisedScale)),
        scratch_(quantise_parts(1) * sizeof(float)) {
    const megascale::cuda::Stream stream;
    quantise({.rows = size,
              .columns = size,
              .format = format,
              .x = x.data(),
              .out = values_.bytes().data(),
              .scale = reinterpret_cast<QuantisedScale*>(scale_.bytes().data()),
              .scratch = reinterpret_cast<float*>(scratch_.bytes().data())},
             stream.get());
    if (auto error = megascale::cuda::take_error()) throw Error(*error);
    stream.synchronize();
  }
  [[nodiscard]] const std::byte* values() const noexcept { return values_.bytes().data(); }
  [[nodiscard]] const float* inverse() const noexcept {
    return &reinterpret_cast<const QuantisedScale*>(scale_.bytes().data())->inverse;
  }

 private:
  DeviceMemory values_, scale_, scratch_;
};

// Measures square products. All use the same operands; smaller products use a part of them.
class SquareProducts {
 public:
  SquareProducts(const RoofProducts& products, const RoofSizes& sizes, const Stopwatch& stopwatch)
      : products_(products),
        sizes_(&sizes),
        stopwatch_(&stopwatch),
        largest_(*std::max_element(sizes.gemm_sizes.begin(), sizes.gemm_sizes.end())),
        left_(largest_ * largest_ * itemsize(products.dtype)),
        right_(left_.bytes().size()),
        result_(largest_ * largest_ * sizeof(float)),
        workspace_(kGemmWorkspaceNbytes) {
    fill_with_numbers(left_.bytes(), products.dtype);
    fill_with_numbers(right_.bytes(), products.dtype);
  }

  [[nodiscard]] Roofs::Product fastest() const {
    return fastest_of([&](GemmKind) {
      return GemmOperands{.left = left_.bytes().data(), .right = right_.bytes().data()};
    });
  }
  [[nodiscard]] Roofs::Product fastest_fp8() const {
    const Rounded values(left_.bytes(), largest_, Float8::e4m3),
        gradients(left_.bytes(), largest_, Float8::e5m2),
        right(right_.bytes(), largest_, Float8::e4m3);
    return fastest_of(
        [&](GemmKind kind) {
          const Rounded& left = kind == GemmKind::forward ? values : gradients;
          return GemmOperands{.left = left.values(),
                              .right = right.values(),
                              .left_inverse = left.inverse(),
                              .right_inverse = right.inverse()};
        },
        true);
  }

 private:
  template <class OperandsOf>
  [[nodiscard]] Roofs::Product fastest_of(const OperandsOf& operands_of, bool fp8 = false) const {
    Roofs::Product fastest;
    for (const std::size_t size : sizes_->gemm_sizes) {
      for (const GemmKind kind :
           {GemmKind::forward, GemmKind::input_gradient, GemmKind::weight_gradient}) {
        const GemmConfig config{.kind = kind,
                                .rows = size,
                                .in = size,
                                .out = size,
                                .dtype = products_.dtype,
                                .fp8 = fp8};
        GemmOperands operands = operands_of(kind);
        operands.result = result_.bytes().data();
        operands.workspace = workspace_.bytes().data();
        const Gemm gemm(config, products_.choices);
        const double seconds = median(stopwatch_->seconds_of(
            [&](CUstream_st* stream) { return gemm.run(operands, stream); }, sizes_->repetitions));
        const auto n = static_cast<double>(size);
        const double flops = 2 * n * n * n / seconds;
        if (flops > fastest.flops) fastest = {flops, config};
      }
    }
    return fastest;
  }

  RoofProducts products_;
  const RoofSizes* sizes_;
  const Stopwatch* stopwatch_;
  std::size_t largest_;
  DeviceMemory left_, right_, result_, workspace_;
};

}  // namespace

Roofs measure_roofs(const RoofProducts& products, const RoofSizes& sizes) {
  Roofs roofs;
  const Stopwatch stopwatch(std::min(sizes.copied_nbytes, Stopwatch::kCopied));
  measure_copy(sizes, stopwatch, roofs);
  const SquareProducts squares(products, sizes, stopwatch);
  roofs.gemm = squares.fastest();
  if (products.fp8) roofs.fp8_gemm = squares.fastest_fp8();
  return roofs;
}

}  // namespace megascale::kernels::cuda
