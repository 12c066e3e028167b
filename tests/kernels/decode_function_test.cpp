// The task functions of decoding, and the counts that another task gives them: new tokens, tokens in
// the cache and last rows, of each sequence and of all. A count that is out of range is an error, and
// nothing is read or written by it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
// Columns where heads of values have another size.
constexpr std::int64_t kValueSize = 5, kSmallKept = kHeads * (kSize + kValueSize),
                       kSmallRow = kHeads * kSize + kSmallKept;

// The counts of a sequence.
struct Sequence {
  std::int64_t added = 0, kept = 0, last = 0;
};

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
  // Returns the message of the error, or nothing. `counts` are those of each sequence; the sums go
  // before them unless `all` is given.
  std::string run(const std::vector<Sequence>& sequences, std::optional<Sequence> all = {}) {
    std::vector<std::int64_t> counts{0, 0};
    for (const Sequence& one : sequences) {
      counts[0] += one.added;
      counts[1] += one.last;
      counts.insert(counts.end(), {one.added, one.kept, one.last});
    }
    if (all)
      counts = {all->added,        all->last,          sequences[0].added, sequences[0].kept,
                sequences[0].last, sequences[1].added, sequences[1].kept,  sequences[1].last};
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
                              ? reinterpret_cast<std::byte*>(counts.data())
                              : reinterpret_cast<std::byte*>(operand(i)));
    }
    if (spec.scratch_nbytes > 0) addresses.push_back(scratch.data());
    const auto function = kernels::prepare(*kernel, spec);
    const Error* error = function->run({.operands = addresses});
    EXPECT_TRUE(scratch.guard_is_whole());
    return error == nullptr ? "" : error->message();
  }
  void set(std::string_view attribute, double value) { attributes_.set(attribute, value); }
  float* operand(std::size_t i) { return operands_[i].data() + operands_[i].size() / 3; }
  [[nodiscard]] const std::vector<std::vector<float>>& operands() const { return operands_; }

 private:
  const graph::OpDef* def_;
  graph::Attributes attributes_;
  std::vector<std::optional<graph::Tensor>> tensors_;
  std::vector<std::uint64_t> nbytes_;
  std::vector<std::vector<float>> operands_;
};

// Two sequences, with kPositions places each.
DecodeOp cached_attention(std::int64_t rows = kNew) {
  namespace attribute = graph::attribute;
  return {graph::cached_attention_op(),
          {{rows, kRow}, {2 * kPositions, kKept}, {8}, {rows, kHeads * kSize}},
          {{attribute::heads, kHeads},
           {attribute::groups, kHeads},
           {attribute::head_dim, kSize},
           {attribute::window, std::int64_t{0}}}};
}

// The same with heads of kValueSize values.
DecodeOp cached_small_values(std::int64_t rows) {
  namespace attribute = graph::attribute;
  return {graph::cached_attention_op(),
          {{rows, kSmallRow}, {2 * kPositions, kSmallKept}, {8}, {rows, kHeads * kValueSize}},
          {{attribute::heads, kHeads},
           {attribute::groups, kHeads},
           {attribute::head_dim, kSize},
           {attribute::value_dim, kValueSize},
           {attribute::window, std::int64_t{0}}}};
}

// Latent attention with vectors of kRank, of which and of kRotated channels a row of the cache consists.
constexpr std::int64_t kRank = 10, kRotated = 4;
DecodeOp cached_latent_attention(std::int64_t rows = kNew) {
  namespace attribute = graph::attribute;
  return {graph::cached_latent_attention_op(),
          {{rows, kHeads * kSize},
           {rows, kRank},
           {rows, kRotated},
           {rows, kRotated},
           {kHeads * (kSize - kRotated + kValueSize), kRank},
           {2 * kPositions, kRank + kRotated},
           {8},
           {rows, kHeads * kValueSize}},
          {{attribute::heads, kHeads},
           {attribute::head_dim, kSize},
           {attribute::value_dim, kValueSize},
           {attribute::window, std::int64_t{0}}}};
}

// Both kinds of attention, for what they have in common.
struct CachedKind {
  const char* name;
  DecodeOp (*make)(std::int64_t rows);
};
constexpr CachedKind kCachedKinds[] = {{"cached_attention", cached_attention},
                                       {"cached_latent_attention", cached_latent_attention}};

void expect_unchanged(const DecodeOp& op, const std::vector<std::vector<float>>& before) {
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(testing::same_bits(op.operands()[i], before[i])) << "operand " << i;
}

// Many new tokens take another kernel than few.
TEST(CachedAttentionTest, NewTokensJoinTheCacheAndTheFirstAttendsToItselfOnly) {
  using enum graph::cached_attention::Operand;
  for (const std::int64_t added : {std::int64_t{2}, kPositions}) {
    DecodeOp op = cached_attention(kPositions + 2);
    ASSERT_EQ(op.run({{added, added}, {2, 2}}), "");
    for (std::int64_t row = 0; row < added + 2; ++row) {
      const std::int64_t place = row < added ? row : kPositions + row - added;
      for (std::int64_t i = 0; i < kKept; ++i) {
        EXPECT_EQ(op.operand(cache)[place * kKept + i],
                  op.operand(qkv)[row * kRow + kHeads * kSize + i]);
      }
    }
    // The softmax of one key is 1, so the output of the first token is its value.
    for (std::int64_t i = 0; i < kHeads * kSize; ++i) {
      EXPECT_NEAR(op.operand(output)[i], op.operand(cache)[kHeads * kSize + i], 1e-6);
      EXPECT_NEAR(op.operand(output)[added * kHeads * kSize + i],
                  op.operand(cache)[kPositions * kKept + kHeads * kSize + i], 1e-6);
    }
  }
}

// The outputs are those of values that are padded with zeros, and the cache has the bits of the new
// rows. Both kernels, and a second step that reads what the first one has kept.
TEST(CachedAttentionTest, SmallerValuesAreThoseOfPaddedOnes) {
  using enum graph::cached_attention::Operand;
  constexpr std::int64_t kKeys = kHeads * kSize;  // columns of queries, and of keys
  for (const std::int64_t added : {std::int64_t{2}, kPositions - 1}) {
    DecodeOp small = cached_small_values(kPositions), wide = cached_attention(kPositions);
    for (std::int64_t row = 0; row < kPositions; ++row) {
      const float* from = small.operand(qkv) + row * kSmallRow;
      float* to = wide.operand(qkv) + row * kRow;
      std::copy_n(from, 2 * kKeys, to);
      std::fill_n(to + 2 * kKeys, kKeys, 0.0F);
      for (std::int64_t h = 0; h < kHeads; ++h)
        std::copy_n(from + 2 * kKeys + h * kValueSize, kValueSize, to + 2 * kKeys + h * kSize);
    }
    for (const std::int64_t step : {added, std::int64_t{1}}) {
      const std::int64_t kept = step == added ? added : added + 1;
      ASSERT_EQ(small.run({{step, kept}, {0, 0}}), "");
      ASSERT_EQ(wide.run({{step, kept}, {0, 0}}), "");
      for (std::int64_t i = 0; i < step * kHeads * kValueSize; ++i) {
        const std::int64_t head = i / kValueSize, channel = i % kValueSize;
        EXPECT_NEAR(small.operand(output)[i], wide.operand(output)[head * kSize + channel], 1e-6)
            << added << " added, [" << i << "]";
      }
      for (std::int64_t i = 0; i < step * kSmallKept; ++i) {
        EXPECT_EQ(small.operand(cache)[(kept - step) * kSmallKept + i],
                  small.operand(qkv)[i / kSmallKept * kSmallRow + kKeys + i % kSmallKept]);
      }
    }
  }
}

// Scales and soft caps reach the kernel for single queries: few tokens have what many have.
TEST(CachedAttentionTest, FewTokensHaveTheScaleAndTheSoftCapOfMany) {
  using enum graph::cached_attention::Operand;
  constexpr std::int64_t kWidth = kHeads * kSize;
  for (const auto& [scale, cap] : {std::pair{0.9, 0.0}, {0.9, 1.5}, {0.0, 1.5}}) {
    DecodeOp many = cached_attention(kPositions), few = many;
    for (DecodeOp* op : {&many, &few}) {
      op->set(graph::attribute::scale, scale);
      op->set(graph::attribute::soft_cap, cap);
    }
    ASSERT_EQ(many.run({{kPositions, kPositions}, {0, 0}}), "");
    for (std::int64_t n = 0; n < kPositions; ++n) {
      std::copy_n(many.operand(qkv) + n * kRow, kRow, few.operand(qkv));
      ASSERT_EQ(few.run({{1, n + 1}, {0, 0}}), "");
      for (std::int64_t i = 0; i < kWidth; ++i)
        EXPECT_NEAR(few.operand(output)[i], many.operand(output)[n * kWidth + i], 3e-6)
            << scale << ", " << cap << ", token " << n;
    }
  }
}

// A sequence is the same whatever the other one does, and wherever its part of the cache is.
TEST(CachedAttentionTest, ASequenceHasTheBitsThatItHasAlone) {
  using enum graph::cached_attention::Operand;
  constexpr std::int64_t kWidth = kHeads * kSize;
  for (const std::int64_t added : {std::int64_t{1}, std::int64_t{5}}) {
    DecodeOp both = cached_attention(8), alone = cached_attention(8);
    std::copy_n(both.operand(qkv) + 2 * kRow, added * kRow, alone.operand(qkv));
    std::copy_n(both.operand(cache) + kPositions * kKept, kKept, alone.operand(cache));
    ASSERT_EQ(both.run({{2, 3}, {added, added + 1}}), "");
    ASSERT_EQ(alone.run({{added, added + 1}, {0, 4}}), "");
    EXPECT_TRUE(testing::same_bits(
        std::span(both.operand(output) + 2 * kWidth, static_cast<std::size_t>(added * kWidth)),
        std::span(alone.operand(output), static_cast<std::size_t>(added * kWidth))));
  }
}

// The function of latent attention passes its operands as the op has them. An output is the product of the
// rows for values with a mean of latent vectors, so its weights sum to 1 where all vectors are the same.
TEST(CachedLatentAttentionTest, OutputsAreProductsOfLatentVectors) {
  using enum graph::cached_latent_attention::Operand;
  for (const std::int64_t added : {std::int64_t{2}, kPositions}) {
    DecodeOp op = cached_latent_attention(kPositions + 2);
    for (std::int64_t row = 1; row < kPositions + 2; ++row)
      std::copy_n(op.operand(latent), kRank, op.operand(latent) + row * kRank);
    ASSERT_EQ(op.run({{added, added}, {2, 2}}), "");
    for (std::int64_t i = 0; i < (added + 2) * kHeads * kValueSize; ++i) {
      const std::int64_t head = i / kValueSize % kHeads,
                         at = head * (kSize - kRotated + kValueSize) + kSize - kRotated +
                              i % kValueSize;
      double want = 0;
      for (std::int64_t c = 0; c < kRank; ++c)
        want += double{op.operand(weight)[at * kRank + c]} * op.operand(latent)[c];
      EXPECT_NEAR(op.operand(output)[i], want, 1e-5) << "[" << i << "]";
    }
    for (std::int64_t row = 0; row < added + 2; ++row) {
      const std::int64_t place = row < added ? row : kPositions + row - added;
      const float* kept = op.operand(cache) + place * (kRank + kRotated);
      for (std::int64_t c = 0; c < kRank; ++c) EXPECT_EQ(kept[c], op.operand(latent)[c]);
      const float *x = op.operand(key_rope) + row * kRotated,
                  *angles = op.operand(table) + row * kRotated;
      EXPECT_NEAR(kept[kRank], x[0] * angles[0] - x[2] * angles[2], 1e-5);
      EXPECT_NEAR(kept[kRank + 3], x[3] * angles[1] + x[1] * angles[3], 1e-5);
    }
  }
}

TEST(CachedAttentionTest, CountsOutOfRangeAreAnErrorAndNothingIsWritten) {
  for (const CachedKind& kind : kCachedKinds) {
    const std::string name = kind.name;
    for (const auto& [added, kept, last] :
         std::vector<Sequence>{{2, kPositions + 1},  // beyond the cache
                               {1, std::numeric_limits<std::int64_t>::max()},
                               {3, 2},  // fewer than are new: the first would lie before the cache
                               {1, 0},
                               {1, -1},
                               {kNew + 1, kPositions},
                               {2, 3, 3},  // more last rows than tokens
                               {-1, 3}}) {
      DecodeOp op = kind.make(kNew);
      const auto before = op.operands();
      const std::string error = op.run({{1, 1}, {added, kept, last}});
      EXPECT_NE(error.find(name + ": the counts of sequence 1"), std::string::npos)
          << added << ", " << kept << ": " << error;
      EXPECT_NE(error.find(std::to_string(kept)), std::string::npos) << error;
      expect_unchanged(op, before);
    }
    for (const Sequence& all : {Sequence{3, 0, 0}, Sequence{2, 0, 1}}) {
      DecodeOp op = kind.make(kNew);
      const auto before = op.operands();
      EXPECT_NE(op.run({{1, 1}, {1, 1}}, all).find("the counts of all are"), std::string::npos);
      expect_unchanged(op, before);
    }
    DecodeOp op = kind.make(kNew);  // both together are more than the rows
    EXPECT_NE(op.run({{3, 3}, {2, 2}}).find("5 new tokens"), std::string::npos);
  }
}

TEST(CachedAttentionTest, NoNewTokensDoNothing) {
  for (const CachedKind& kind : kCachedKinds) {
    for (const std::int64_t kept : {std::int64_t{0}, kPositions}) {
      DecodeOp op = kind.make(kNew);
      const auto before = op.operands();
      EXPECT_EQ(op.run({{0, kept}, {0, 1}}), "");
      expect_unchanged(op, before);
    }
  }
}

DecodeOp last_rows() {
  return {graph::last_rows_op(), {{6, 7}, {8}, {3, 7}}, {{graph::attribute::rows, 3}}};
}

TEST(LastRowsTest, AreThoseOfEachSequence) {
  using enum graph::last_rows::Operand;
  DecodeOp op = last_rows();
  ASSERT_EQ(op.run({{4, 100, 2}, {2, 2, 1}}), "");
  for (const auto& [to, from] : {std::pair<std::int64_t, std::int64_t>{0, 2}, {1, 3}, {2, 5}}) {
    for (std::int64_t c = 0; c < 7; ++c)
      EXPECT_EQ(op.operand(output)[to * 7 + c], op.operand(input)[from * 7 + c]);
  }
}

TEST(LastRowsTest, MoreThanThereAreIsAnErrorAndNothingIsWritten) {
  for (const Sequence& wrong : {Sequence{7, 7, 1}, Sequence{2, 2, 3}, Sequence{2, 2, -1},
                                Sequence{-1, 0, 0}, Sequence{4, 4, 4}}) {
    DecodeOp op = last_rows();
    const auto before = op.operands();
    const std::string error = op.run({wrong, {0, 0, 0}});
    EXPECT_NE(error.find("last_rows: the "), std::string::npos) << wrong.added;
    expect_unchanged(op, before);
  }
}

}  // namespace
}  // namespace megascale
