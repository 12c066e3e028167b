// GELU and SwiGLU as chains of single operations. Every `apply` is one pass over memory, as in a
// framework without fused kernels.
#include "megascale/kernels/cpu/plain/activation.h"

#include "megascale/kernels/cpu/plain/array.h"

namespace megascale::kernels::cpu::plain {
namespace {

using enum Binary;

constexpr float kRoot = 0.7978845608028654F;  // sqrt(2/pi)
constexpr float kCubic = 0.044715F;
constexpr float kOne = 1.0F, kMinusOne = -1.0F, kHalf = 0.5F;

// Sets t = tanh(sqrt(2/pi) (x + 0.044715 x^3)); on entry t holds x^2.
void tanh_of_cubic(const Shape& shape, Values x, Result t) noexcept {
  apply(multiply, shape, t.values(), x, t);
  apply(multiply, shape, t.values(), constant(kCubic), t);
  apply(add, shape, t.values(), x, t);
  apply(multiply, shape, t.values(), constant(kRoot), t);
  apply(Unary::tanh, shape, t.values(), t);
}

}  // namespace

void gelu_forward(const GeluForward& args, float* scratch) noexcept {
  const Shape shape{args.tokens, args.channels};
  const Values x{args.x, args.channels};
  const Result t{scratch, args.channels}, y{args.y, args.channels};
  apply(multiply, shape, x, x, t);
  tanh_of_cubic(shape, x, t);
  apply(add, shape, t.values(), constant(kOne), t);
  apply(multiply, shape, t.values(), x, t);
  apply(multiply, shape, t.values(), constant(kHalf), y);
}

// With w = sqrt(2/pi) (x + 0.044715 x^3), t = tanh w:  dx = dy (1 + t + x (1 - t^2) dw/dx) / 2
void gelu_backward(const GeluBackward& args, float* scratch) noexcept {
  const Shape shape{args.tokens, args.channels};
  const std::size_t numel = args.tokens * args.channels, row = args.channels;
  const Values x{args.x, row};
  const Result t{scratch, row}, slope{scratch + numel, row}, square{scratch + 2 * numel, row};
  static constexpr float kThree = 3 * kCubic * kRoot;
  apply(multiply, shape, x, x, t);
  apply(multiply, shape, t.values(), constant(kThree), slope);
  apply(add, shape, slope.values(), constant(kRoot), slope);
  tanh_of_cubic(shape, x, t);
  apply(multiply, shape, t.values(), t.values(), square);
  apply(multiply, shape, square.values(), constant(kMinusOne), square);
  apply(add, shape, square.values(), constant(kOne), square);
  apply(multiply, shape, slope.values(), square.values(), slope);
  apply(multiply, shape, slope.values(), x, slope);
  apply(add, shape, t.values(), constant(kOne), t);
  apply(add, shape, t.values(), slope.values(), t);
  apply(multiply, shape, t.values(), constant(kHalf), t);
  apply(multiply, shape, t.values(), {args.dy, row}, {args.dx, row});
}

void swiglu_forward(const SwigluForward& args, float* scratch) noexcept {
  const Shape shape{args.tokens, args.width};
  const Values gate{args.x, 2 * args.width}, up{args.x + args.width, 2 * args.width};
  const Result s{scratch, args.width};
  apply(Unary::sigmoid, shape, gate, s);
  apply(multiply, shape, s.values(), gate, s);
  apply(multiply, shape, s.values(), up, {args.y, args.width});
}

// With s = 1 / (1 + e^-gate), t = gate s:  dgate = dy up (s + t - t s),  dup = dy t
void swiglu_backward(const SwigluBackward& args, float* scratch) noexcept {
  const Shape shape{args.tokens, args.width};
  const std::size_t numel = args.tokens * args.width, row = args.width;
  const Values gate{args.x, 2 * row}, up{args.x + row, 2 * row}, dy{args.dy, row};
  const Result s{scratch, row}, t{scratch + numel, row}, product{scratch + 2 * numel, row};
  apply(Unary::sigmoid, shape, gate, s);
  apply(multiply, shape, s.values(), gate, t);
  apply(multiply, shape, t.values(), s.values(), product);
  apply(add, shape, s.values(), t.values(), s);
  apply(subtract, shape, s.values(), product.values(), s);
  apply(multiply, shape, dy, up, product);
  apply(multiply, shape, t.values(), dy, {args.dx + row, 2 * row});
  apply(multiply, shape, product.values(), s.values(), {args.dx, 2 * row});
}

}  // namespace megascale::kernels::cpu::plain
