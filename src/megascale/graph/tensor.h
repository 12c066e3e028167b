#ifndef MEGASCALE_GRAPH_TENSOR_H_
#define MEGASCALE_GRAPH_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/graph/axis.h"

// Tensors of a chunk program: the operands of ops, before they have a place in memory.
namespace megascale::graph {

enum class TensorId : std::uint32_t {};
inline constexpr TensorId kNoTensor{~0U};
[[nodiscard]] constexpr std::size_t index(TensorId id) noexcept {
  return static_cast<std::size_t>(id);
}

// The purpose of a tensor. It decides where the tensor lies and how long it lives.
enum class Role : std::uint8_t {
  parameter,      // the values that kernels multiply with; gathered from shards
  main_gradient,  // float32 sum over the micro-batches of a step
  activation,     // written once per micro-batch (SSA)
  state,          // lives across steps: caches, counters
  batch,          // filled by the host for one micro-batch; Tensor::field says with what
  loss,           // sums of one micro-batch, read at the end of the step
  output,         // the result of a plan without a loss, for the host to read
  record,  // numbers about a step, added over its micro-batches and ranks, for the host to read
};
[[nodiscard]] std::string_view to_string(Role role) noexcept;

// The values with which the host fills a batch tensor. Counts and samples are int64, scores of routes float32,
// those of the reference float64, all others int32.
enum class BatchField : std::uint8_t {
  none,  // no batch tensor, or a tensor that a test fills
  tokens,
  targets,    // -1: the token does not count in the loss
  positions,  // position of each token in its sequence
  segments,   // equal for all tokens of a document
  // For decoding: the number of new tokens, and the number of tokens in the cache including them.
  counts,
  // Of the router in one layer, for each choice of this rank's tokens: the expert (filled if routes are
  // replayed, else written by the step), and its score (float32, written by the step).
  routes,
  route_scores,
  exempt,   // for each sequence of the micro-batch: 1: no choice of its tokens is dropped
  samples,  // the number in the run of each sequence of the micro-batch, which dropout draws by
  // Of each of this rank's tokens in layers with experts, its tensor share of its context share: 1 if it is
  // padding, behind the last document of its sequence; else 0.
  padding,
  // int64[1]: by what the loss divides, as far as it comes from this micro-batch and all of its ranks: tokens
  // with a target, or pairs of a training on preferences.
  counted,
  // Of each sequence of the micro-batch: the sum of the log-probabilities of its counted tokens that the
  // reference model of a training on preferences gives.
  reference_scores
};
[[nodiscard]] std::string_view to_string(BatchField field) noexcept;

// The extent of one dimension. It is constant, or bounded: known at run time only. A bounded extent
// is the sum of `terms` elements, from number `first` on, of the int64 tensor `count`, which an
// earlier op or the host has written. `size` is then the upper bound, for which memory is placed.
struct Dim {
  std::int64_t size = 0;
  TensorId count = kNoTensor;
  std::uint32_t first = 0, terms = 1;
  // The extent that costs are computed for, if it is below the bound; 0: `size`.
  std::int64_t mean = 0;
  // The rows are those of this rank's tokens, for experts of any rank: their number does not depend on
  // how often this rank's experts are chosen.
  bool leaving = false;
  Dim() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): shapes read as {n, c}
  Dim(std::int64_t constant) : size(constant) {}
  Dim(std::int64_t max, TensorId count_tensor, std::uint32_t first_element,
      std::uint32_t elements = 1, std::int64_t expected = 0)
      : size(max), count(count_tensor), first(first_element), terms(elements), mean(expected) {}
  [[nodiscard]] bool bounded() const noexcept { return count != kNoTensor; }
  [[nodiscard]] std::int64_t expected() const noexcept { return mean == 0 ? size : mean; }
  friend bool operator==(const Dim&, const Dim&) = default;
};

using Shape = std::vector<Dim>;
// Returns the number of elements. Bounded extents count with their maximum.
[[nodiscard]] std::int64_t numel(const Shape& shape) noexcept;
[[nodiscard]] std::string to_string(const Shape& shape);

// Says that a tensor consists of some rows of another tensor, `whole`, which is cut into n equal
// blocks of rows.
// The part lies in block ((p + k) mod n), where p is this rank's position in the group of `axes`,
// and begins at row `begin` of that block. If n is 0, the tensor has bytes of its own.
struct Part {
  TensorId whole = kNoTensor;
  AxisSet axes;
  std::uint32_t k = 0, n = 0;
  std::int64_t begin = 0;
};

// A tensor of a program; ops refer to it by TensorId.
struct Tensor {
  std::string name;
  Shape shape;  // row-major; in memory, bounded extents have their maximum
  DType dtype = DType::float32;
  Role role = Role::activation;
  BatchField field = BatchField::none;  // for role batch
  Part part;
  // For role record: the number of its first element among the records of the whole model. For the
  // batch fields of routes: the number of their layer among those with experts.
  std::int64_t number = 0;
  [[nodiscard]] std::int64_t nbytes() const noexcept;
  // The share of these bytes that a step is expected to use: below 1 if rows are counted and more of
  // them may come than come on average.
  [[nodiscard]] double expected_share() const noexcept;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_TENSOR_H_
