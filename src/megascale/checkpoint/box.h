#ifndef MEGASCALE_CHECKPOINT_BOX_H_
#define MEGASCALE_CHECKPOINT_BOX_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Boxes of a row-major tensor: what a checkpoint stores and what a reader asks for. Extents and
// offsets are in elements, one per axis; a scalar has no axes and one element. Pure functions of
// values.
namespace megascale::checkpoint {

using Extents = std::vector<std::int64_t>;

struct Box {
  Extents offset, shape;  // of equal size
  bool operator==(const Box&) const = default;
};

// Product of the extents; empty when one is negative or the product is 2^62 or more.
[[nodiscard]] std::optional<std::uint64_t> checked_numel(
    std::span<const std::int64_t> shape) noexcept;
// "[3, 4]"
[[nodiscard]] std::string to_string(std::span<const std::int64_t> extents);
// "[0:3, 8:12]"
[[nodiscard]] std::string to_string(const Box& box);

[[nodiscard]] Box whole(const Extents& shape);
// Whether `box` has the axes of `shape`, no empty extent, and lies inside.
[[nodiscard]] bool lies_inside(const Box& box, std::span<const std::int64_t> shape) noexcept;
// The common part of two boxes of one tensor; empty when they share no element.
[[nodiscard]] std::optional<Box> intersect(const Box& a, const Box& b);
// What keeps `boxes`, each inside `shape`, from tiling it exactly: the first overlap, or how many
// elements are missing. Cost: n log n plus the pairs that overlap along the first axis.
[[nodiscard]] std::optional<std::string> tiling_error(std::span<const std::int64_t> shape,
                                                      std::span<const Box> boxes);

// The row-major elements [begin, end) of a tensor as boxes, in order; each is contiguous in memory.
// A shard of a flat buffer cuts a tensor at any element, and this is how it is said without the
// flat buffer. At most 2 x axes - 1 boxes. Needs begin < end <= numel(shape).
[[nodiscard]] std::vector<Box> boxes_of_range(std::span<const std::int64_t> shape,
                                              std::uint64_t begin, std::uint64_t end);

// Elements before `box.offset + index` in a row-major array that holds `box`.
struct CopyRun {
  std::uint64_t source = 0, destination = 0;  // first element, in an array of each box
  std::uint64_t count = 0;
};
// The contiguous runs that copy `part` from an array of `source` to an array of `destination`, in
// the order of `part`. Needs `part` inside both.
[[nodiscard]] std::vector<CopyRun> copy_runs(const Box& part, const Box& source,
                                             const Box& destination);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_BOX_H_
