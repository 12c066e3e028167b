#ifndef MEGASCALE_KERNELS_CUDA_ROOFS_H_
#define MEGASCALE_KERNELS_CUDA_ROOFS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/gemm.h"

// What a device can do at most, measured: the roofs that rates of its kernels are printed beside.
// Other work on the device lowers the figures, and its clocks move them.
namespace megascale::kernels::cuda {

struct RoofSizes {
  std::uint64_t copied_nbytes = std::uint64_t{1} << 30U;
  std::vector<std::size_t> gemm_sizes{4096, 8192};  // rows = in = out
  int repetitions = 10;
};

struct Roofs {
  // Of a copy within the device's memory, read and written bytes counted, by the median time.
  double bytes_per_second = 0;
  std::uint64_t copied_nbytes = 0;  // what was asked, or what fits
  // FLOP/s of the fastest square product by gemm.h, by the median time, and which one it was.
  struct Product {
    double flops = 0;
    GemmConfig config;
  };
  Product gemm;
  Product fp8_gemm;  // of 8-bit operands that are rounded already; 0 where it was not asked for
};

// Products of a step, as far as their roof depends on it.
struct RoofProducts {
  DType dtype = DType::float32;
  bool fp8 = false;                // some have 8-bit operands
  GemmChoices* choices = nullptr;  // those that the step's products take, if any
};
// On the calling thread's device, products of all kinds and sizes, over normal values. Takes memory
// for twice the copy, or for five operands of the largest product. Throws Error: out_of_memory, or
// like Gemm.
[[nodiscard]] Roofs measure_roofs(const RoofProducts& products, const RoofSizes& sizes = {});

// Normal values of the dtype all over memory of the device: products of zeros are faster than those
// of numbers. Throws Error.
void fill_with_numbers(std::span<std::byte> device_memory, DType dtype);

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROOFS_H_
