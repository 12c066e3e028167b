#ifndef MEGASCALE_KERNELS_CUDA_ROOFS_H_
#define MEGASCALE_KERNELS_CUDA_ROOFS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/gemm.h"

// Measures the peak rates of a device: the roofs that the rates of kernels are printed beside. The
// figures depend on the clocks of the device; other work on the device lowers them.
namespace megascale::kernels::cuda {

struct RoofSizes {
  std::uint64_t copied_nbytes = std::uint64_t{1} << 30U;  // bytes of one copy
  std::vector<std::size_t> gemm_sizes{4096, 8192};        // rows = in = out
  int repetitions = 10;                                   // timed runs of each measurement
};

struct Roofs {
  // Rate of a copy within the device's memory, from the median time. Bytes read and bytes written
  // are both counted.
  double bytes_per_second = 0;
  std::uint64_t copied_nbytes = 0;  // bytes of the copy: RoofSizes', or a quarter of free memory
  // The fastest square product by gemm.h: its FLOP/s, from the median time, and its configuration.
  struct Product {
    double flops = 0;
    GemmConfig config;
  };
  Product gemm;
  Product fp8_gemm;  // with 8-bit operands; rounding them is not timed. 0 FLOP/s if not measured
};

// The properties of a step's products on which their roof depends.
struct RoofProducts {
  DType dtype = DType::float32;
  bool fp8 = false;                // some products have 8-bit operands; also measures fp8_gemm
  GemmChoices* choices = nullptr;  // the choices of the step's products, or null
};
// Measures the roofs of the calling thread's device. Products of all kinds and sizes are measured,
// with normally distributed operands. Allocates the two buffers of the copy, then the operands of
// the largest product. Throws Error(out_of_memory), or like Gemm.
[[nodiscard]] Roofs measure_roofs(const RoofProducts& products, const RoofSizes& sizes = {});

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROOFS_H_
