// The graphs of attention as cudnn-frontend sees them, over the emulated device: cuDNN itself needs a real
// one. The version of cuDNN is feigned, since the frontend describes graphs otherwise for older ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "megascale/cuda/device.h"
#include "megascale/kernels/cuda/cudnn_attention.h"

namespace {

std::size_t feigned_version = 0;

}  // namespace

// In the place of cuDNN's function: the linker takes the first definition.
extern "C" std::size_t cudnnGetVersion() { return feigned_version; }

namespace megascale::kernels::cuda {
namespace {

// Versions on both sides of the frontend's own limits: 9.10.2 (before it refuses gradients), 9.13.0, 9.15.0, 9.15.1, 9.19.0.
class CudnnGraphTest : public ::testing::TestWithParam<std::size_t> {
 public:
  CudnnGraphTest() {
    feigned_version = GetParam();
    megascale::cuda::use_device(0);
  }
  static std::string name(const CudnnCall& call) {
    const AttentionShape& s = call.shape;
    return fmt::format(
        "{} sequences of {} tokens, {} heads in {} groups of size {}, window {}, {}{}{}", s.batch,
        s.sequence, s.query_heads, s.kv_heads, s.head_size, s.window,
        call.direction == Direction::forward ? "forward" : "gradient",
        call.deterministic ? ", deterministic" : "", call.masked ? ", masked" : "");
  }
  template <class Check>
  static void for_all_calls(const Check& check) {
    for (const std::size_t sequence : {2, 16, 100, 128, 1000, 1024, 8192}) {
      for (const std::size_t head_size : {8, 16, 64, 80, 128, 192, 256}) {
        for (const std::size_t window : {std::size_t{0}, sequence / 2}) {
          for (const bool masked : {false, true}) {
            for (const Direction direction : {Direction::forward, Direction::backward}) {
              for (const bool deterministic : {false, true}) {
                CudnnCall call{.shape = {.batch = 3,
                                         .sequence = sequence,
                                         .query_heads = 8,
                                         .kv_heads = 2,
                                         .head_size = head_size,
                                         .window = window,
                                         .dtype = DType::bfloat16},
                               .direction = direction,
                               .deterministic = deterministic,
                               .masked = masked};
                ASSERT_TRUE(cudnn_serves(call.shape));
                call.part = cudnn_part(call.shape, direction, deterministic, masked);
                check(call);
              }
            }
          }
        }
      }
    }
  }
};

TEST_P(CudnnGraphTest, TheFrontendAcceptsEveryCallThatIsServed) {
  for_all_calls(
      [](const CudnnCall& call) { EXPECT_EQ(check_cudnn_graph(call).refusal, "") << name(call); });
}

// Up to cuDNN 9.15.0 the frontend adds lengths of sequences to a gradient that has none, and copies them
// from memory of the host that a CUDA graph would read again.
TEST_P(CudnnGraphTest, TheFrontendAddsNoTensorThatItCopiesFromTheHost) {
  int with_lengths = 0;
  for_all_calls([&](const CudnnCall& call) {
    const std::string graph = check_cudnn_graph(call).graph;
    EXPECT_EQ(graph.find("workaround"), std::string::npos) << name(call);
    if (graph.find("query_lengths") != std::string::npos) ++with_lengths;
  });
  constexpr std::size_t kLastThatNeedsLengths = 91500;
  EXPECT_EQ(with_lengths > 0, GetParam() <= kLastThatNeedsLengths);
}

INSTANTIATE_TEST_SUITE_P(Versions, CudnnGraphTest,
                         ::testing::Values(91002, 91300, 91500, 91501, 91900));

}  // namespace
}  // namespace megascale::kernels::cuda
