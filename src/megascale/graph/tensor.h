#ifndef MEGASCALE_GRAPH_TENSOR_H_
#define MEGASCALE_GRAPH_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/graph/axis.h"

// Tensors of a chunk program: what an op reads and writes, before anything is placed in memory.
namespace megascale::graph {

enum class TensorId : std::uint32_t {};
inline constexpr TensorId kNoTensor{~0U};
[[nodiscard]] constexpr std::size_t index(TensorId id) noexcept {
  return static_cast<std::size_t>(id);
}

enum class Role : std::uint8_t {
  parameter,      // what kernels multiply with; gathered from shards
  main_gradient,  // float32 sum over the micro-batches of a step
  activation,     // written once per micro-batch (SSA)
  state,          // lives across steps: caches, counters
  batch,          // what the host fills in: tokens, targets, positions, counts of one micro-batch
  loss,           // sums of one micro-batch that the step reads at its end
  output,         // what a plan without a loss computes, for the host to read
};
[[nodiscard]] std::string_view to_string(Role role) noexcept;

// Which values of a micro-batch the host fills a batch tensor with. Counts are int64, all others
// int32.
enum class BatchField : std::uint8_t {
  none,  // no batch tensor, or one that a test fills by itself
  tokens,
  targets,    // -1: this token does not count
  positions,  // of each token in its sequence
  segments,   // equal within a document
  counts      // of decoding: new tokens; tokens in the cache once these are in it
};
[[nodiscard]] std::string_view to_string(BatchField field) noexcept;

// An extent: constant, or known at run time only. Then it is the sum of `terms` elements, from
// number `first` on, of the int64 tensor `count`, which any earlier op or the host has written;
// `size` is its stated bound, for which memory is placed.
struct Dim {
  std::int64_t size = 0;
  TensorId count = kNoTensor;
  std::uint32_t first = 0, terms = 1;
  Dim() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): shapes read as {n, c}
  Dim(std::int64_t constant) : size(constant) {}
  Dim(std::int64_t max, TensorId count_tensor, std::uint32_t first_element,
      std::uint32_t elements = 1)
      : size(max), count(count_tensor), first(first_element), terms(elements) {}
  [[nodiscard]] bool bounded() const noexcept { return count != kNoTensor; }
  friend bool operator==(const Dim&, const Dim&) = default;
};

using Shape = std::vector<Dim>;
// Number of elements with every bounded extent at its maximum.
[[nodiscard]] std::int64_t numel(const Shape& shape) noexcept;
[[nodiscard]] std::string to_string(const Shape& shape);

// A tensor may be rows of another one: `whole` is cut in n equal blocks of rows, and this is in the
// block ((place in the group of `axes` + k) mod n), from its row `begin` on. n = 0: a tensor of its
// own.
struct Part {
  TensorId whole = kNoTensor;
  AxisSet axes;
  std::uint32_t k = 0, n = 0;
  std::int64_t begin = 0;
};

struct Tensor {
  std::string name;
  Shape shape;  // row-major; bounded extents count at their maximum in memory
  DType dtype = DType::float32;
  Role role = Role::activation;
  BatchField field = BatchField::none;  // of role batch
  Part part;
  [[nodiscard]] std::int64_t nbytes() const noexcept;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_TENSOR_H_
