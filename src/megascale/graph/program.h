#ifndef MEGASCALE_GRAPH_PROGRAM_H_
#define MEGASCALE_GRAPH_PROGRAM_H_

#include <optional>
#include <string>
#include <vector>

#include "megascale/graph/axis.h"
#include "megascale/graph/op.h"

// The program of one chunk (a virtual pipeline stage) for one micro-batch, and its parameters.
// Model code writes it with a Builder, differentiate() adds the backward, passes of plan/ change
// it.
namespace megascale::graph {

// How the initial value of a parameter is drawn. Element i of the global tensor (row-major) is
// drawn by Philox from (seed, parameter name, i) only, so every layout of ranks draws the same
// values.
struct Initializer {
  enum class Kind : std::uint8_t { zeros, ones, normal, uniform } kind = Kind::zeros;
  // For normal the standard deviation, for uniform the bound of the absolute value; the mean is 0.
  double scale = 0;
};

// How the global tensor of a parameter is cut along one dimension. The dimension is divided into
// sections, and each section into n equal parts, where n is the number of ranks along `over`. Rank
// k holds part k of every section, one after the other. For instance, a query-key-value weight has
// three sections, so that each rank has whole heads of all three.
struct Sharding {
  AxisSet over;
  std::uint32_t dimension = 0;
  std::vector<std::int64_t> sections;  // global extents; at least one
};

// The rule by which the end of a step changes a parameter.
enum class UpdateRule : std::uint8_t {
  optimizer,
  // The bias of a router's choices: its main gradient is how far the loads of the experts are from
  // their mean, which is the gradient of no loss. Norms of gradients leave it out.
  choice_bias,
  // No step changes it, and it has no gradient: a weight of a model of which only adapters are trained.
  frozen
};

// A parameter of the model, as the chunk of this rank holds it. It may have any number of
// dimensions and any dtype; its main gradient, master and moments are float32. All its axes belong
// to one factorisation of the ranks.
struct Parameter {
  std::string name;  // global and stable, also used in checkpoints: "layers.7.attention.qkv.weight"
  TensorId tensor = kNoTensor;
  Initializer initializer;
  // Rows of the global tensor that are in use; the rest is padding and always zero. 0: all rows.
  std::int64_t logical_rows = 0;
  bool decay = true;  // weight decay and the trust ratio of LAMB apply
  // Cuts along different dimensions and axes. For instance, a stack of experts [experts, outputs,
  // inputs] may be cut by expert along dimension 0 and by expert_tensor along dimension 1.
  std::vector<Sharding> shardings;
  AxisSet summed_over;  // ranks along these axes hold the same value and see different tokens
  // The first and the last stage of a pipeline both hold it (a tied head). The gradients of the two
  // are added, and its norm is counted on the first stage only.
  bool tied = false;
  // It belongs to experts in every layout, also where no expert axis has more than one rank.
  bool of_experts = false;
  UpdateRule rule = UpdateRule::optimizer;
  // Of a parameter that is kept in 8 bits (dtype float8_e4m3): the tensor of its float32 scales. Each
  // scale belongs to equally many consecutive elements. It is a tensor of role parameter.
  TensorId scales = kNoTensor;
  // One per use, in the order in which the backward program writes them.
  std::vector<TensorId> main_gradients;

  [[nodiscard]] bool is_trained() const noexcept { return rule != UpdateRule::frozen; }
  // Returns the axes along which each rank holds a different part.
  [[nodiscard]] AxisSet sharded_over() const noexcept {
    AxisSet axes;
    for (const Sharding& sharding : shardings) axes = axes | sharding.over;
    return axes;
  }
  // Returns whether it is spread over the expert axes and not over the dense ones.
  [[nodiscard]] bool is_of_experts() const noexcept {
    return of_experts || (sharded_over() | summed_over).meets(kExpertAxes);
  }
};

// Ops in topological order over one table of tensors. A value type. Not thread-safe while it is
// built; any thread may read it afterwards.
struct Program {
  std::vector<Tensor> tensors;
  std::vector<Op> forward;            // ops of phase forward, then the loss unit (phase loss)
  std::vector<Op> backward;           // written by differentiate(); without the loss unit
  std::vector<Parameter> parameters;  // in the order of their tensors

  [[nodiscard]] const Tensor& tensor(TensorId id) const { return tensors[index(id)]; }
  // Returns the tensor that owns the bytes: for a part (Part) the whole tensor, else the tensor
  // itself.
  [[nodiscard]] TensorId owner(TensorId id) const {
    return tensor(id).part.n == 0 ? id : tensor(id).part.whole;
  }
  // Returns the parameter with this tensor, or null.
  [[nodiscard]] Parameter* find_parameter(TensorId tensor);
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_PROGRAM_H_
