// Heads of latent attention (latent_heads.h). A thread moves whole tokens. The rotated part of a key is
// computed once per token and copied to the other heads.
#include "megascale/kernels/cpu/latent_heads.h"

#include <algorithm>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/latent_heads.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/rotate_head-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

HWY_INLINE void move(const float* from, std::size_t count, float* to) {
  for_each_vector(0, count, [=](auto at) HWY_ATTR { at.store(at.load(from), to); });
}

HWY_INLINE const float* angles_of(const LatentHeadShape& a, std::size_t n) {
  return a.table + static_cast<std::size_t>(a.position[n]) * a.rotated;
}

void heads_forward(const LatentHeads& a, std::size_t first, std::size_t last) {
  const std::size_t head = a.head(), packed = a.plain + a.values;
  for (std::size_t n = first; n < last; ++n) {
    const float* const angles = angles_of(a, n);
    float* const queries = a.qkv + n * a.row();
    float* const keys = queries + a.heads * head;
    float* const values = keys + a.heads * head;
    for (std::size_t h = 0; h < a.heads; ++h) {
      const float* query = a.query + (n * a.heads + h) * head;
      const float* key_value = a.key_value + (n * a.heads + h) * packed;
      move(query, a.plain, queries + h * head);
      rotate_head<true>(query + a.plain, angles, a.rotated, queries + h * head + a.plain);
      float* const key = keys + h * head;
      move(key_value, a.plain, key);
      if (h == 0) {
        rotate_head<true>(a.key_rope + n * a.rotated, angles, a.rotated, key + a.plain);
      } else {
        move(keys + a.plain, a.rotated, key + a.plain);
      }
      move(key_value + a.plain, a.values, values + h * a.values);
    }
  }
}

void heads_backward(const LatentHeadsGradient& a, std::size_t first, std::size_t last) {
  const std::size_t head = a.head(), packed = a.plain + a.values;
  for (std::size_t n = first; n < last; ++n) {
    const float* const angles = angles_of(a, n);
    const float* const queries = a.grad_qkv + n * a.row();
    const float* const keys = queries + a.heads * head;
    const float* const values = keys + a.heads * head;
    float* const key_rope = a.grad_key_rope + n * a.rotated;
    for (std::size_t h = 0; h < a.heads; ++h) {
      float* const query = a.grad_query + (n * a.heads + h) * head;
      float* const key_value = a.grad_key_value + (n * a.heads + h) * packed;
      move(queries + h * head, a.plain, query);
      rotate_head<false>(queries + h * head + a.plain, angles, a.rotated, query + a.plain);
      const float* const key = keys + h * head;
      move(key, a.plain, key_value);
      move(values + h * a.values, a.values, key_value + a.plain);
      if (h == 0) {
        move(key + a.plain, a.rotated, key_rope);
      } else {
        for_each_vector(0, a.rotated, [=](auto at) HWY_ATTR {
          at.store(hn::Add(at.load(key_rope), at.load(key + a.plain)), key_rope);
        });
      }
    }
    rotate_head<false>(key_rope, angles, a.rotated, key_rope);
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(heads_forward);
HWY_EXPORT(heads_backward);

void latent_heads_forward(const LatentHeads& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(heads_forward);
  parallel_ranges(args.tokens, 1, args.row() * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void latent_heads_backward(const LatentHeadsGradient& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(heads_backward);
  parallel_ranges(args.tokens, 1, args.row() * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
