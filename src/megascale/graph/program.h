#ifndef MEGASCALE_GRAPH_PROGRAM_H_
#define MEGASCALE_GRAPH_PROGRAM_H_

#include <optional>
#include <string>
#include <vector>

#include "megascale/graph/axis.h"
#include "megascale/graph/op.h"

namespace megascale::graph {

// How the initial value of a parameter is drawn: element i of the global tensor from Philox (seed,
// parameter name, i).
struct Initializer {
  enum class Kind : std::uint8_t { zeros, ones, normal } kind = Kind::zeros;
  double stddev = 0;
};

// How a parameter's global tensor is cut along one of its dimensions: that is a row of sections,
// and the k-th of n ranks holds the k-th n-th of each, one after the other. (A query-key-value
// weight has three sections, so that every rank has whole heads of each.)
struct Sharding {
  std::uint32_t dimension = 0;
  std::vector<std::int64_t> sections;  // global extents; empty: the whole dimension is one section
};

// A parameter of the model as this rank's chunk holds it.
struct Parameter {
  std::string name;  // global and stable: "layers.7.attention.qkv.weight"; the name in checkpoints
  TensorId tensor = kNoTensor;
  Initializer initializer;
  // Rows of the global tensor that mean something; the rest is padding, zero for ever. 0: all.
  std::int64_t logical_rows = 0;
  bool decay = true;     // weight decay and LAMB's trust ratio apply
  AxisSet sharded_over;  // each rank along these axes holds a part, as `sharding` says
  Sharding sharding;
  AxisSet summed_over;  // ranks along these axes hold the same value and see different tokens
  // First and last stage of a pipeline both hold it (a tied head): its gradients are added, once.
  bool tied = false;
  std::vector<TensorId>
      main_gradients;  // one per use, in the order in which the backward program writes them
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
