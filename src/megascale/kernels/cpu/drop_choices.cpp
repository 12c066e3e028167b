// The choices are copied into the order in which they compete; those of this rank are copied back.
#include "megascale/kernels/cpu/drop_choices.h"

#include <algorithm>

#include "megascale/base/expert_capacity.h"
#include "megascale/kernels/cpu/dispatch_map.h"

namespace megascale::kernels::cpu {

namespace {

// Padding has no choices, and so no part in what a group keeps.
std::int64_t capacity_of(const DropChoices& a) noexcept {
  if (a.factor == 0) return a.capacity;
  const std::int32_t* end = a.choice + a.sequences * a.length * a.top_k;
  const auto choices = std::count_if(a.choice, end, [&](std::int32_t choice) {
    return static_cast<std::size_t>(choice) < a.experts;
  });
  return std::min(a.capacity,
                  expert_capacity(a.factor, choices, static_cast<std::int64_t>(a.groups)));
}

}  // namespace

std::int64_t drop_choices(const DropChoices& a, std::byte* scratch) noexcept {
  const std::size_t tokens = a.sequences * a.length, slots = tokens * a.top_k,
                    share = a.length / a.contexts;
  auto* keys = reinterpret_cast<std::uint64_t*>(scratch);
  auto* affinity = reinterpret_cast<float*>(keys + slots);
  auto* choice = reinterpret_cast<std::int32_t*>(affinity + slots);
  auto* exempt = reinterpret_cast<std::uint8_t*>(choice + slots);
  // Returns the place of a gathered token among all, by sequence and position.
  const auto place = [&](std::size_t token) {
    const std::size_t row = token % (a.sequences * share), context = token / (a.sequences * share);
    return row / share * a.length + context * share + row % share;
  };
  for (std::size_t token = 0; token < tokens; ++token) {
    const std::size_t to = place(token);
    std::copy_n(a.choice + token * a.top_k, a.top_k, choice + to * a.top_k);
    std::copy_n(a.affinity + token * a.top_k, a.top_k, affinity + to * a.top_k);
    if (a.exempt != nullptr) exempt[to] = a.exempt[to / a.length] != 0 ? 1 : 0;
  }
  drop_over_capacity({.tokens = tokens,
                      .experts = a.experts,
                      .top_k = a.top_k,
                      .groups = a.groups,
                      .capacity = capacity_of(a),
                      .choice = choice,
                      .affinity = affinity,
                      .exempt = a.exempt != nullptr ? exempt : nullptr,
                      .kept = choice,
                      .scratch = keys});
  std::int64_t dropped = 0;
  for (std::size_t token = 0; token < a.tokens; ++token) {
    const std::int32_t *before = a.choice + (a.first + token) * a.top_k,
                       *after = choice + place(a.first + token) * a.top_k;
    for (std::size_t j = 0; j < a.top_k; ++j) {
      a.kept[token * a.top_k + j] = after[j];
      if (after[j] != before[j]) ++dropped;
    }
  }
  return dropped;
}

std::size_t drop_choices_scratch_bytes(std::size_t tokens, std::size_t top_k) noexcept {
  return tokens * top_k * (sizeof(std::uint64_t) + sizeof(float) + sizeof(std::int32_t)) + tokens;
}

}  // namespace megascale::kernels::cpu
