#ifndef MEGASCALE_KERNELS_CPU_GEMM_H_
#define MEGASCALE_KERNELS_CPU_GEMM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

// The three matrix products of a linear layer, float32: on the CPU's matrix unit where it has one
// (matrix_unit/product.h, decision 0013) and they are large enough for it, else on oneDNN's matmul.
//
//   kind             result                       left             right            result
//   forward          y  = x W^T (+ bias)          x  [rows, in]    W  [out, in]     y  [rows, out]
//   input_gradient   dx = dy W                    dy [rows, out]   W  [out, in]     dx [rows, in]
//   weight_gradient  dW = dy^T x                  dy [rows, out]   x  [rows, in]    dW [out, in]
//
// accumulate adds to what the result holds, inside the kernel; otherwise the result is written and
// may hold anything. All matrices are row-major with a row stride in floats, so any of them may be
// a column slice of a wider tensor. The bias gradient is column_sum of dy (column_sum.h).
//
// Cost     2 rows in out FLOPs. The figures of a machine: bench/dense_bench.cpp, beside the
// measured FMA peak. Error    per element at most (K + 2) u sum_k |left_k| |right_k|, K the length
// of the sum, u = 2^-24 (any order of adding). Alias    the result overlaps nothing; left and right
// may be the same bytes. Threads  run() uses an OpenMP team of config.threads threads, which the
// calling thread must have been given.
//          One thread at a time uses an object; threads that share a plan prepare one each.
// Bits     equal for equal rows, configuration, threads and CPU, always; dynamic_rows does not
//          change them. Other numbers of rows, or strides, or a split product may change the last
//          bits of a row.
// Range    of the matrix unit: values from 3.39e38 on count as infinite, tiny ones lose bits; what
//          is not finite stays so (matrix_unit/product.h).
// Memory   run() builds no primitive and our part of it allocates nothing. oneDNN allocates in
//          every execution: bookkeeping, and packing buffers, below 16 MiB at a time: the category
//          `outside` of a plan. What is packed for the matrix unit lies in scratch.
namespace megascale::kernels::cpu {

enum class GemmKind : std::uint8_t { forward, input_gradient, weight_gradient };

struct GemmConfig {
  GemmKind kind = GemmKind::forward;
  std::size_t rows = 0;         // tokens; with dynamic_rows the most that run() will be given
  std::size_t in = 0, out = 0;  // features
  std::size_t x_stride = 0;     // floats between rows of x or dx; 0: in
  std::size_t y_stride = 0;     // of y or dy; 0: out
  std::size_t w_stride = 0;     // of W or dW; 0: in
  bool bias = false;            // forward only
  bool accumulate = false;
  bool dynamic_rows = false;  // the number of rows is given to run()
  bool matrix_unit = true;    // may be used where there is one
  // Of the OpenMP team that runs the product; 0: the team size of the thread that asks.
  std::size_t threads = 0;
};

struct GemmOperands {
  const float* left = nullptr;
  const float* right = nullptr;
  const float* bias = nullptr;  // [out], where the configuration has one
  float* result = nullptr;
  std::byte* scratch =
      nullptr;  // gemm_scratch_bytes(), aligned to 64; may hold anything, holds nothing afterwards
  std::size_t rows = 0;  // dynamic_rows only: 0 ... config.rows
};

// Bytes of scratch that run() needs, without building the kernel. Throws Error like Gemm.
[[nodiscard]] std::size_t gemm_scratch_bytes(const GemmConfig& config);

class Gemm {
 public:
  // Builds the primitives (milliseconds). Throws Error(bad_usage) for sizes or strides that
  // contradict each other and Error(unsupported) where oneDNN has only its reference implementation
  // for them.
  explicit Gemm(const GemmConfig& config);
  ~Gemm();
  Gemm(Gemm&&) noexcept;
  Gemm& operator=(Gemm&&) noexcept;

  [[nodiscard]] const GemmConfig& config() const noexcept { return config_; }
  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return scratch_bytes_; }
  // A call that breaks the contract above aborts the process.
  void run(const GemmOperands& operands) const noexcept;

 private:
  struct Impl;
  GemmConfig config_;
  std::size_t scratch_bytes_ = 0;
  std::unique_ptr<Impl> impl_;
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_GEMM_H_
