#ifndef MEGASCALE_KERNELS_CPU_GEMM_H_
#define MEGASCALE_KERNELS_CPU_GEMM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

// The three matrix products of a linear layer, float32. Large products run on the CPU's matrix unit
// if there is one (matrix_unit/product.h, decision 0013); all others run on oneDNN's matmul.
//
//   kind             result                       left             right            result
//   forward          y  = x W^T (+ bias)          x  [rows, in]    W  [out, in]     y  [rows, out]
//   input_gradient   dx = dy W                    dy [rows, out]   W  [out, in]     dx [rows, in]
//   weight_gradient  dW = dy^T x                  dy [rows, out]   x  [rows, in]    dW [out, in]
//
// With `accumulate` the kernel adds to the old content of the result; otherwise it overwrites the
// result. All matrices are row-major with a row stride in floats, so any of them may be a column
// slice of a wider tensor. The gradient of the bias is column_sum of dy (column_sum.h).
//
// Cost     2 rows in out FLOPs. bench/dense_bench.cpp prints the rates of a machine beside its
//          measured FMA peak.
// Error    per element at most (K + 2) u sum_k |left_k| |right_k|, K the length of the sum, u =
//          2^-24 (for any order of adding).
// Alias    the result overlaps nothing; left and right may be the same bytes.
// Threads  run() uses an OpenMP team of config.threads threads; the calling thread must have been
//          given that team size. One thread at a time may use an object; threads that share a plan
//          prepare one each.
// Bits     equal for equal rows, configuration, threads and CPU, always; dynamic_rows does not
//          change them. Another number of rows, other strides, or cutting a product into several
//          may change the last bits of a row.
// Range    on the matrix unit: values from 3.39e38 on count as infinite, tiny values lose bits, and
//          non-finite values stay non-finite (matrix_unit/product.h).
// Memory   run() builds no primitive, and this code allocates nothing in it. oneDNN allocates in
//          every execution: bookkeeping and packing buffers, below 16 MiB at a time (the category
//          `outside` of a plan). Operands packed for the matrix unit are in scratch.
namespace megascale::kernels::cpu {

enum class GemmKind : std::uint8_t { forward, input_gradient, weight_gradient };

struct GemmConfig {
  GemmKind kind = GemmKind::forward;
  std::size_t rows = 0;         // tokens; with dynamic_rows the maximum of a run
  std::size_t in = 0, out = 0;  // features
  std::size_t x_stride = 0;     // floats between rows of x or dx; 0: in
  std::size_t y_stride = 0;     // floats between rows of y or dy; 0: out
  std::size_t w_stride = 0;     // floats between rows of W or dW; 0: in
  bool bias = false;            // forward only
  bool accumulate = false;
  bool dynamic_rows = false;  // the number of rows is given to run()
  bool matrix_unit = true;    // the matrix unit may be used if there is one
  // Size of the OpenMP team that runs the product; 0: the team size of the thread that prepares it.
  std::size_t threads = 0;
};

// The addresses of one run; borrowed for the duration of run().
struct GemmOperands {
  const float* left = nullptr;
  const float* right = nullptr;
  const float* bias = nullptr;  // [out]; null exactly if config.bias is false
  float* result = nullptr;
  std::byte* scratch =
      nullptr;           // gemm_scratch_bytes(), aligned to 64 bytes; its contents never matter
  std::size_t rows = 0;  // dynamic_rows only: 0 ... config.rows
};

// Returns the bytes of scratch that run() needs, without building the kernel. Throws Error like
// Gemm.
[[nodiscard]] std::size_t gemm_scratch_bytes(const GemmConfig& config);

// A prepared product: built once, run many times.
class Gemm {
 public:
  // Builds the primitives (milliseconds). Throws Error(bad_usage) if sizes or strides contradict
  // each other, and Error(unsupported) if oneDNN has only its slow reference implementation for
  // them.
  explicit Gemm(const GemmConfig& config);
  ~Gemm();
  Gemm(Gemm&&) noexcept;
  Gemm& operator=(Gemm&&) noexcept;

  [[nodiscard]] const GemmConfig& config() const noexcept { return config_; }
  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return scratch_bytes_; }
  // Computes the product. A call that breaks the contract above aborts the process.
  void run(const GemmOperands& operands) const noexcept;

 private:
  struct Impl;
  GemmConfig config_;
  std::size_t scratch_bytes_ = 0;
  std::unique_ptr<Impl> impl_;
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_GEMM_H_
