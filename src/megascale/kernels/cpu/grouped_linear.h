#ifndef MEGASCALE_KERNELS_CPU_GROUPED_LINEAR_H_
#define MEGASCALE_KERNELS_CPU_GROUPED_LINEAR_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "megascale/kernels/cpu/gemm.h"

// The linear layers of experts: one matrix product per expert, whose number of rows is counted at
// run time. float32. L experts, R rows in all; the rows of expert e follow those of expert e - 1.
// Let X_e, Y_e be the rows of expert e.
//
//   kind             result for each expert e          left             right             result
//   forward          Y_e = X_e W_e^T                   x  [R, in]       W  [L, out, in]   y  [R, out]
//   input_gradient   dX_e = dY_e W_e                   dy [R, out]      W  [L, out, in]   dx [R, in]
//   weight_gradient  dW_e = dY_e^T X_e                 dy [R, out]      x  [R, in]        dW [L, out, in]
//
// With `accumulate` the kernel adds to the old content of the result; otherwise it overwrites the
// result. All tensors are row-major and packed. Rows are not copied into a padded form. An expert
// without rows costs nothing; its weight gradient is zero, or stays as it is with `accumulate`.
// Rows of the result behind the counted ones are not written.
//
// Cost     2 rows in out FLOPs. bench/grouped_bench.cpp prints the rate beside that of one dense
//          product with the same FLOPs.
// Error    that of gemm.h.
// Alias    the result overlaps nothing.
// Threads  as Gemm: run() uses an OpenMP team of config.threads threads, which the calling thread
//          must have been given. One thread at a time may use an object.
// Bits     of an expert's rows depend on its rows, its weights, the number of its rows, the threads
//          and the CPU: not on the other experts, their counts or the bound. Those of forward products
//          do not depend on the threads.
// Memory   as Gemm.
// Source   arXiv 2505.11432, 4 and 6.3 (GroupedGEMM).
namespace megascale::kernels::cpu {

struct GroupedLinearConfig {
  GemmKind kind = GemmKind::forward;
  std::size_t experts = 0;      // L
  std::size_t rows = 0;         // R: the most rows of a run
  std::size_t in = 0, out = 0;  // features
  bool accumulate = false;
  bool matrix_unit = true;  // the matrix unit may be used if there is one
  // Size of the OpenMP team that runs the product; 0: the team size of the thread that prepares it.
  std::size_t threads = 0;
};

// The addresses of one run; borrowed for the duration of run().
struct GroupedLinearOperands {
  const float* left = nullptr;
  const float* right = nullptr;
  float* result = nullptr;
  const std::int64_t* counts = nullptr;  // [L]: the rows of each expert, at most R in all
  std::byte* scratch = nullptr;          // grouped_linear_scratch_bytes(), aligned to 64 bytes
};

// Returns the bytes of scratch that run() needs, without building the kernel. Throws Error like
// GroupedLinear.
[[nodiscard]] std::size_t grouped_linear_scratch_bytes(const GroupedLinearConfig& config);

// Prepared products: built once, run many times.
class GroupedLinear {
 public:
  // Builds the primitives (milliseconds). Throws Error(bad_usage) if a size is zero, and
  // Error(unsupported) if oneDNN has only its slow reference implementation for a gradient.
  explicit GroupedLinear(const GroupedLinearConfig& config);
  ~GroupedLinear();
  GroupedLinear(GroupedLinear&&) noexcept;
  GroupedLinear& operator=(GroupedLinear&&) noexcept;

  [[nodiscard]] const GroupedLinearConfig& config() const noexcept { return config_; }
  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return scratch_bytes_; }
  // Computes the products. A call that breaks the contract above (a negative count, more rows than
  // the bound) aborts the process.
  void run(const GroupedLinearOperands& operands) const noexcept;

 private:
  struct Impl;
  GroupedLinearConfig config_;
  std::size_t scratch_bytes_ = 0;
  std::unique_ptr<Impl> impl_;
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_GROUPED_LINEAR_H_
