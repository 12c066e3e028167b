// The task functions of decoding, and the counts that another task gives them: new tokens, and
// tokens in the cache. A count that is out of range is an error, and nothing is read or written by
// it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "kernels/dense_support.h"
#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/kernel.h"
#include "support/close.h"

namespace megascale {
namespace {

using graph::Shape;
using testing::normal;
using testing::PoisonedScratch;

constexpr float kOutside = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kNew = 4, kPositions = 6, kHeads = 2, kSize = 8;
constexpr std::int64_t kRow = 3 * kHeads * kSize, kKept = 2 * kHeads * kSize;

// An op with constant shapes whose counts are `counts`. The tensors lie between NaN, so that a read
// outside of them is seen in the result and a write outside of them is seen there.
class DecodeOp {
 public:
  DecodeOp(const graph::OpDef& def, std::vector<Shape> shapes, graph::Attributes attributes)
      : def_(&def), attributes_(std::move(attributes)) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const bool counts = def.operands[i].name == "counts";
      tensors_.emplace_back(
          graph::Tensor{.shape = shapes[i], .dtype = counts ? DType::int64 : DType::float32});
      nbytes_.push_back(static_cast<std::uint64_t>(tensors_.back()->nbytes()));
      std::vector<float> operand(3 * nbytes_.back() / sizeof(float), kOutside);
      if (!counts && def.operands[i].access != graph::Access::write) {
        const auto values = normal(operand.size() / 3, 1 + i);
        std::copy(values.begin(), values.end(),
                  operand.begin() + static_cast<std::ptrdiff_t>(values.size()));
      }
      operands_.push_back(std::move(operand));
    }
  }
  // Returns the message of the error, or nothing.
  std::string run(std::int64_t first, std::int64_t second) {
    std::int64_t counts[] = {first, second};
    kernels::KernelSpec spec{.def = def_,
                             .attributes = &attributes_,
                             .tensors = tensors_,
                             .nbytes = nbytes_,
                             .threads = kernels::cpu::team_size()};
    const kernels::Kernel* kernel = kernels::find_kernel(def_->name, kernels::Device::cpu);
    if (kernel->scratch_bytes != nullptr) spec.scratch_nbytes = kernel->scratch_bytes(spec);
    const PoisonedScratch scratch(spec.scratch_nbytes);
    std::vector<std::byte*> addresses;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      addresses.push_back(def_->operands[i].name == "counts"
                              ? reinterpret_cast<std::byte*>(counts)
                              : reinterpret_cast<std::byte*>(operand(i)));
    }
    if (spec.scratch_nbytes > 0) addresses.push_back(scratch.data());
    const auto function = kernels::prepare(*kernel, spec);
    const Error* error = function->run({.operands = addresses});
    EXPECT_TRUE(scratch.guard_is_whole());
    return error == nullptr ? "" : error->message();
  }
  float* operand(std::size_t i) { return operands_[i].data() + operands_[i].size() / 3; }
  [[nodiscard]] const std::vector<std::vector<float>>& operands() const { return operands_; }

 private:
  const graph::OpDef* def_;
  graph::Attributes attributes_;
  std::vector<std::optional<graph::Tensor>> tensors_;
  std::vector<std::uint64_t> nbytes_;
  std::vector<std::vector<float>> operands_;
};

DecodeOp cached_attention() {
  namespace attribute = graph::attribute;
  return {graph::cached_attention_op(),
          {{kNew, kRow}, {kPositions, kKept}, {2}, {kNew, kHeads * kSize}},
          {{attribute::heads, kHeads},
           {attribute::groups, kHeads},
           {attribute::head_dim, kSize},
           {attribute::window, std::int64_t{0}}}};
}

void expect_unchanged(const DecodeOp& op, const std::vector<std::vector<float>>& before) {
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(testing::same_bits(op.operands()[i], before[i])) << "operand " << i;
}

TEST(CachedAttentionTest, NewTokensJoinTheCacheAndTheFirstAttendsToItselfOnly) {
  using enum graph::cached_attention::Operand;
  DecodeOp op = cached_attention();
  ASSERT_EQ(op.run(2, 2), "");
  for (std::int64_t token = 0; token < 2; ++token) {
    for (std::int64_t i = 0; i < kKept; ++i) {
      EXPECT_EQ(op.operand(cache)[token * kKept + i],
                op.operand(qkv)[token * kRow + kHeads * kSize + i]);
    }
  }
  // The softmax of one key is 1, so the output of token 0 is its value.
  for (std::int64_t i = 0; i < kHeads * kSize; ++i)
    EXPECT_NEAR(op.operand(output)[i], op.operand(cache)[kHeads * kSize + i], 1e-6);
}

TEST(CachedAttentionTest, CountsOutOfRangeAreAnErrorAndNothingIsWritten) {
  for (const auto& [added, kept] :
       {std::pair<std::int64_t, std::int64_t>{2, kPositions + 1},  // beyond the cache
        {1, std::numeric_limits<std::int64_t>::max()},
        {3, 2},  // fewer than are new: the first would lie before the cache
        {1, 0},
        {1, -1},
        {kNew + 1, kPositions},
        {-1, 3}}) {
    DecodeOp op = cached_attention();
    const auto before = op.operands();
    const std::string error = op.run(added, kept);
    EXPECT_NE(error.find("cached_attention"), std::string::npos) << added << ", " << kept;
    EXPECT_NE(error.find(std::to_string(kept)), std::string::npos) << error;
    expect_unchanged(op, before);
  }
}

TEST(CachedAttentionTest, NoNewTokensDoNothing) {
  for (const std::int64_t kept : {std::int64_t{0}, kPositions}) {
    DecodeOp op = cached_attention();
    const auto before = op.operands();
    EXPECT_EQ(op.run(0, kept), "");
    expect_unchanged(op, before);
  }
}

TEST(LastRowTest, IsTheLastOfTheCountedRows) {
  using enum graph::last_row::Operand;
  for (const std::int64_t rows : {1, 3, 5}) {
    DecodeOp op(graph::last_row_op(), {{5, 7}, {2}, {1, 7}}, {});
    ASSERT_EQ(op.run(rows, 100), "");
    for (std::int64_t c = 0; c < 7; ++c)
      EXPECT_EQ(op.operand(output)[c], op.operand(input)[(rows - 1) * 7 + c]);
  }
}

TEST(LastRowTest, NoRowsOrMoreThanThereAreIsAnErrorAndNothingIsWritten) {
  for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{6}}) {
    DecodeOp op(graph::last_row_op(), {{5, 7}, {2}, {1, 7}}, {});
    const auto before = op.operands();
    const std::string error = op.run(rows, 100);
    EXPECT_NE(error.find("last_row"), std::string::npos) << rows;
    EXPECT_NE(error.find(std::to_string(rows) + " rows"), std::string::npos) << error;
    expect_unchanged(op, before);
  }
}

}  // namespace
}  // namespace megascale
