// Arithmetic on boxes of row-major tensors. Shapes may come from damaged files, so products and
// sums are checked for overflow. To check a tiling, boxes are sorted along the first axis and
// compared with those that overlap there. Once no two boxes overlap, the count of elements reveals
// gaps.
#include "megascale/checkpoint/box.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "megascale/base/error.h"

namespace megascale::checkpoint {

std::optional<std::uint64_t> checked_numel(std::span<const std::int64_t> shape) noexcept {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;
  bool empty = false;
  std::uint64_t product = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      empty = true;
      continue;
    }
    // The other extents must fit even beside an extent of 0, because strides are products of them.
    if (static_cast<std::uint64_t>(extent) >= (kLimit + product - 1) / product) return std::nullopt;
    product *= static_cast<std::uint64_t>(extent);
  }
  return empty ? 0 : product;
}

std::string to_string(std::span<const std::int64_t> extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::string to_string(const Box& box) {
  std::string text = "[";
  for (std::size_t a = 0; a < box.shape.size(); ++a) {
    text += fmt::format("{}{}:{}", a == 0 ? "" : ", ", box.offset[a], box.offset[a] + box.shape[a]);
  }
  return text + "]";
}

Box whole(const Extents& shape) { return {Extents(shape.size(), 0), shape}; }

bool lies_inside(const Box& box, std::span<const std::int64_t> shape) noexcept {
  if (box.offset.size() != shape.size() || box.shape.size() != shape.size()) return false;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    // The comparisons in this order cannot overflow.
    if (box.offset[a] < 0 || box.shape[a] <= 0 || box.offset[a] > shape[a] ||
        box.shape[a] > shape[a] - box.offset[a]) {
      return false;
    }
  }
  return true;
}

std::optional<Box> intersect(const Box& a, const Box& b) {
  Box common;
  for (std::size_t i = 0; i < a.shape.size(); ++i) {
    const std::int64_t begin = std::max(a.offset[i], b.offset[i]);
    const std::int64_t end = std::min(a.offset[i] + a.shape[i], b.offset[i] + b.shape[i]);
    if (begin >= end) return std::nullopt;
    common.offset.push_back(begin);
    common.shape.push_back(end - begin);
  }
  return common;
}

std::optional<std::string> tiling_error(std::span<const std::int64_t> shape,
                                        std::span<const Box> boxes) {
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return boxes[a].offset < boxes[b].offset; });
  std::uint64_t held = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Box& box = boxes[order[i]];
    held += checked_numel(box.shape).value_or(0);
    for (std::size_t k = i + 1; k < order.size(); ++k) {
      const Box& other = boxes[order[k]];
      // Boxes are sorted by offset, so no later box can overlap this one either.
      if (!shape.empty() && other.offset[0] >= box.offset[0] + box.shape[0]) break;
      if (intersect(box, other))
        return fmt::format("pieces {} and {} overlap", to_string(box), to_string(other));
    }
  }
  const std::uint64_t wanted = checked_numel(shape).value_or(0);
  if (held != wanted) return fmt::format("pieces hold {} of {} elements", held, wanted);
  return std::nullopt;
}

std::vector<Box> boxes_of_range(std::span<const std::int64_t> shape, std::uint64_t begin,
                                std::uint64_t end) {
  if (shape.empty()) return {Box{}};
  const std::uint64_t row = checked_numel(shape.subspan(1)).value_or(0);
  MEGASCALE_CHECK(begin < end && row > 0 && end <= row * static_cast<std::uint64_t>(shape[0]),
                  "a range lies inside its tensor");
  std::vector<Box> boxes;
  const auto part_of_row = [&](std::uint64_t index, std::uint64_t from, std::uint64_t to) {
    for (Box& box : boxes_of_range(shape.subspan(1), from, to)) {
      box.offset.insert(box.offset.begin(), static_cast<std::int64_t>(index));
      box.shape.insert(box.shape.begin(), 1);
      boxes.push_back(std::move(box));
    }
  };
  if (begin / row == (end - 1) / row && end - begin < row) {
    part_of_row(begin / row, begin % row, begin % row + (end - begin));
    return boxes;
  }
  if (begin % row != 0) part_of_row(begin / row, begin % row, row);
  const std::uint64_t first = (begin + row - 1) / row, last = end / row;
  if (first < last) {
    Box rows = whole(Extents(shape.begin(), shape.end()));
    rows.offset[0] = static_cast<std::int64_t>(first);
    rows.shape[0] = static_cast<std::int64_t>(last - first);
    boxes.push_back(std::move(rows));
  }
  if (end % row != 0) part_of_row(last, 0, end % row);
  return boxes;
}

std::vector<CopyRun> copy_runs(const Box& part, const Box& source, const Box& destination) {
  const std::size_t axes = part.shape.size();
  const auto strides = [&](const Box& box) {
    std::vector<std::uint64_t> stride(axes, 1);
    for (std::size_t a = axes; a-- > 1;)
      stride[a - 1] = stride[a] * static_cast<std::uint64_t>(box.shape[a]);
    return stride;
  };
  const auto source_stride = strides(source), destination_stride = strides(destination);
  // A run spans all last axes that `part` covers wholly in both arrays. It also spans the axis
  // before these, of which `part` covers a contiguous range.
  std::size_t outer = axes;
  std::uint64_t count = 1;
  while (outer > 0) {
    --outer;
    count *= static_cast<std::uint64_t>(part.shape[outer]);
    if (part.shape[outer] != source.shape[outer] || part.shape[outer] != destination.shape[outer])
      break;
  }
  std::vector<CopyRun> result;
  Extents index(outer, 0);
  for (;;) {
    CopyRun run{.count = count};
    for (std::size_t a = 0; a < axes; ++a) {
      const std::int64_t at = part.offset[a] + (a < outer ? index[a] : 0);
      run.source += static_cast<std::uint64_t>(at - source.offset[a]) * source_stride[a];
      run.destination +=
          static_cast<std::uint64_t>(at - destination.offset[a]) * destination_stride[a];
    }
    result.push_back(run);
    std::size_t a = outer;
    while (a > 0 && ++index[a - 1] == part.shape[a - 1]) index[--a] = 0;
    if (a == 0) return result;
  }
}

void copy_block(std::span<const CopyRun> all, std::size_t& run, std::size_t itemsize,
                std::uint64_t at, std::span<const std::byte> block, std::span<std::byte> out) {
  const std::uint64_t end = at + block.size();
  for (; run < all.size(); ++run) {
    const std::uint64_t begin = all[run].source * itemsize,
                        stop = begin + all[run].count * itemsize;
    const std::uint64_t from = std::max(begin, at), to = std::min(stop, end);
    if (from < to)
      std::memcpy(out.data() + all[run].destination * itemsize + (from - begin),
                  block.data() + (from - at), to - from);
    if (stop > end) return;  // the rest of this run lies in the next block
  }
}

}  // namespace megascale::checkpoint
