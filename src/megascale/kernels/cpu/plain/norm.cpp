// LayerNorm and RMSNorm as chains of single operations. Every `apply` is one pass over memory, as
// in a framework without fused kernels.
#include "megascale/kernels/cpu/plain/norm.h"

#include "megascale/kernels/cpu/column_sum.h"
#include "megascale/kernels/cpu/plain/array.h"

namespace megascale::kernels::cpu::plain {
namespace {

using enum Binary;

// means[n] = mean_c x[n, c]
void row_means(const Shape& shape, Values x, float* means) noexcept {
  const float share = 1.0F / static_cast<float>(shape.columns);
  row_sums(shape, x, means);
  apply(multiply, {1, shape.rows}, {means, 0, 1}, constant(share), {means, 0});
}

// rstd[n] = 1 / sqrt(mean_c squares[n, c] + eps)
void reciprocal_roots(const Shape& shape, Values squares, float eps, float* rstd) noexcept {
  const Shape row{1, shape.rows};
  row_means(shape, squares, rstd);
  apply(add, row, {rstd, 0, 1}, constant(eps), {rstd, 0});
  apply(Unary::reciprocal_root, row, {rstd, 0, 1}, {rstd, 0});
}

// Computes result[c] (+)= sum_n terms[n, c], the gradient of gamma or beta.
void parameter_gradient(const NormBackward& args, const float* terms, float* result,
                        float* scratch) noexcept {
  column_sum({.tokens = args.tokens,
              .channels = args.channels,
              .stride = args.channels,
              .x = terms,
              .result = result,
              .accumulate = args.accumulate,
              .scratch = scratch});
}

// The backward pass of both norms; mean is null for RMSNorm.
void backward(const NormBackward& args) noexcept {
  const Shape shape{args.tokens, args.channels};
  const std::size_t numel = args.tokens * args.channels, row = args.channels;
  const Values dy{args.dy, row};
  const Result z{args.scratch, row}, g{args.scratch + numel, row},
      product{args.scratch + 2 * numel, row};
  float* const row_values = args.scratch + 3 * numel;
  float* const sums = row_values + args.tokens;

  if (args.mean != nullptr) {
    apply(subtract, shape, {args.x, row}, per_row(args.mean), z);
    apply(multiply, shape, z.values(), per_row(args.rstd), z);
  } else {
    apply(multiply, shape, {args.x, row}, per_row(args.rstd), z);
  }
  if (args.dgamma != nullptr) {
    apply(multiply, shape, dy, z.values(), product);
    parameter_gradient(args, product.data, args.dgamma, sums);
  }
  if (args.dbeta != nullptr) parameter_gradient(args, args.dy, args.dbeta, sums);

  apply(multiply, shape, dy, per_column(args.gamma), g);
  apply(multiply, shape, g.values(), z.values(), product);
  row_means(shape, product.values(), row_values);
  apply(multiply, shape, z.values(), per_row(row_values), z);
  if (args.mean != nullptr) {
    row_means(shape, g.values(), row_values);
    apply(subtract, shape, g.values(), per_row(row_values), g);
  }
  apply(subtract, shape, g.values(), z.values(), g);
  const bool adds = args.addend != nullptr;
  const Result dx{args.dx, row};
  apply(multiply, shape, g.values(), per_row(args.rstd), adds ? g : dx);
  if (adds) apply(add, shape, g.values(), {args.addend, row}, dx);
}

}  // namespace

void layer_norm_forward(const NormForward& args, float* scratch) noexcept {
  const Shape shape{args.tokens, args.channels};
  const std::size_t row = args.channels;
  const Values x{args.x, row};
  const Result centred{scratch, row}, y{args.y, row};
  row_means(shape, x, args.mean);
  apply(subtract, shape, x, per_row(args.mean), centred);
  apply(multiply, shape, centred.values(), centred.values(), y);
  reciprocal_roots(shape, y.values(), args.eps, args.rstd);
  apply(multiply, shape, centred.values(), per_row(args.rstd), centred);
  apply(multiply, shape, centred.values(), per_column(args.gamma), y);
  if (args.beta != nullptr) apply(add, shape, y.values(), per_column(args.beta), y);
}

void rms_norm_forward(const NormForward& args, float* scratch) noexcept {
  const Shape shape{args.tokens, args.channels};
  const std::size_t row = args.channels;
  const Values x{args.x, row};
  const Result squares{scratch, row}, y{args.y, row};
  apply(multiply, shape, x, x, squares);
  reciprocal_roots(shape, squares.values(), args.eps, args.rstd);
  apply(multiply, shape, x, per_row(args.rstd), y);
  apply(multiply, shape, y.values(), per_column(args.gamma), y);
}

std::size_t norm_scratch_bytes(std::size_t tokens, std::size_t channels) noexcept {
  return tokens * channels * sizeof(float);
}

void layer_norm_backward(const NormBackward& args) noexcept { backward(args); }
void rms_norm_backward(const NormBackward& args) noexcept { backward(args); }

std::size_t norm_gradient_scratch_bytes(std::size_t tokens, std::size_t channels) noexcept {
  return (3 * tokens * channels + tokens) * sizeof(float) +
         column_sum_scratch_bytes(tokens, channels);
}

}  // namespace megascale::kernels::cpu::plain
