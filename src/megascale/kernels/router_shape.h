#ifndef MEGASCALE_KERNELS_ROUTER_SHAPE_H_
#define MEGASCALE_KERNELS_ROUTER_SHAPE_H_

#include <cstddef>
#include <cstdint>

// Arguments of routers that are the same on all devices. kernels/cpu/router.h and
// kernels/cpu/router_losses.h define what is computed with them.
namespace megascale::kernels {

// The most experts of a layer. A row of scores, 4 KiB, lies on the stack of a thread or in shared memory.
inline constexpr std::size_t kMostExperts = 1024;
// The most groups of experts that a choice may be limited to. A lane of a warp has one.
inline constexpr std::size_t kMostExpertGroups = 32;

// softmax over all experts, or the sigmoid of each logit.
enum class ScoreFunction : std::uint8_t { softmax, sigmoid };

struct RouterShape {
  std::size_t tokens = 0, experts = 0, top_k = 0;  // N, E, k
  ScoreFunction score_function = ScoreFunction::softmax;
  bool normalise = false;  // weights of a token are divided by their sum
  float scale = 1;         // factor of all weights
  // If groups > 0: a token chooses experts of some groups of E / groups consecutive experts only, 1 <=
  // groups_of_token <= groups <= kMostExpertGroups.
  std::size_t groups = 0, groups_of_token = 0;  // G, M
  std::size_t group_best = 0;                   // at most k and E / groups; 0: k / M
  // How many of its best experts say how good a group is.
  [[nodiscard]] constexpr std::size_t best_of_group() const noexcept {
    return group_best > 0 ? group_best : top_k / groups_of_token;
  }
};

// r ranks of a micro-batch, D groups of E / D consecutive experts.
struct RouterLosses {
  RouterShape shape;                    // normalise and scale are not used
  const float* logits = nullptr;        // (N, E)
  std::size_t ranks = 1;                // r
  const std::int64_t* loads = nullptr;  // (r, E): how many choices of each rank are e (route())
  double expert_coefficient = 0, z_coefficient = 0;
  // (N, k), or null: tokens whose first choice is outside [0, E) are padding and have no losses. With null
  // all tokens have.
  const std::int32_t* choice = nullptr;
  // The tokens of the micro-batch, on all r ranks, that the loss of the model counts, or its pairs of
  // preferences. With null the loss counts all T tokens.
  const std::int64_t* counted = nullptr;
  // Only with groups > 0.
  std::size_t groups = 0;              // D
  const std::int64_t* sent = nullptr;  // (r, D) of group_loads(); null without the last coefficient
  double device_coefficient = 0, communication_coefficient = 0;
};

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_ROUTER_SHAPE_H_
