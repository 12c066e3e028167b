// Counting sorts of slots and rows. A slot that competes for a place is one integer, whose upper
// half orders affinities and whose lower half is the slot: all integers differ, so the set that is
// kept does not depend on the algorithm that selects it.
#include "megascale/kernels/cpu/dispatch_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "megascale/kernels/router_shape.h"

namespace megascale::kernels::cpu {
namespace {

// Returns a key that is smaller for slots that are kept rather: those with a higher affinity, and
// among equals the earlier ones.
std::uint64_t key_of(float affinity, std::size_t slot) noexcept {
  constexpr std::uint32_t kSign = 0x80000000U, kLowest = 0xFFFFFFFFU;
  std::uint32_t order = kLowest;  // of NaN
  if (!std::isnan(affinity)) {
    const auto bits = std::bit_cast<std::uint32_t>(affinity + 0.0F);  // -0 becomes 0
    const std::uint32_t ascending = (bits & kSign) != 0 ? ~bits : bits | kSign;
    order = ~ascending;
  }
  return std::uint64_t{order} << 32 | slot;
}

}  // namespace

std::int64_t drop_over_capacity(const DropOverCapacity& a) noexcept {
  const std::size_t slots = a.tokens * a.top_k, size = a.experts / a.groups;
  // Calls body(slot, group) for every slot whose choice is an expert.
  const auto each = [&](const auto& body) {
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto expert = static_cast<std::size_t>(a.choice[slot]);
      if (expert < a.experts) body(slot, expert / size);
    }
  };
  const auto is_exempt = [&](std::size_t slot) {
    return a.exempt != nullptr && a.exempt[slot / a.top_k] != 0;
  };
  // Keys are sorted into the scratch by group; ends[g] moves from the begin to the end of group g.
  std::array<std::size_t, kMostExperts> ends{}, exempt{};
  each([&](std::size_t slot, std::size_t group) {
    ++(is_exempt(slot) ? exempt[group] : ends[group]);
  });
  std::exclusive_scan(ends.begin(), ends.begin() + a.groups, ends.begin(), std::size_t{0});
  each([&](std::size_t slot, std::size_t group) {
    if (!is_exempt(slot)) a.scratch[ends[group]++] = key_of(a.affinity[slot], slot);
  });
  std::copy_n(a.choice, a.kept == a.choice ? 0 : slots, a.kept);
  std::size_t dropped = 0, begin = 0;
  const auto capacity = static_cast<std::size_t>(std::max<std::int64_t>(0, a.capacity));
  for (std::size_t group = 0; group < a.groups; ++group) {
    const std::size_t end = ends[group],
                      room = capacity > exempt[group] ? capacity - exempt[group] : 0;
    const std::size_t full = begin + std::min(room, end - begin);
    std::nth_element(a.scratch + begin, a.scratch + full, a.scratch + end);
    for (std::size_t i = full; i < end; ++i)
      a.kept[static_cast<std::uint32_t>(a.scratch[i])] = static_cast<std::int32_t>(a.experts);
    dropped += end - full;
    begin = end;
  }
  return static_cast<std::int64_t>(dropped);
}

std::int64_t dispatch_map(const DispatchMap& a) noexcept {
  const auto expert = [&](std::size_t slot) {
    // A choice below `first` or below zero wraps around, and is outside too.
    return static_cast<std::size_t>(static_cast<std::int64_t>(a.choice[slot]) -
                                    static_cast<std::int64_t>(a.first));
  };
  const std::size_t of_piece = a.experts / a.ranks / a.pieces;
  const auto has_rows = [&](std::size_t e) { return e / of_piece % a.pieces == a.piece; };
  std::fill_n(a.counts, a.experts, std::int64_t{0});
  for (std::size_t slot = 0; slot < a.slots; ++slot) {
    const std::size_t e = expert(slot);
    if (e < a.experts) ++a.counts[e];
  }
  // While slots are placed, counts[e] is the next row of expert e.
  std::int64_t wanted = 0;
  for (std::size_t e = 0; e < a.experts; ++e) {
    if (!has_rows(e)) continue;
    const std::int64_t count = a.counts[e];
    a.counts[e] = wanted;
    wanted += count;
  }
  const auto bound = static_cast<std::int64_t>(a.bound);
  for (std::size_t slot = 0; slot < a.slots; ++slot) {
    const std::size_t e = expert(slot);
    a.place[slot] = -1;
    if (e >= a.experts || !has_rows(e)) continue;
    const std::int64_t row = a.counts[e]++;
    if (row >= bound) continue;
    a.place[slot] = static_cast<std::int32_t>(row);
    a.source[row] = static_cast<std::int32_t>(slot);
  }
  // Now counts[e] is the end of expert e's rows, which is the begin of the next expert's.
  std::int64_t begin = 0;
  for (std::size_t e = 0; e < a.experts; ++e) {
    if (!has_rows(e)) continue;
    const std::int64_t end = std::min(a.counts[e], bound);
    a.counts[e] = end - begin;
    begin = end;
  }
  return wanted;
}

void sum_counts(const std::int64_t* counts, std::size_t experts, std::size_t stride,
                std::size_t ranks, std::int64_t* result) noexcept {
  for (std::size_t r = 0; r < ranks; ++r)
    result[r] =
        std::accumulate(counts + r * stride, counts + r * stride + experts, std::int64_t{0});
}

std::int64_t regroup_map(const RegroupMap& a) noexcept {
  const std::size_t stride = a.pieces * a.experts;
  const std::int64_t* arrived = a.arrived + a.piece * a.experts;
  std::int64_t left = static_cast<std::int64_t>(a.bound);
  for (std::size_t r = 0; r < a.ranks; ++r) {
    for (std::size_t e = 0; e < a.experts; ++e) {
      const std::int64_t count = arrived[r * stride + e];
      if (count < 0 || count > left) return -1;
      left -= count;
    }
  }
  sum_counts(arrived, a.experts, stride, a.ranks, a.received);
  std::int32_t row = 0;
  for (std::size_t e = 0; e < a.experts; ++e) {
    const std::int32_t begin = row;
    std::int64_t rank_begin = 0;  // the first arrival row of rank r
    for (std::size_t r = 0; r < a.ranks; ++r) {
      const std::int64_t* counts = arrived + r * stride;
      const std::int64_t first = std::accumulate(counts, counts + e, rank_begin);
      for (std::int64_t i = 0; i < counts[e]; ++i, ++row) {
        a.order[row] = static_cast<std::int32_t>(first + i);
        a.inverse[first + i] = row;
      }
      rank_begin += a.received[r];
    }
    a.groups[e] = row - begin;
  }
  return row;
}

}  // namespace megascale::kernels::cpu
