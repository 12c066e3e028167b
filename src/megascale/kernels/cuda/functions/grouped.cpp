// Task functions of the device for products of the rows of experts, by CUTLASS or by our own kernel
// (grouped_products.h decides).
#include <array>

#include "megascale/kernels/cuda/functions/grouped_products.h"

namespace megascale::kernels::cuda {
namespace {

// Products of one kind and shape. `cutlass_` is null if our own kernel runs the op.
class GroupedFunction : public TaskFunction {
 protected:
  // Throws Error(unsupported) if CUTLASS is asked for and refuses.
  GroupedFunction(const KernelSpec& spec, const GroupedProduct& product) : product_(product) {
    if (by_cutlass(spec, product)) cutlass_ = CutlassGrouped::make(product);
  }
  const Error* multiply(const GroupedProduct& args, const TaskArguments& a) noexcept {
    if (cutlass_ != nullptr) return cutlass_->run(args, scratch(a), a.stream);
    grouped_product(args, a.stream);
    return nullptr;
  }
  GroupedProduct product_;

 private:
  std::unique_ptr<CutlassGrouped> cutlass_;
};

template <GemmKind kKind, auto kLeft, auto kRight, auto kGroups, auto kResult>
class GroupedRows final : public GroupedFunction {
 public:
  explicit GroupedRows(const KernelSpec& spec)
      : GroupedFunction(spec, rows_product(spec, kKind, kLeft, kRight)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    GroupedProduct args = product_;
    args.counts = i64(a, kGroups);
    args.left = raw(a, kLeft);
    args.right = raw(a, kRight);
    args.result = raw(a, kResult);
    return multiply(args, a);
  }
};

// Products of 8-bit operands. Both op kinds have their operands in one order.
static_assert(std::size_t{graph::quantised_grouped_linear::weight_scales} ==
                  std::size_t{graph::quantised_grouped_input_gradient::weight_scales} &&
              std::size_t{graph::quantised_grouped_linear::output} ==
                  std::size_t{graph::quantised_grouped_input_gradient::input_gradient});
template <GemmKind kKind>
class QuantisedGroupedRows final : public GroupedFunction {
 public:
  explicit QuantisedGroupedRows(const KernelSpec& spec)
      : GroupedFunction(spec, quantised_rows_product(spec, kKind)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::quantised_grouped_linear::Operand;
    const auto scale = [](std::byte* of) { return reinterpret_cast<const QuantisedScale*>(of); };
    GroupedProduct args = product_;
    args.counts = i64(a, groups);
    args.left = raw(a, input);
    args.left_scale = scale(raw(a, input_scale));
    args.right = raw(a, weight);
    args.right_scales = scale(raw(a, weight_scales));
    args.result = raw(a, output);
    return multiply(args, a);
  }
};

// Blocks of rows with their own groups add to one gradient, in their order.
template <bool kAdds>
class GroupedWeightGradient final : public GroupedFunction {
 public:
  explicit GroupedWeightGradient(const KernelSpec& spec)
      : GroupedFunction(spec, weights_product(spec)), pieces_(grouped_pieces(spec)) {}
  const Error* run(const TaskArguments& a) noexcept override {
    using enum graph::grouped_linear_weight_gradient::Operand;
    GroupedProduct args = product_;
    for (std::size_t piece = 0; piece < pieces_; ++piece) {
      const std::size_t row = piece * args.rows * itemsize(args.dtype);
      args.accumulate = kAdds || !a.first || piece > 0;
      args.counts = i64(a, groups) + piece * args.experts;
      args.left = raw(a, gradient) + row * args.out;
      args.right = raw(a, input) + row * args.in;
      args.result = raw(a, weight_gradient);
      if (const Error* error = multiply(args, a); error != nullptr) return error;
    }
    return nullptr;
  }

 private:
  std::size_t pieces_;
};

}  // namespace

std::span<const Prepare> grouped_functions() {
  namespace forward = graph::grouped_linear;
  namespace input_gradient = graph::grouped_linear_input_gradient;
  static constexpr std::array kFunctions{
      Prepare{"grouped_linear", make<GroupedRows<GemmKind::forward, forward::input, forward::weight,
                                                 forward::groups, forward::output>>},
      Prepare{"grouped_linear_input_gradient",
              make<GroupedRows<GemmKind::input_gradient, input_gradient::gradient,
                               input_gradient::weight, input_gradient::groups,
                               input_gradient::input_gradient>>},
      Prepare{"quantised_grouped_linear", make<QuantisedGroupedRows<GemmKind::forward>>},
      Prepare{"quantised_grouped_input_gradient",
              make<QuantisedGroupedRows<GemmKind::input_gradient>>},
      Prepare{"grouped_linear_weight_gradient", make<GroupedWeightGradient<false>>},
      Prepare{"grouped_linear_weight_gradient_added", make<GroupedWeightGradient<true>>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
