// The router: scores of a row are computed with vectors into a buffer on the stack, then the best
// are found by insertion. The gradient computes the scores again, which is cheaper than to keep
// them.
#include "megascale/kernels/cpu/router.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/even_choice.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/router.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/router_scores-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_ROUTER_ONCE_
#define MEGASCALE_KERNELS_CPU_ROUTER_ONCE_
namespace megascale::kernels::cpu {

// Added to a sum of scores before it divides: a token all of whose scores underflow gets weights of
// zero and not NaN. The value is Megatron-LM's.
inline constexpr float kSumFloor = 1e-20F;

// Writes the k experts with the highest keys, the highest first, of those that the shape allows.
void choose(const RouterShape& shape, const float* keys, std::int32_t* choice);

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

HWY_INLINE void row_scores(const RouterShape& s, const float* x, float* scores) {
  if (s.score_function == ScoreFunction::softmax) {
    row_softmax(x, s.experts, scores);
  } else {
    row_sigmoid(x, s.experts, scores);
  }
}

void route_rows(const Route& a, std::size_t first, std::size_t last) {
  const std::size_t experts = a.shape.experts, k = a.shape.top_k;
  HWY_ALIGN float scores[kMostExperts];
  HWY_ALIGN float keys[kMostExperts];
  for (std::size_t n = first; n < last; ++n) {
    row_scores(a.shape, a.logits + n * experts, scores);
    std::int32_t* choice = a.choice + n * k;
    if (a.padding != nullptr && a.padding[n] != 0) {
      std::fill_n(choice, k, static_cast<std::int32_t>(experts));
    } else if (a.fixed != nullptr) {
      std::memcpy(choice, a.fixed + n * k, k * sizeof(std::int32_t));
    } else if (a.even) {
      for (std::size_t j = 0; j < k; ++j) choice[j] = even_choice(n * k + j, experts);
    } else if (a.bias != nullptr) {
      for_each_vector(0, experts, [&](auto at) HWY_ATTR {
        at.store(hn::Add(at.load(scores), at.load(a.bias)), keys);
      });
      choose(a.shape, keys, choice);
    } else {
      choose(a.shape, scores, choice);
    }
    const auto score = [&](std::size_t j) {
      return static_cast<std::size_t>(choice[j]) < experts ? scores[choice[j]] : 0.0F;
    };
    float sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += score(j);
    const float factor = a.shape.normalise ? a.shape.scale / (sum + kSumFloor) : a.shape.scale;
    for (std::size_t j = 0; j < k; ++j) {
      a.weight[n * k + j] = score(j) * factor;
      if (a.affinity != nullptr) a.affinity[n * k + j] = score(j);
    }
  }
}

void route_gradient_rows(const RouteGradient& a, std::size_t first, std::size_t last) {
  const std::size_t experts = a.shape.experts, k = a.shape.top_k;
  const bool softmax = a.shape.score_function == ScoreFunction::softmax;
  HWY_ALIGN float scores[kMostExperts];
  for (std::size_t n = first; n < last; ++n) {
    row_scores(a.shape, a.logits + n * experts, scores);
    const float* dweight = a.dweight + n * k;
    const std::int32_t* choice = a.choice + n * k;
    const auto chosen = [=](std::size_t j) {
      return static_cast<std::size_t>(choice[j]) < experts;
    };
    // The gradient of the score of choice j is factor (dweight[j] - mean): without `normalise` the
    // factor is the scale and the mean is 0.
    float sum = 0, mean = 0;
    for (std::size_t j = 0; j < k; ++j) sum += chosen(j) ? scores[choice[j]] : 0.0F;
    sum += kSumFloor;
    if (a.shape.normalise) {
      for (std::size_t j = 0; j < k; ++j)
        mean += chosen(j) ? dweight[j] * (scores[choice[j]] / sum) : 0.0F;
    }
    const float factor = a.shape.normalise ? a.shape.scale / sum : a.shape.scale;
    const auto dscore = [=](std::size_t j) { return factor * (dweight[j] - mean); };
    float dot = 0;  // sum over e of score[e] dscore[e], for softmax
    for (std::size_t j = 0; j < k && softmax; ++j)
      dot += chosen(j) ? dscore(j) * scores[choice[j]] : 0.0F;
    float* dlogits = a.dlogits + n * experts;
    const float* addend = a.addend == nullptr ? nullptr : a.addend + n * experts;
    const Vec negative_dot = set(-dot);
    for_each_vector(0, experts, [=, &scores](auto at) HWY_ATTR {
      const Vec start = addend == nullptr ? zero() : at.load(addend);
      at.store(softmax ? hn::MulAdd(negative_dot, at.load(scores), start) : start, dlogits);
    });
    for (std::size_t j = 0; j < k; ++j) {
      if (!chosen(j)) continue;
      const float score = scores[choice[j]];
      dlogits[choice[j]] += dscore(j) * (softmax ? score : score * (1.0F - score));
    }
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(route_rows);
HWY_EXPORT(route_gradient_rows);

// The candidates with the highest keys so far, the highest first. Candidates are added in ascending order.
class Best {
 public:
  Best(const float* keys, std::size_t most, std::int32_t* best)
      : keys_(keys), most_(most), best_(best) {}
  void add(std::size_t first, std::size_t last) {
    // Whether candidate a comes before b, for a > b: only if its key is greater.
    const auto before = [](float a, float b) { return a > b || (std::isnan(b) && !std::isnan(a)); };
    for (std::size_t c = first; c < last; ++c) {
      std::size_t place = count_;
      while (place > 0 && before(keys_[c], keys_[best_[place - 1]])) --place;
      if (place == most_) continue;
      if (count_ < most_) ++count_;
      for (std::size_t i = count_ - 1; i > place; --i) best_[i] = best_[i - 1];
      best_[place] = static_cast<std::int32_t>(c);
    }
  }

 private:
  const float* keys_;
  std::size_t most_, count_ = 0;
  std::int32_t* best_;
};

// Writes the M best groups in ascending order. `best` has room for k experts.
void choose_groups(const RouterShape& s, const float* keys, std::int32_t* best,
                   std::int32_t* groups) {
  std::array<float, kMostExpertGroups> sums{};
  const std::size_t size = s.experts / s.groups;
  for (std::size_t g = 0; g < s.groups; ++g) {
    Best(keys, s.best_of_group(), best).add(g * size, (g + 1) * size);
    for (std::size_t i = 0; i < s.best_of_group(); ++i) sums[g] += keys[best[i]];
  }
  Best(sums.data(), s.groups_of_token, groups).add(0, s.groups);
  std::sort(groups, groups + s.groups_of_token);
}

void choose(const RouterShape& s, const float* keys, std::int32_t* choice) {
  Best best(keys, s.top_k, choice);
  if (s.groups == 0) return best.add(0, s.experts);
  std::array<std::int32_t, kMostExpertGroups> groups{};
  choose_groups(s, keys, choice, groups.data());
  const std::size_t size = s.experts / s.groups;
  for (std::size_t i = 0; i < s.groups_of_token; ++i) {
    const std::size_t first = static_cast<std::size_t>(groups[i]) * size;
    best.add(first, first + size);
  }
}

void route(const Route& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(route_rows);
  parallel_ranges(args.shape.tokens, 1, args.shape.experts * 8 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
  if (args.loads == nullptr) return;
  std::memset(args.loads, 0, args.shape.experts * sizeof(std::int64_t));
  for (std::size_t slot = 0; slot < args.shape.tokens * args.shape.top_k; ++slot) {
    const auto expert = static_cast<std::size_t>(args.choice[slot]);
    if (expert < args.shape.experts) ++args.loads[expert];
  }
}

void route_gradient(const RouteGradient& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(route_gradient_rows);
  parallel_ranges(args.shape.tokens, 1, args.shape.experts * 8 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
