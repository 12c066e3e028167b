#ifndef MEGASCALE_TESTS_TRAIN_EXPERT_MODEL_H_
#define MEGASCALE_TESTS_TRAIN_EXPERT_MODEL_H_

#include <string>
#include <vector>

#include "megascale/graph/builder.h"
#include "megascale/graph/differentiate.h"
#include "megascale/plan/model_state.h"

// Jobs whose model is a few parameters, among them stacks of experts that are spread over the
// expert axes. An op of the test's own writes their gradients, from what it reads of the parameters
// and from the tokens that a rank sees; state, plans, kernels of the optimizer and ranks are the
// system's.
//
// Gradients are small multiples of 1/4, so that sums over tokens, ranks and norms are exact, and
// all layouts have the same bits.
namespace megascale::testing {

class ExpertModel {
 public:
  static constexpr std::uint32_t kLayers = 2, kMicroBatches = 2;
  static constexpr std::int64_t kExperts = 12, kTokens = 24;  // tokens: of a stage and micro-batch

  // The operands of the ops below.
  enum Forward : std::size_t { x, first_weight, y = 6 };
  enum Backward : std::size_t { dy, weight, gradient = 6 };
  static constexpr std::size_t kWeights = 5;

  static const graph::OpDef& source_op() {
    static const graph::OpDef def{.name = "test_source",
                                  .operands = {{"y", graph::Access::write}},
                                  .infer = [](graph::ShapeContext& c) {
                                    c.output(0, {4, 4}, DType::float32);
                                  }};
    return def;
  }
  static const graph::OpDef& layer_op() {
    static const graph::OpDef def{
        .name = "test_layer",
        .operands =
            {{"x"}, {"dense"}, {"norm"}, {"router"}, {"up"}, {"down"}, {"y", graph::Access::write}},
        .infer = [](graph::ShapeContext& c) { c.output(y, c.shape(x), c.dtype(x)); },
        .backward =
            [](graph::BackwardContext& c) {
              std::vector<graph::TensorId> operands{c.gradient(y)};
              for (std::size_t w = 0; w < kWeights; ++w)
                operands.push_back(c.operand(first_weight + w));
              for (std::size_t w = 0; w < kWeights; ++w)
                operands.push_back(c.main_gradient(first_weight + w));
              c.emit(layer_backward_op(), "gradients", operands);
              if (c.needs_gradient(x)) c.contribute(x, operands[dy]);
            }};
    return def;
  }
  static const graph::OpDef& layer_backward_op() {
    using graph::Access;
    static const graph::OpDef def{.name = "test_layer_backward",
                                  .operands = {{"dy"},
                                               {"dense"},
                                               {"norm"},
                                               {"router"},
                                               {"up"},
                                               {"down"},
                                               {"dense_gradient", Access::first_writes},
                                               {"norm_gradient", Access::first_writes},
                                               {"router_gradient", Access::first_writes},
                                               {"up_gradient", Access::first_writes},
                                               {"down_gradient", Access::first_writes}},
                                  .infer = [](graph::ShapeContext&) {}};
    return def;
  }
  static const graph::OpDef& loss_op() {
    static const graph::OpDef def{
        .name = "test_loss",
        .operands = {{"x"}, {"dx", graph::Access::write}, {"loss", graph::Access::write}},
        .infer =
            [](graph::ShapeContext& c) {
              c.output(1, c.shape(0), c.dtype(0));
              c.output(2, {2}, DType::float64, graph::Role::loss);
            },
        .backward = [](graph::BackwardContext& c) { c.contribute(0, c.operand(1)); }};
    return def;
  }

  // `dtype`: of all parameters but routers, which are float32.
  static graph::Program build(const graph::AxisSizes& axes, std::uint32_t stage,
                              DType dtype = DType::float32) {
    using graph::Axis;
    graph::Program program;
    graph::Builder builder(program, axes);
    const std::uint32_t stages = axes[Axis::pipeline], layers = kLayers / stages;
    builder.set_scope("source");
    graph::TensorId rows = stage == 0 ? builder.emit_for(0, source_op(), "source", {})
                                      : builder.receive(4, 4, DType::float32);
    for (std::uint32_t l = stage * layers; l < (stage + 1) * layers; ++l) {
      const std::string name = "layers." + std::to_string(l);
      builder.set_scope("layer" + std::to_string(l));
      const auto rows_of = existing(axes, {Axis::context, Axis::data});
      const auto dense = parameter(builder, dtype, name + ".dense", {6, 24, 5},
                                   {{{Axis::tensor}, 1, {12, 12}}}, rows_of);
      const auto norm =
          parameter(builder, dtype, name + ".norm", {10}, {}, existing(axes, graph::kDenseAxes));
      const auto router = parameter(builder, dtype, name + ".router", {kExperts, 16}, {},
                                    existing(axes, graph::kDenseAxes));
      const auto same = existing(axes, {Axis::expert_data});
      const auto up =
          parameter(builder, dtype, name + ".up", {kExperts, 96, 40},
                    {{{Axis::expert}, 0, {kExperts}}, {{Axis::expert_tensor}, 1, {48, 48}}}, same);
      const auto down =
          parameter(builder, dtype, name + ".down", {kExperts, 40, 48},
                    {{{Axis::expert}, 0, {kExperts}}, {{Axis::expert_tensor}, 2, {48}}}, same);
      rows = builder.emit_for(y, layer_op(), "layer", {rows, dense, norm, router, up, down});
    }
    if (stage + 1 < stages) {
      builder.set_scope("send");
      builder.send(rows);
    } else {
      builder.begin_loss();
      builder.emit(loss_op(), "loss", {rows});
    }
    graph::differentiate(program);
    return program;
  }

 private:
  static graph::TensorId parameter(graph::Builder& builder, DType dtype, const std::string& name,
                                   graph::Shape shape, std::vector<graph::Sharding> shardings,
                                   graph::AxisSet summed_over) {
    std::erase_if(shardings,
                  [&](const graph::Sharding& s) { return s.over.group_size(builder.axes()) == 1; });
    for (const graph::Sharding& s : shardings)
      shape[s.dimension].size /= s.over.group_size(builder.axes());
    return builder.parameter(name, std::move(shape),
                             name.ends_with("router") ? DType::float32 : dtype,
                             {.initializer = {graph::Initializer::Kind::normal, 0.25},
                              .decay = name.find("norm") == std::string::npos,
                              .shardings = std::move(shardings),
                              .summed_over = summed_over});
  }
};

// Global indices that a rank holds of a dimension, one by one, by the words of graph::Sharding.
inline std::vector<std::int64_t> indices_of(const plan::ParameterPlace& place, std::uint32_t d,
                                            const graph::AxisSizes& axes,
                                            const graph::Coordinates& at) {
  std::vector<std::int64_t> indices;
  for (const graph::Sharding& s : place.parameter.shardings) {
    if (s.dimension != d) continue;
    const std::int64_t ranks = s.over.group_size(axes), me = s.over.group_index(axes, at);
    std::int64_t global = 0;
    for (const std::int64_t extent : s.sections) {
      for (std::int64_t i = 0; i < extent; ++i, ++global) {
        if (i * ranks / extent == me) indices.push_back(global);
      }
    }
    return indices;
  }
  for (std::int64_t i = 0; i < place.shape[d].size; ++i) indices.push_back(i);
  return indices;
}

// The element of the whole tensor that each element of a rank's part is.
inline std::vector<std::uint64_t> global_elements(const plan::ParameterPlace& place,
                                                  const graph::AxisSizes& axes,
                                                  const graph::Coordinates& at) {
  const auto global = plan::global_shape(place);
  std::vector<std::uint64_t> elements{0};
  for (std::uint32_t d = 0; d < global.size(); ++d) {
    const auto indices = indices_of(place, d, axes, at);
    std::vector<std::uint64_t> finer;
    for (const std::uint64_t outer : elements) {
      for (const std::int64_t i : indices) {
        finer.push_back(outer * static_cast<std::uint64_t>(global[d]) +
                        static_cast<std::uint64_t>(i));
      }
    }
    elements = std::move(finer);
  }
  return elements;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_EXPERT_MODEL_H_
