// How attention on devices is divided into calls, and what it asks of memory.
#include "megascale/kernels/cuda/cudnn_parts.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "megascale/kernels/cuda/functions/attention_operands.h"

namespace megascale::kernels::cuda {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30U;

AttentionShape shape(std::size_t batch, std::size_t sequence, std::size_t heads,
                     std::size_t kv_heads, std::size_t head_size) {
  return {.batch = batch,
          .sequence = sequence,
          .query_heads = heads,
          .kv_heads = kv_heads,
          .head_size = head_size,
          .dtype = DType::bfloat16};
}
std::size_t workspace(const AttentionShape& s, bool deterministic) {
  return cudnn_workspace_bytes({s, cudnn_part(s, Direction::backward, deterministic, false),
                                Direction::backward, deterministic});
}
std::size_t whole_workspace(const AttentionShape& s) {
  return cudnn_workspace_bytes({s, {s.batch, s.kv_heads}, Direction::backward, true});
}

TEST(CudnnPartsTest, ShapesWithARoomForTheirScoresAreOneCall) {
  for (const AttentionShape& s :
       {shape(32, 1024, 25, 25, 64), shape(1, 8192, 32, 8, 128), shape(8, 1024, 32, 8, 128)}) {
    const AttentionPart part = cudnn_part(s, Direction::backward, true, false);
    EXPECT_EQ(part.batch, s.batch);
    EXPECT_EQ(part.kv_heads, s.kv_heads);
    EXPECT_LE(whole_workspace(s), kMostCudnnWorkspace);
  }
}

// cuDNN refuses gradients of sequences of one token; forward and gradient take the same kernels.
TEST(CudnnPartsTest, SequencesOfOneTokenAreNotServed) {
  EXPECT_TRUE(cudnn_serves(shape(4, 2, 8, 8, 64)));
  EXPECT_FALSE(cudnn_serves(shape(4, 1, 8, 8, 64)));
}

// Our own kernels compute heads of values of another size, whatever spells the usual one.
TEST(CudnnPartsTest, ValuesOfAnotherSizeAreNotServed) {
  AttentionShape s = shape(4, 64, 8, 8, 192);
  s.value_size = 192;
  EXPECT_TRUE(cudnn_serves(s));
  s.value_size = 128;
  EXPECT_FALSE(cudnn_serves(s));
  EXPECT_EQ(s.row(), 16U * 192 + 8 * 128);
  EXPECT_EQ(s.output_row(), 8U * 128);
}

// A layer with 32,768 tokens and 32 heads: its scores are 64 GiB.
TEST(CudnnPartsTest, LongSequencesAreDividedByHeads) {
  const AttentionShape s = shape(1, 32768, 32, 32, 128);
  EXPECT_GT(whole_workspace(s), 64 * kGiB);
  EXPECT_LE(workspace(s, true), kMostCudnnWorkspace);
  const AttentionPart part = cudnn_part(s, Direction::backward, true, false);
  EXPECT_EQ(part.batch, 1U);
  EXPECT_EQ(s.kv_heads % part.kv_heads, 0U);
  EXPECT_LT(part.kv_heads, s.kv_heads);
}

TEST(CudnnPartsTest, SequencesAreDividedBeforeHeads) {
  const AttentionShape s = shape(6, 8192, 32, 8, 128);
  const AttentionPart part = cudnn_part(s, Direction::backward, true, false);
  EXPECT_EQ(part.batch, 1U);
  EXPECT_EQ(part.kv_heads, 8U);
}

// The queries of one head of keys cannot be divided: their sums over keys belong together.
TEST(CudnnPartsTest, OneHeadOfKeysIsTheSmallestPart) {
  const AttentionShape s = shape(2, 32768, 32, 8, 128);
  const AttentionPart part = cudnn_part(s, Direction::backward, true, false);
  EXPECT_EQ(part.batch, 1U);
  EXPECT_EQ(part.kv_heads, 1U);
  EXPECT_LE(workspace(s, true), 10 * kGiB);
}

TEST(CudnnPartsTest, OnlyADeterministicGradientStoresScores) {
  const AttentionShape s = shape(1, 32768, 32, 32, 128);
  EXPECT_LT(workspace(s, false), 2 * kGiB);
  EXPECT_EQ(cudnn_part(s, Direction::backward, false, false).kv_heads, 32U);
  EXPECT_EQ(cudnn_part(s, Direction::forward, true, false).kv_heads, 32U);
}

// 8 sequences of 32,768 tokens: a mask of 2 GiB each.
TEST(CudnnPartsTest, AMaskOfDocumentsDividesSequencesButNotHeads) {
  const AttentionShape s = shape(8, 32768, 32, 8, 128);
  CudnnCall call{s, cudnn_part(s, Direction::forward, true, true), Direction::forward, true, true};
  EXPECT_EQ(call.part.batch, 2U);
  EXPECT_EQ(call.part.kv_heads, 8U);
  EXPECT_EQ(cudnn_mask_bytes(call), 4 * kGiB);
  call.masked = false;
  EXPECT_EQ(cudnn_mask_bytes(call), 0U);
  const AttentionShape longest = shape(1, 131072, 32, 8, 128);
  EXPECT_EQ(cudnn_part(longest, Direction::forward, true, true).kv_heads, 8U);
}

// Tiles of values are as wide as those of keys: the limit holds for both sizes.
TEST(AttentionOperandsTest, HeadsOfValuesAboveTheLimitAreRefused) {
  const auto shape_of = [](std::int64_t value_dim) {
    const graph::Attributes attributes{{"heads", std::int64_t{2}},    {"groups", std::int64_t{1}},
                                       {"head_dim", std::int64_t{8}}, {"value_dim", value_dim},
                                       {"sequence", std::int64_t{4}}, {"window", std::int64_t{0}}};
    const std::vector<std::optional<graph::Tensor>> tensors{
        graph::Tensor{.shape = {8, 24 + value_dim}}};
    return attention_shape({.attributes = &attributes, .tensors = tensors}, 0);
  };
  EXPECT_EQ(shape_of(256).value_size, 256U);
  EXPECT_EQ(shape_of(256).batch, 2U);
  EXPECT_THROW((void)shape_of(257), Error);
}

}  // namespace
}  // namespace megascale::kernels::cuda
