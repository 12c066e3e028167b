// AdamW and LAMB over flat buffers, vectorized with Highway. The scalars of a step are computed
// once in double and rounded to float. Work is divided at borders of 4,096-element blocks, so that
// LAMB's block sums of squares do not depend on the number of threads.
#include "megascale/kernels/cpu/optimizer.h"

#include <atomic>
#include <cmath>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/optimizer.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"
#include "megascale/kernels/cpu/square_sum-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_OPTIMIZER_ONCE_
#define MEGASCALE_KERNELS_CPU_OPTIMIZER_ONCE_
namespace megascale::kernels::cpu {

// The factors of a step, derived from its scalars in double, each rounded to float once.
struct AdamFactors {
  float scale, beta1, fresh1, beta2, fresh2, mhat, root_vhat, eps, decay, lr;
};

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

using WordTag = hn::RebindToUnsigned<Tag>;
using Words = hn::Vec<WordTag>;

// Digests of vectors. Each lane is a polynomial in an odd number over its words, mod 2^32, so a change
// of one word always changes it. The chains do not depend on each other, which hides the latency of
// the products.
struct Chains {
  Words param, m, v;
};
HWY_INLINE void add(Words& chain, Vec value) {
  chain = hn::Add(hn::Mul(chain, hn::Set(WordTag(), 0x9E3779B1U)), hn::BitCast(WordTag(), value));
}
// Folds all lanes, and where the elements begin, into one number.
HWY_INLINE std::uint64_t fold(const Chains& chains, std::size_t first) {
  HWY_ALIGN std::uint32_t lanes[3 * kLanes];
  hn::Store(chains.param, WordTag(), lanes);
  hn::Store(chains.m, WordTag(), lanes + kLanes);
  hn::Store(chains.v, WordTag(), lanes + 2 * kLanes);
  std::uint64_t folded = first;
  for (const std::uint32_t lane : lanes) {
    folded = (folded ^ lane) * 0x9E3779B97F4A7C15ULL;
    folded ^= folded >> 32U;
  }
  return folded;
}
// What was read, and what was written in its place.
struct Digests {
  Chains read, written;
};
HWY_INLINE Digests no_digests() {
  const Words none = hn::Zero(WordTag());
  return {{none, none, none}, {none, none, none}};
}
HWY_INLINE StateDigests fold(const Digests& digests, std::size_t first) {
  return {.read = fold(digests.read, first), .written = fold(digests.written, first)};
}

// Updates the moments of one vector of elements and returns mhat / (sqrt(vhat) + eps).
template <class At>
HWY_INLINE Vec adam_step(At at, const OptimizerRange& r, const AdamFactors& f, Digests& digests) {
  const Vec g = hn::Mul(at.load(r.gradient), set(f.scale));
  const Vec old_m = at.load(r.m), old_v = at.load(r.v);
  const Vec m = hn::MulAdd(set(f.beta1), old_m, hn::Mul(set(f.fresh1), g));
  const Vec v = hn::MulAdd(set(f.beta2), old_v, hn::Mul(hn::Mul(set(f.fresh2), g), g));
  at.store(m, r.m);
  at.store(v, r.v);
  add(digests.read.m, old_m);
  add(digests.read.v, old_v);
  add(digests.written.m, at.keep(m));
  add(digests.written.v, at.keep(v));
  return hn::Div(hn::Mul(m, set(f.mhat)), hn::MulAdd(hn::Sqrt(v), set(f.root_vhat), set(f.eps)));
}

// The structs are copied into locals. The compiler must assume that a vector store changes any
// object that a reference names, and would load their fields again.
StateDigests adamw_range(const OptimizerRange& range, const AdamFactors& factors, float decay,
                         std::size_t first, std::size_t last) {
  const OptimizerRange r = range;
  const AdamFactors f = factors;
  Digests digests = no_digests();
  for_each_vector(first, last, [&](auto at) HWY_ATTR {
    const Vec param = at.load(r.param);
    // The change is computed first and subtracted once. Multiplying by (1 - lr decay) instead would
    // lose most digits of lr decay in float.
    const Vec change = hn::MulAdd(set(decay), param, adam_step(at, r, f, digests));
    const Vec updated = hn::NegMulAdd(set(f.lr), change, param);
    at.store(updated, r.param);
    add(digests.read.param, param);
    add(digests.written.param, at.keep(updated));
  });
  return fold(digests, first);
}

// Processes the elements [first, last), which lie in one block of 4,096.
StateDigests lamb_block(const LambDirection& a, const AdamFactors& factors, float decay,
                        std::size_t first, std::size_t last) {
  const OptimizerRange r = a.range;
  const AdamFactors f = factors;
  float* direction = a.direction;
  Digests digests = no_digests();
  for_each_vector(first, last, [&](auto at) HWY_ATTR {
    at.store(hn::MulAdd(set(decay), at.load(r.param), adam_step(at, r, f, digests)), direction);
  });
  const std::size_t block = first / kNormBlock;
  a.param_squares[block] = square_sum(r.param + first, last - first);
  a.direction_squares[block] = square_sum(direction + first, last - first);
  return fold(digests, first);
}

StateDigests subtract_scaled(float* param, const float* direction, float factor, std::size_t first,
                             std::size_t last) {
  const Vec scale = set(factor);
  Digests digests = no_digests();
  for_each_vector(first, last, [&, param, direction, scale](auto at) HWY_ATTR {
    const Vec old = at.load(param);
    const Vec updated = hn::NegMulAdd(scale, at.load(direction), old);
    at.store(updated, param);
    add(digests.read.param, old);
    add(digests.written.param, at.keep(updated));
  });
  return fold(digests, first);
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(adamw_range);
HWY_EXPORT(lamb_block);
HWY_EXPORT(subtract_scaled);

namespace {

AdamFactors factors_of(const AdamScalars& s) noexcept {
  const double t = static_cast<double>(s.step);
  const auto f = [](double value) { return static_cast<float>(value); };
  return {.scale = f(s.gradient_scale),
          .beta1 = f(s.beta1),
          .fresh1 = f(1 - s.beta1),
          .beta2 = f(s.beta2),
          .fresh2 = f(1 - s.beta2),
          .mhat = f(1 / (1 - std::pow(s.beta1, t))),
          .root_vhat = f(1 / std::sqrt(1 - std::pow(s.beta2, t))),
          .eps = f(s.eps),
          .decay = f(s.weight_decay),
          .lr = f(s.lr)};
}

// Calls body(segment number, first, last) for parts of segments. The team shares the blocks evenly;
// a part never crosses a border of a 4,096-element block. Returns the sums of the digests that body
// returns, which do not depend on who computes which part.
template <class Body>
StateDigests for_each_part(std::span<const OptimizerSegment> segments, std::size_t item_bytes,
                           const Body& body) noexcept {
  std::atomic<std::uint64_t> read{0}, written{0};
  if (segments.empty()) return {};
  const std::size_t end = segments.back().begin + segments.back().count;
  parallel_ranges(
      norm_blocks(end), 1, kNormBlock * item_bytes,
      [&](std::size_t first_block, std::size_t last_block) {
        const std::size_t range_first = first_block * kNormBlock,
                          range_last = last_block * kNormBlock;
        for (std::size_t s = 0; s < segments.size(); ++s) {
          std::size_t first = std::max(range_first, segments[s].begin);
          const std::size_t last = std::min(range_last, segments[s].begin + segments[s].count);
          while (first < last) {
            const std::size_t part_last = std::min(last, (first / kNormBlock + 1) * kNormBlock);
            const StateDigests part = body(s, first, part_last);
            read.fetch_add(part.read, std::memory_order_relaxed);
            written.fetch_add(part.written, std::memory_order_relaxed);
            first = part_last;
          }
        }
      });
  return {.read = read, .written = written};
}

}  // namespace

StateDigests adamw(const OptimizerRange& range, const AdamScalars& scalars) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(adamw_range);
  const AdamFactors factors = factors_of(scalars);
  return for_each_part(
      range.segments, 7 * sizeof(float), [&](std::size_t s, std::size_t first, std::size_t last) {
        return run(range, factors, range.segments[s].decay ? factors.decay : 0.0F, first, last);
      });
}

StateDigests lamb_direction(const LambDirection& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(lamb_block);
  const AdamFactors factors = factors_of(args.scalars);
  for (double& sum : args.param_squares) sum = 0;
  for (double& sum : args.direction_squares) sum = 0;
  return for_each_part(
      args.range.segments, 7 * sizeof(float),
      [&](std::size_t s, std::size_t first, std::size_t last) {
        return run(args, factors, args.range.segments[s].decay ? factors.decay : 0.0F, first, last);
      });
}

double lamb_trust_ratio(double param_squares, double direction_squares) noexcept {
  if (param_squares == 0 || direction_squares == 0) return 1;
  return std::sqrt(param_squares) / std::sqrt(direction_squares);
}

StateDigests lamb_apply(const LambApply& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(subtract_scaled);
  return for_each_part(args.segments, 3 * sizeof(float),
                       [&](std::size_t s, std::size_t first, std::size_t last) {
                         return run(args.param, args.direction,
                                    static_cast<float>(args.lr * args.trust[s]), first, last);
                       });
}

}  // namespace megascale::kernels::cpu
#endif
