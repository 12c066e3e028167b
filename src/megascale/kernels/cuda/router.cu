// The router: a warp computes the scores of a token into shared memory, then takes the best one k times.
// The gradient computes the scores again, which is cheaper than to keep them.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/router.h"
#include "megascale/kernels/cuda/router_scores-inl.h"
#include "megascale/kernels/even_choice.h"

namespace megascale::kernels::cuda {
namespace {

// Added to a sum of scores before it divides: a token all of whose scores underflow gets weights of zero
// and not NaN. The same as on the CPU.
constexpr float kSumFloor = 1e-20F;

// Integers that order candidates for a choice: a greater key first, among equals the lower expert. NaN is
// below every number. Experts that are taken are below NaN.
constexpr unsigned kOfNan = 1, kTaken = 0;
__device__ unsigned order_of(float key) {
  if (key != key) return kOfNan;
  const unsigned bits = __float_as_uint(key + 0.0F);  // -0 becomes 0
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
__device__ std::uint64_t candidate(unsigned order, std::size_t expert) {
  return static_cast<std::uint64_t>(order) << 32U | (0xFFFFFFFFU - static_cast<unsigned>(expert));
}
__device__ std::size_t expert_of(std::uint64_t candidate) {
  return 0xFFFFFFFFU - static_cast<unsigned>(candidate & 0xFFFFFFFFU);
}
__device__ std::uint64_t warp_best(std::uint64_t value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const std::uint64_t other = __shfl_xor_sync(~0U, value, offset);
    value = other > value ? other : value;
  }
  return value;
}

// Writes the k experts with the highest keys, the highest first. `orders` are those of this warp's row.
__device__ void choose(unsigned* orders, std::size_t experts, std::size_t top_k,
                       std::int32_t* choice) {
  const std::size_t lane = threadIdx.x % 32;
  for (std::size_t j = 0; j < top_k; ++j) {
    std::uint64_t best = 0;
    for (std::size_t e = lane; e < experts; e += 32) {
      const std::uint64_t mine = candidate(orders[e], e);
      best = mine > best ? mine : best;
    }
    const std::size_t expert = expert_of(warp_best(best));
    if (lane == expert % 32) orders[expert] = kTaken;
    if (lane == 0) choice[j] = static_cast<std::int32_t>(expert);
  }
}

// Returns a bit for each of the M groups whose best experts have the highest sum of keys. key(e) is the key of
// an expert, and `orders` are those of this warp's row. Lane g computes the sum of group g.
template <class Key>
__device__ unsigned best_groups(const RouterShape& s, const unsigned* orders, Key key) {
  const std::size_t lane = threadIdx.x % 32, size = s.experts / s.groups;
  std::uint64_t mine = 0;  // below every candidate
  if (lane < s.groups) {
    float sum = 0;
    std::uint64_t last = ~std::uint64_t{0};
    for (std::size_t i = 0; i < s.best_of_group(); ++i) {
      std::uint64_t best = 0;
      for (std::size_t e = lane * size; e < (lane + 1) * size; ++e) {
        const std::uint64_t next = candidate(orders[e], e);
        if (next < last && next > best) best = next;
      }
      sum += key(expert_of(best));
      last = best;
    }
    mine = candidate(order_of(sum), lane);
  }
  unsigned chosen = 0;
  for (std::size_t i = 0; i < s.groups_of_token; ++i) {
    const std::size_t group = expert_of(warp_best(mine));
    chosen |= 1U << group;
    if (lane == group) mine = 0;
  }
  return chosen;
}

__global__ void __launch_bounds__(32 * kTokenWarps) route_kernel(Route a) {
  const std::size_t experts = a.shape.experts, k = a.shape.top_k, lane = threadIdx.x % 32;
  float* scores = row_of_warp(experts);
  auto* orders = reinterpret_cast<unsigned*>(scores + kTokenWarps * experts);
  const std::size_t tokens = counted_rows(a.counted, a.shape.tokens);
  for (std::size_t n = grid_thread() / 32; n < tokens; n += grid_threads() / 32) {
    row_scores(a.shape, a.logits + n * experts, scores);
    std::int32_t* choice = a.choice + n * k;
    const bool is_padding = a.padding != nullptr && a.padding[n] != 0;
    if (a.fixed == nullptr && !a.even && !is_padding) {
      const auto key = [&](std::size_t e) {
        return a.bias != nullptr ? scores[e] + a.bias[e] : scores[e];
      };
      for (std::size_t e = lane; e < experts; e += 32) orders[e] = order_of(key(e));
      if (a.shape.groups > 0) {
        __syncwarp();  // a lane reads the orders of a group
        const unsigned allowed = best_groups(a.shape, orders, key);
        const std::size_t size = experts / a.shape.groups;
        for (std::size_t e = lane; e < experts; e += 32) {
          if ((allowed >> (e / size) & 1U) == 0) orders[e] = kTaken;
        }
      }
      choose(orders, experts, k, choice);
    }
    __syncwarp();  // the first lane reads the scores of all
    if (lane == 0) {
      float sum = 0;
      for (std::size_t j = 0; j < k; ++j) {
        if (is_padding) {
          choice[j] = static_cast<std::int32_t>(experts);
        } else if (a.fixed != nullptr) {
          choice[j] = a.fixed[n * k + j];
          if (choice[j] < 0) *a.complaint = 1;
        } else if (a.even) {
          choice[j] = even_choice(n * k + j, experts);
        }
        sum += static_cast<std::size_t>(choice[j]) < experts ? scores[choice[j]] : 0.0F;
      }
      const float factor = a.shape.normalise ? a.shape.scale / (sum + kSumFloor) : a.shape.scale;
      for (std::size_t j = 0; j < k; ++j) {
        const float score =
            static_cast<std::size_t>(choice[j]) < experts ? scores[choice[j]] : 0.0F;
        a.weight[n * k + j] = score * factor;
        if (a.affinity != nullptr) a.affinity[n * k + j] = score;
      }
    }
    __syncwarp();  // the next token's scores overwrite these
  }
}

__global__ void __launch_bounds__(32 * kTokenWarps) route_gradient_kernel(RouteGradient a) {
  const std::size_t experts = a.shape.experts, k = a.shape.top_k, lane = threadIdx.x % 32;
  const bool softmax = a.shape.score_function == ScoreFunction::softmax;
  float* scores = row_of_warp(experts);
  const std::size_t tokens = counted_rows(a.counted, a.shape.tokens);
  for (std::size_t n = grid_thread() / 32; n < tokens; n += grid_threads() / 32) {
    row_scores(a.shape, a.logits + n * experts, scores);
    __syncwarp();
    const float* dweight = a.dweight + n * k;
    const std::int32_t* choice = a.choice + n * k;
    const auto chosen = [&](std::size_t j) {
      return static_cast<std::size_t>(choice[j]) < experts;
    };
    // The gradient of the score of choice j is factor (dweight[j] - mean): without `normalise` the factor
    // is the scale and the mean is 0. Every lane computes the few sums over choices.
    float sum = kSumFloor, mean = 0, dot = 0;
    for (std::size_t j = 0; j < k; ++j) sum += chosen(j) ? scores[choice[j]] : 0.0F;
    for (std::size_t j = 0; j < k && a.shape.normalise; ++j)
      mean += chosen(j) ? dweight[j] * (scores[choice[j]] / sum) : 0.0F;
    const float factor = a.shape.normalise ? a.shape.scale / sum : a.shape.scale;
    for (std::size_t j = 0; j < k && softmax; ++j)  // sum over e of score[e] dscore[e]
      dot += chosen(j) ? factor * (dweight[j] - mean) * scores[choice[j]] : 0.0F;
    for (std::size_t e = lane; e < experts; e += 32) {
      float gradient = a.addend != nullptr ? a.addend[n * experts + e] : 0.0F;
      if (softmax) gradient -= dot * scores[e];
      for (std::size_t j = 0; j < k; ++j) {
        if (static_cast<std::size_t>(choice[j]) != e) continue;
        const float slope = softmax ? scores[e] : scores[e] * (1.0F - scores[e]);
        gradient += factor * (dweight[j] - mean) * slope;
      }
      a.dlogits[n * experts + e] = gradient;
    }
    __syncwarp();
  }
}

__global__ void clear_counts_kernel(std::size_t count, std::int64_t* counts) {
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) counts[i] = 0;
}

// Each block counts in shared memory and adds what it has found.
__global__ void group_loads_kernel(GroupLoads a) {
  auto* found = reinterpret_cast<unsigned*>(dynamic_shared());
  for (std::size_t d = threadIdx.x; d < a.groups; d += blockDim.x) found[d] = 0;
  __syncthreads();
  const std::size_t size = a.experts / a.groups, tokens = counted_rows(a.counted, a.tokens);
  for (std::size_t n = grid_thread(); n < tokens; n += grid_threads()) {
    const std::int32_t* choice = a.choice + n * a.top_k;
    for (std::size_t j = 0; j < a.top_k; ++j) {
      const auto expert = static_cast<std::size_t>(choice[j]);
      bool counted = expert >= a.experts;
      for (std::size_t i = 0; i < j && !counted && !a.of_choices; ++i)
        counted = static_cast<std::size_t>(choice[i]) / size == expert / size;
      if (!counted) atomicAdd(&found[expert / size], 1U);
    }
  }
  __syncthreads();
  for (std::size_t d = threadIdx.x; d < a.groups; d += blockDim.x) {
    if (found[d] != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(a.sent + d),
                static_cast<unsigned long long>(found[d]));
  }
}

}  // namespace

void route(const Route& a, CUstream_st* stream) noexcept {
  launch(route_kernel, grid_of_tokens(a.shape.tokens, a.shape.experts, 2), stream, a);
  group_loads({.tokens = a.shape.tokens,
               .experts = a.shape.experts,
               .top_k = a.shape.top_k,
               .groups = a.shape.experts,
               .counted = a.counted,
               .of_choices = true,
               .choice = a.choice,
               .sent = a.loads},
              stream);
}

void route_gradient(const RouteGradient& a, CUstream_st* stream) noexcept {
  launch(route_gradient_kernel, grid_of_tokens(a.shape.tokens, a.shape.experts), stream, a);
}

void group_loads(const GroupLoads& a, CUstream_st* stream) noexcept {
  launch(clear_counts_kernel, grid_for(a.groups), stream, a.groups, a.sent);
  LaunchShape shape = grid_for(a.tokens);
  shape.shared_nbytes = a.groups * sizeof(unsigned);
  launch(group_loads_kernel, shape, stream, a);
}

}  // namespace megascale::kernels::cuda
