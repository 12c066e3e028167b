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

  struct Source {
    enum Operand : std::size_t { y };
  };
  static const graph::OpKind<Source::Operand>& source_op() {
    static const graph::OpKind<Source::Operand> def{
        {.name = "test_source",
         .operands = graph::operand_table<graph::Writes<Source::y>>(),
         .infer = [](graph::ShapeContext& c) {
           c.output(Source::y, {4, 4}, DType::float32);
         }}};
    return def;
  }

  // A layer's op reads its parameters; that of its gradient writes theirs.
  struct Layer {
    enum Operand : std::size_t { x, dense, norm, router, up, down, y };
  };
  struct LayerBackward {
    enum Operand : std::size_t {
      dy,
      dense,
      norm,
      router,
      up,
      down,
      dense_gradient,
      norm_gradient,
      router_gradient,
      up_gradient,
      down_gradient
    };
  };
  static constexpr std::size_t kWeights = 5;
  // The w-th parameter, and its main gradient, among the operands of the gradient's op.
  static constexpr std::size_t weight(std::size_t w) { return LayerBackward::dense + w; }
  static constexpr std::size_t gradient(std::size_t w) { return LayerBackward::dense_gradient + w; }

  static const graph::OpKind<Layer::Operand>& layer_op() {
    using enum Layer::Operand;
    static const graph::OpKind<Layer::Operand> def{
        {.name = "test_layer",
         .operands = graph::operand_table<graph::Reads<x>, graph::Reads<dense>, graph::Reads<norm>,
                                          graph::Reads<router>, graph::Reads<up>,
                                          graph::Reads<down>, graph::Writes<y>>(),
         .infer = [](graph::ShapeContext& c) { c.output(y, c.shape(x), c.dtype(x)); },
         .backward =
             [](graph::BackwardContext& c) {
               const graph::TensorId dy = c.gradient(y);
               c.emit(layer_backward_op(), "gradients",
                      {{LayerBackward::dy, dy},
                       {LayerBackward::dense, c.operand(dense)},
                       {LayerBackward::norm, c.operand(norm)},
                       {LayerBackward::router, c.operand(router)},
                       {LayerBackward::up, c.operand(up)},
                       {LayerBackward::down, c.operand(down)},
                       {LayerBackward::dense_gradient, c.main_gradient(dense)},
                       {LayerBackward::norm_gradient, c.main_gradient(norm)},
                       {LayerBackward::router_gradient, c.main_gradient(router)},
                       {LayerBackward::up_gradient, c.main_gradient(up)},
                       {LayerBackward::down_gradient, c.main_gradient(down)}});
               if (c.needs_gradient(x)) c.contribute(x, dy);
             }}};
    return def;
  }
  static const graph::OpKind<LayerBackward::Operand>& layer_backward_op() {
    using enum LayerBackward::Operand;
    static const graph::OpKind<LayerBackward::Operand> def{
        {.name = "test_layer_backward",
         .operands = graph::operand_table<
             graph::Reads<dy>, graph::Reads<dense>, graph::Reads<norm>, graph::Reads<router>,
             graph::Reads<up>, graph::Reads<down>, graph::FirstWrites<dense_gradient>,
             graph::FirstWrites<norm_gradient>, graph::FirstWrites<router_gradient>,
             graph::FirstWrites<up_gradient>, graph::FirstWrites<down_gradient>>(),
         .infer = [](graph::ShapeContext&) {}}};
    return def;
  }

  struct Loss {
    enum Operand : std::size_t { x, dx, loss };
  };
  static const graph::OpKind<Loss::Operand>& loss_op() {
    using enum Loss::Operand;
    static const graph::OpKind<Loss::Operand> def{
        {.name = "test_loss",
         .operands =
             graph::operand_table<graph::Reads<x>, graph::Writes<dx>, graph::Writes<loss>>(),
         .infer =
             [](graph::ShapeContext& c) {
               c.output(dx, c.shape(x), c.dtype(x));
               c.output(loss, {2}, DType::float64, graph::Role::loss);
             },
         .backward = [](graph::BackwardContext& c) { c.contribute(x, c.operand(dx)); }}};
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
    graph::TensorId rows = stage == 0 ? builder.emit_for(Source::y, source_op(), "source", {})
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
      rows = builder.emit_for(Layer::y, layer_op(), "layer",
                              {{Layer::x, rows},
                               {Layer::dense, dense},
                               {Layer::norm, norm},
                               {Layer::router, router},
                               {Layer::up, up},
                               {Layer::down, down}});
    }
    if (stage + 1 < stages) {
      builder.set_scope("send");
      builder.send(rows);
    } else {
      builder.begin_loss();
      builder.emit(loss_op(), "loss", {{Loss::x, rows}});
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
