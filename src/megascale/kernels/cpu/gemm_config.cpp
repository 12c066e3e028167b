// Validates a GemmConfig, fills in its defaults, and maps the three products of a linear layer to
// one shape result = left * right with strides (transposition is a choice of strides).
#include "megascale/kernels/cpu/gemm_config.h"

#include <fmt/format.h>

#include <string_view>

#include "megascale/base/error.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu {

GemmConfig with_defaults(GemmConfig c) {
  if (c.rows == 0 || c.in == 0 || c.out == 0) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("gemm: rows {}, in {}, out {}: each must be at least 1", c.rows, c.in, c.out));
  }
  const auto at_least = [](std::size_t& stride, std::size_t width, std::string_view name) {
    if (stride == 0) stride = width;
    if (stride < width) {
      throw Error(
          ErrorCode::bad_usage,
          fmt::format("gemm: {}_stride is {}, less than the {} columns", name, stride, width));
    }
  };
  at_least(c.x_stride, c.in, "x");
  at_least(c.y_stride, c.out, "y");
  at_least(c.w_stride, c.in, "w");
  if (c.bias && c.kind != GemmKind::forward) {
    throw Error(ErrorCode::bad_usage, "gemm: a bias belongs to the forward product only");
  }
  if (c.threads == 0) c.threads = team_size();
  // The team of a thread that was given this size: without OpenMP the thread alone.
  const TeamSize given(c.threads);
  c.threads = team_size();
  return c;
}

ProductShape shape_of(const GemmConfig& c) {
  switch (c.kind) {
    case GemmKind::forward:
      return {c.rows, c.out, c.in, c.x_stride, 1, 1, c.w_stride, c.y_stride};
    case GemmKind::input_gradient:
      return {c.rows, c.in, c.out, c.y_stride, 1, c.w_stride, 1, c.x_stride};
    case GemmKind::weight_gradient:
      break;
  }
  return {c.out, c.in, c.rows, 1, c.y_stride, c.x_stride, 1, c.w_stride};
}

}  // namespace megascale::kernels::cpu
