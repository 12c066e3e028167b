#ifndef MEGASCALE_KERNELS_REF_GEMM_H_
#define MEGASCALE_KERNELS_REF_GEMM_H_

#include <cstddef>
#include <span>
#include <vector>

// References in double for the products of kernels/cpu/gemm.h, by the definition.
// Shapes  x, dx [rows, in]; w, dw [out, in]; y, dy [rows, out]; bias [out]. Dense, row-major.
namespace megascale::kernels::ref {

// y[n,o] = sum_i x[n,i] w[o,i] + bias[o]; an empty bias counts as zero.
[[nodiscard]] std::vector<double> linear(std::span<const double> x, std::span<const double> w,
                                         std::span<const double> bias, std::size_t rows,
                                         std::size_t in, std::size_t out);
// dx[n,i] = sum_o dy[n,o] w[o,i]
[[nodiscard]] std::vector<double> linear_input_gradient(std::span<const double> dy,
                                                        std::span<const double> w, std::size_t rows,
                                                        std::size_t in, std::size_t out);
// dw[o,i] = sum_n dy[n,o] x[n,i]
[[nodiscard]] std::vector<double> linear_weight_gradient(std::span<const double> dy,
                                                         std::span<const double> x,
                                                         std::size_t rows, std::size_t in,
                                                         std::size_t out);

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_GEMM_H_
