#ifndef MEGASCALE_OPTIMIZER_DEFINITION_H_
#define MEGASCALE_OPTIMIZER_DEFINITION_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/graph/op.h"
#include "megascale/graph/program.h"

// An optimizer as data: the ops at the end of a training step, in order, with their operands and
// attributes. plan/step_tail turns a definition into tasks on the buffers of a pipeline stage.
//
// A new optimizer is one file of this folder that returns a Definition, and one case in define().
// Its op kinds stand in graph/ops/, its kernels in kernels/. It may keep two float32 values per
// parameter between steps, the moments. All types are plain data.
namespace megascale::optimizer {

// Identifies the norms by parameter of one quantity. The main gradients' norms always exist.
enum class Norm : std::uint8_t { gradients = 0 };

// A buffer that an op of an optimizer uses.
enum class Value : std::uint8_t {
  absent,  // for an optional operand that is not given
  // Of one bucket: the elements that this rank updates.
  masters,           // float32 weights
  model_parameters,  // the weights in the bucket's dtype; absent if that is float32
  gradients,         // main gradients, float32
  first_moment,      // float32, kept between steps
  second_moment,     // float32, kept between steps
  norm_blocks,       // of one norm: float64 sums of squares, one per block of 4,096 elements
  // Of the step.
  norm_sums,     // of one norm: float64 sums of squares, one per parameter of the model
  losses,        // losses and valid tokens of all micro-batches, stop requests, of all ranks
  numbers,       // StepNumbers
  update_state,  // UpdateState
  scalars        // UpdateScalars
};

// Names the buffer that an op gets as an operand: a value and, for norm_blocks and norm_sums, the
// norm.
struct Source {
  Value value = Value::absent;
  Norm norm = Norm::gradients;
  Source(Value of = Value::absent) noexcept : value(of) {}  // NOLINT(google-explicit-constructor)
  Source(Value of, Norm quantity) noexcept : value(of), norm(quantity) {}
  friend bool operator==(const Source&, const Source&) = default;
};

// An op that runs once for every bucket, or once in the step. The operands are in the order of the
// op kind; each is used as the kind says (OperandSpec::access).
struct OpOfStep {
  const graph::OpDef* op = nullptr;
  std::string path;  // the path of its tasks; those of buckets end in "/bucketN"
  std::vector<Source> operands;
  graph::Attributes attributes;
};
// Runs once for every bucket of parameters with a rule.
struct ForEachBucket : OpOfStep {
  // True: the op treats parameters apart. It then gets the table of the bucket's parameters
  // (PlanOp::segments) and the attributes shard_axes and shards, which say which part of the bucket
  // this rank updates.
  bool by_parameter = false;
  graph::UpdateRule rule = graph::UpdateRule::optimizer;  // of the buckets
};
// Runs once. The op also gets the attribute micro_batches.
struct Once : OpOfStep {};

// The blocks of a norm become its sums by parameter, over all ranks that hold a part of it.
struct AddNorms {
  Norm norm = Norm::gradients;
  std::string path;
  // True: adds over the pipeline stages too, so that every rank gets the sums of all parameters. The
  // stop request travels with the sums, and then the losses are shared among all ranks.
  bool of_all_stages = false;
};

using Step = std::variant<ForEachBucket, Once, AddNorms>;

struct Definition {
  std::vector<std::string> norms;  // names of the norms besides that of the gradients
  std::vector<Step> steps;

  // Adds a norm and returns its identifier.
  Norm add_norm(std::string name);
};

// Return a step; operands that are not given are absent.
template <class Name>
[[nodiscard]] ForEachBucket for_each_bucket(
    const graph::OpKind<Name>& op, std::string path, bool by_parameter,
    std::initializer_list<graph::Given<Name, Source>> operands, graph::Attributes attributes = {}) {
  return {{&op, std::move(path), graph::in_order(op, operands, Source{}), std::move(attributes)},
          by_parameter};
}
template <class Name>
[[nodiscard]] Once once(const graph::OpKind<Name>& op, std::string path,
                        std::initializer_list<graph::Given<Name, Source>> operands,
                        graph::Attributes attributes = {}) {
  return {{&op, std::move(path), graph::in_order(op, operands, Source{}), std::move(attributes)}};
}

// Returns the definition of the optimizer that the configuration names, and how biases of choices
// change, if the model has any. Pure functions; any thread may call them.
[[nodiscard]] Definition define(const OptimizerConfig& config, const MoeConfig& moe = {});

}  // namespace megascale::optimizer

#endif  // MEGASCALE_OPTIMIZER_DEFINITION_H_
