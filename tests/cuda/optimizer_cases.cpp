// Norms of gradients and the updates of the optimizer.
#include <bit>
#include <cmath>
#include <utility>

#include "cuda/op_groups.h"
#include "megascale/base/step_numbers.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::testing {

using graph::Dim;

namespace {

// Flat ranges: two tensors, padding behind both, the second shard of two.
constexpr std::int64_t kFlat = std::int64_t{4} * 4096;
std::vector<graph::FlatSegment> flat_segments() {
  return {{.begin = 0, .count = 3 * 4096 - 5, .parameter = 1, .decay = true},
          {.begin = std::int64_t{3} * 4096, .count = 4096 * 4 + 9, .parameter = 0, .decay = false}};
}
OperandOf doubles(std::vector<double> values) {
  return {{Dim(static_cast<std::int64_t>(values.size()))}, DType::float64, std::move(values)};
}
// UpdateScalars as eight 8-byte numbers; the sixth and the seventh are integers.
OperandOf scalars(bool skip) {
  std::vector<double> values{1.5, 100, 2.5, 0.01, 1e-3, 0, 0, 0};
  values[5] = std::bit_cast<double>(std::int64_t{3});
  values[6] = std::bit_cast<double>(std::int64_t{skip ? 1 : 0});
  return doubles(std::move(values));
}
OperandOf flat(double stddev, bool positive = false) {
  OperandOf operand = input32({kFlat}, stddev);
  if (positive) {
    for (double& value : operand.values) value = std::abs(value);
  }
  return operand;
}

}  // namespace

std::vector<OpCase> optimizer_cases() {
  std::vector<OpCase> cases;
  graph::AxisSizes axes;
  axes[graph::Axis::data] = 2;
  graph::Coordinates second{};
  second[static_cast<std::size_t>(graph::Axis::data)] = 1;
  const graph::Attributes adam{
      {"beta1", 0.9},
      {"beta2", 0.95},
      {"epsilon", 1e-8},
      {"weight_decay", 0.1},
      {"shards", std::int64_t{2}},
      {"shard_axes", std::int64_t{graph::AxisSet{graph::Axis::data}.bits()}}};
  const auto add = [&](OpCase op) {
    op.segments = flat_segments();
    op.axes = axes;
    op.coordinates = second;
    cases.push_back(std::move(op));
  };
  add({"gradient_blocks", &graph::gradient_blocks_op(), {flat(1), {{Dim(4)}, DType::float64}}});
  for (const std::int64_t count : {4096 + 7, 5}) {
    add({"gradient_blocks",
         &graph::gradient_blocks_op(),
         {input32({count}), {{Dim((count + 4095) / 4096)}, DType::float64}}});
  }
  add({"add_main_gradient", &graph::add_main_gradient_op(), {flat(1), flat(1)}});
  // A tensor of 12,283 elements, and one to the end.
  add({"clear_padding", &graph::clear_padding_op(), {flat(1)}});
  for (const std::int64_t count : {kFlat, std::int64_t{4096} * 3, std::int64_t{1003}})
    add({"pack_bfloat16", &graph::pack_bfloat16_op(), {input32({count})}});
  // Blocks of three ranks, by twos in a word.
  add({"add_bfloat16_blocks",
       &graph::add_bfloat16_blocks_op(),
       {{{Dim(3 * 4096)}, DType::bfloat16, input32({3 * 4096}).values},
        {{Dim(4096)}, DType::float32}}});
  add({"parameter_norms",
       &graph::parameter_norms_op(),
       {doubles({1, 2, 3, 4, 5, 6, 7, 8}), {{Dim(3)}, DType::float64}, absent(), absent()}});
  add({"parameter_norms with a stop request",
       &graph::parameter_norms_op(),
       {doubles({1, 2, 3, 4, 5, 6, 7, 8}),
        {{Dim(3)}, DType::float64},
        doubles({0, 1e-3, 1}),
        {{Dim(1)}, DType::float64}}});
  for (const bool skip : {false, true}) {
    add({"adamw",
         &graph::adamw_op(),
         {flat(1), flat(1), flat(0.1), flat(0.01, true), scalars(skip), absent()},
         adam});
    add({"lamb_direction",
         &graph::lamb_direction_op(),
         {flat(1), flat(1), flat(0.1), flat(0.01, true), scalars(skip), doubles({0, 0, 0, 0}),
          doubles({0, 0, 0, 0})},
         adam});
    add({"lamb_apply",
         &graph::lamb_apply_op(),
         {flat(1), flat(1), scalars(skip), doubles({4, 9}), doubles({1, 25}), absent()},
         adam});
  }
  for (const double loss : {12.5, double{NAN}}) {
    StepNumbers step{.step = 7, .learning_rate = 1e-3};
    UpdateState state{.updates = 5, .skipped = 2};
    const auto integer = [](std::int64_t value) { return std::bit_cast<double>(value); };
    cases.push_back({"gradient_norm",
                     &graph::gradient_norm_op(),
                     {doubles({4, 9, 25}),
                      // Two ranks of two micro-batches; the second was asked to stop.
                      doubles({loss, 30, 1.5, 20, 0, 2.5, 10, 3.5, 40, 1}),
                      doubles({integer(step.step), step.learning_rate, step.votes}),
                      doubles({integer(state.updates), integer(state.skipped)}),
                      {{Dim(8)}, DType::float64}},
                     {{"clip_norm", 0.1}, {"micro_batches", std::int64_t{2}}},
                     {{.begin = 0, .count = 1}}});
  }
  return cases;
}

}  // namespace megascale::testing
