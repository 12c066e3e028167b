#ifndef MEGASCALE_CHECKPOINT_BOX_H_
#define MEGASCALE_CHECKPOINT_BOX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Boxes: axis-aligned parts of a row-major tensor. A checkpoint stores boxes, and a reader asks for
// boxes; this file computes how they overlap and which bytes to copy. Offsets and extents are in
// elements, one per axis. A scalar has no axes and one element. All functions are pure and may be
// called from any thread.
namespace megascale::checkpoint {

using Extents = std::vector<std::int64_t>;

struct Box {
  Extents offset, shape;  // one entry per axis of the tensor
  bool operator==(const Box&) const = default;
};

// Returns the number of elements (the product of the extents). Empty if an extent is negative, or
// if the product of the extents that are not 0 is 2^62 or more.
[[nodiscard]] std::optional<std::uint64_t> checked_numel(
    std::span<const std::int64_t> shape) noexcept;
// Returns, for instance, "[3, 4]".
[[nodiscard]] std::string to_string(std::span<const std::int64_t> extents);
// Returns first and end index of each axis, for instance "[0:3, 8:12]".
[[nodiscard]] std::string to_string(const Box& box);

// Returns the box that covers a tensor of this shape.
[[nodiscard]] Box whole(const Extents& shape);
// Returns whether `box` has as many axes as `shape`, has no empty or negative extent, and lies
// inside the tensor.
[[nodiscard]] bool lies_inside(const Box& box, std::span<const std::int64_t> shape) noexcept;
// Returns the common part of two boxes of one tensor; empty if they share no element.
[[nodiscard]] std::optional<Box> intersect(const Box& a, const Box& b);
// Returns why `boxes` do not tile a tensor of `shape` exactly: the first two boxes that overlap, or
// the number of missing elements. Returns nothing if they tile it. Every box must lie inside
// `shape`. The cost is O(n log n), plus the number of pairs that overlap along the first axis.
[[nodiscard]] std::optional<std::string> tiling_error(std::span<const std::int64_t> shape,
                                                      std::span<const Box> boxes);

// Returns the elements [begin, end) of a tensor, counted in row-major order, as boxes in that
// order. Each box is contiguous in memory. A shard of a flat buffer may cut a tensor at any
// element; with these boxes a checkpoint can describe the part without naming the flat buffer.
// Returns at most 2 x axes - 1 boxes. Requires begin < end <= number of elements.
[[nodiscard]] std::vector<Box> boxes_of_range(std::span<const std::int64_t> shape,
                                              std::uint64_t begin, std::uint64_t end);

// A run of elements that is contiguous both in the source array and in the destination array.
// Positions are element numbers from the start of each array.
struct CopyRun {
  std::uint64_t source = 0, destination = 0;  // position of the first element in each array
  std::uint64_t count = 0;                    // elements
};
// Returns the contiguous runs that copy the box `part` from an array that holds the box `source` to
// an array that holds the box `destination`. Both arrays are row-major. Runs come in the row-major
// order of `part`. `part` must lie inside both boxes.
[[nodiscard]] std::vector<CopyRun> copy_runs(const Box& part, const Box& source,
                                             const Box& destination);
// Copies those bytes of a block that belong to the runs. The source comes block by block, from its
// start: this one holds the bytes [at, at + block.size()). The runs must ascend in the source; `run`,
// at first 0, is the first one that is not finished.
void copy_block(std::span<const CopyRun> all, std::size_t& run, std::size_t itemsize,
                std::uint64_t at, std::span<const std::byte> block, std::span<std::byte> out);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_BOX_H_
