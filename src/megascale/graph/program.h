#ifndef MEGASCALE_GRAPH_PROGRAM_H_
#define MEGASCALE_GRAPH_PROGRAM_H_

#include <optional>
#include <string>
#include <vector>

#include "megascale/graph/axis.h"
#include "megascale/graph/op.h"

namespace megascale::graph {

// How the initial value of a parameter is drawn: element i of the global tensor, counted row-major,
// from Philox (seed, parameter name, i).
struct Initializer {
  enum class Kind : std::uint8_t { zeros, ones, normal } kind = Kind::zeros;
  double stddev = 0;
};

// How a parameter's global tensor is cut along one of its dimensions: that is a row of sections,
// and the k-th of the n ranks along `over` holds the k-th n-th of each, one after the other. (A
// query-key-value weight has three sections, so that every rank has whole heads of each.)
struct Sharding {
  AxisSet over;
  std::uint32_t dimension = 0;
  std::vector<std::int64_t> sections;  // global extents, one at least
};

// A parameter of the model as this rank's chunk holds it. It may be of any rank and dtype; its main
// gradient, master and moments are float32. All its axes are of one factorisation of the ranks.
struct Parameter {
  std::string name;  // global and stable: "layers.7.attention.qkv.weight"; the name in checkpoints
  TensorId tensor = kNoTensor;
  Initializer initializer;
  // Rows of the global tensor that mean something; the rest is padding, zero for ever. 0: all.
  std::int64_t logical_rows = 0;
  bool decay = true;  // weight decay and LAMB's trust ratio apply
  // Cuts along different dimensions and axes: a stack of experts [experts, outputs, inputs] may be
  // cut by expert along dimension 0 and by expert_tensor along 1.
  std::vector<Sharding> shardings;
  AxisSet summed_over;  // ranks along these axes hold the same value and see different tokens
  // First and last stage of a pipeline both hold it (a tied head): its gradients are added, once.
  bool tied = false;
  std::vector<TensorId>
      main_gradients;  // one per use, in the order in which the backward program writes them

  // Each rank along these axes holds a part of its own.
  [[nodiscard]] AxisSet sharded_over() const noexcept {
    AxisSet axes;
    for (const Sharding& sharding : shardings) axes = axes | sharding.over;
    return axes;
  }
  // Whether it is spread over the expert axes, not over the dense ones.
  [[nodiscard]] bool is_of_experts() const noexcept {
    return (sharded_over() | summed_over).meets(kExpertAxes);
  }
};

// One chunk (virtual pipeline stage) and one micro-batch: ops in topological order over one table
// of tensors. A value; not thread-safe while it is built, immutable afterwards.
struct Program {
  std::vector<Tensor> tensors;
  std::vector<Op> forward;   // ops of phase forward, then the loss unit (phase loss)
  std::vector<Op> backward;  // what differentiate() wrote, loss unit excluded
  std::vector<Parameter> parameters;

  [[nodiscard]] const Tensor& tensor(TensorId id) const { return tensors[index(id)]; }
  // The tensor whose bytes it is: of a part, the whole.
  [[nodiscard]] TensorId owner(TensorId id) const {
    return tensor(id).part.n == 0 ? id : tensor(id).part.whole;
  }
  [[nodiscard]] Parameter* find_parameter(TensorId tensor);
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_PROGRAM_H_
