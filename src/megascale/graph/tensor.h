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
  count,          // run-time counts and per-step numbers
  batch,          // tokens, targets, positions of one micro-batch
  result,         // sums of one micro-batch that the step reads at its end
};
[[nodiscard]] std::string_view to_string(Role role) noexcept;

// An extent: constant, or bounded by `size` with its value read at run time from element `element`
// of the count tensor.
struct Dim {
  std::int64_t size = 0;
  TensorId count = kNoTensor;
  std::uint32_t element = 0;
  Dim() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): shapes read as {n, c}
  Dim(std::int64_t constant) : size(constant) {}
  Dim(std::int64_t max, TensorId count_tensor, std::uint32_t count_element)
      : size(max), count(count_tensor), element(count_element) {}
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
  Part part;
  [[nodiscard]] std::int64_t nbytes() const noexcept;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_TENSOR_H_
