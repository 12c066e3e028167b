// Lays out and allocates the memory of snapshots. A rank saves many tensors, most of which lie side
// by side in its flat buffers. So a snapshot copies few long ranges of the arena and keeps a table
// of the tensors in them.
#include "megascale/engine/state_snapshot.h"

#include <algorithm>

#include "megascale/plan/step_plan.h"

namespace megascale::engine {
namespace {

// Tensors in a flat buffer start on multiples of this many bytes. A shorter gap is copied, since
// one long copy is faster than two short ones.
constexpr std::uint64_t kLongestGap = plan::kFlatAlignment * sizeof(float);
// Threads touch the memory in pieces of this size.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;

void touch(std::span<std::byte> memory) {
  const std::uint64_t nbytes = memory.size();
#pragma omp parallel for schedule(static) default(none) shared(memory, nbytes, kPiece)
  for (std::uint64_t begin = 0; begin < nbytes; begin += kPiece) {
    const auto piece = memory.subspan(begin, std::min(kPiece, nbytes - begin));
    std::fill(piece.begin(), piece.end(), std::byte{0});
  }
}

}  // namespace

SnapshotLayout::SnapshotLayout(const plan::ModelState& state, const graph::AxisSizes& axes,
                               const graph::Coordinates& coordinates)
    : places_(state_places(state, axes, coordinates)) {
  std::erase_if(places_, [](const StatePlace& place) { return !place.part.saved; });
  std::vector<SnapshotRange> wanted;
  for (const StatePlace& place : places_) {
    const std::uint64_t nbytes = place.numel * sizeof(float);
    wanted.push_back(
        {.arena_offset = place.weight, .nbytes = nbytes, .narrow = place.narrow_weight});
    if (!place.has_moments) continue;
    wanted.push_back({.arena_offset = place.first_moment, .nbytes = nbytes});
    wanted.push_back({.arena_offset = place.second_moment, .nbytes = nbytes});
  }
  std::sort(wanted.begin(), wanted.end(), [](const SnapshotRange& a, const SnapshotRange& b) {
    return a.arena_offset < b.arena_offset;
  });
  for (const SnapshotRange& one : wanted) {
    if (!ranges_.empty()) {
      SnapshotRange& last = ranges_.back();
      const std::uint64_t end = last.arena_offset + last.nbytes;
      const bool are_alike = !one.narrow && !last.narrow;
      if (are_alike && one.arena_offset <= end + kLongestGap) {
        last.nbytes = std::max(end, one.arena_offset + one.nbytes) - last.arena_offset;
        continue;
      }
    }
    ranges_.push_back(one);
  }
  for (SnapshotRange& range : ranges_) {
    range.begin = nbytes_;
    nbytes_ += plan::align_buffer(range.nbytes);
  }
}

std::vector<StatePart> SnapshotLayout::parts(std::byte* memory) const {
  const auto place_of = [&](std::uint64_t arena_offset) {
    const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), arena_offset,
                                         [](std::uint64_t offset, const SnapshotRange& range) {
                                           return offset < range.arena_offset;
                                         });
    const SnapshotRange& range = *std::prev(behind);
    return memory + range.begin + (arena_offset - range.arena_offset);
  };
  std::vector<StatePart> parts;
  for (const StatePlace& place : places_) parts.push_back(place.at(place_of));
  return parts;
}

StateSnapshot::StateSnapshot(const SnapshotLayout& layout)
    : memory_(std::make_unique<Arena>(std::max(layout.nbytes(), std::uint64_t{1}))),
      parts_(layout.parts(memory_->bytes().data())) {
  touch(memory_->bytes());
}

}  // namespace megascale::engine
