// Kernels whose rows are counted at run time. Goal: they work on the counted rows and on nothing
// else. Method: each kind runs over a bound with NaN in all rows beyond the count, and over tensors
// that have just the counted rows, which the other tests hold against double precision; both must
// give the same bits. Outputs start as NaN, so a write beyond the count is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernels/dense_support.h"
#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/kernel.h"
#include "support/close.h"

namespace megascale {
namespace {

using graph::Access;
using graph::OpDef;
using graph::Shape;
using testing::PoisonedScratch;

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

// A kind with shapes for `rows` rows; operands of which `rows` is not the first extent have a
// constant number of rows.
struct Kind {
  const OpDef* def = nullptr;
  std::vector<Shape> (*shapes)(std::int64_t rows) = nullptr;  // empty: absent
  graph::Attributes attributes = {};
  kernels::KernelSet set = kernels::KernelSet::fused;
};

constexpr std::int64_t kIn = 24, kOut = 40, kEntries = 50;

std::vector<Kind> kinds() {
  namespace attribute = graph::attribute;
  using N = std::int64_t;
  const graph::Attributes epsilon{{attribute::epsilon, 1e-5}};
  const graph::Attributes heads{
      {attribute::heads, 2}, {attribute::groups, 1}, {attribute::head_dim, 6}};
  graph::Attributes normed_heads = heads;
  normed_heads.set(attribute::epsilon, 1e-5);
  graph::Attributes all_heads = heads;
  all_heads.set(attribute::whole, 1);
  std::vector<Kind> all{{&graph::head_norm_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {6}, {6}, {n, kIn}, {n, 3}};
                         },
                         normed_heads},
                        {&graph::head_norm_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n, kIn}, {6}, {6}, {n, 3}, {n, kIn}, {6}, {6}};
                         },
                         normed_heads},
                        {&graph::head_norm_squares_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n, 2}};
                         },
                         all_heads},
                        {&graph::head_norm_products_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n, kIn}, {12}, {6}, {n, 2}, {n, 2}};
                         },
                         all_heads},
                        {&graph::linear_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {kOut, kIn}, {kOut}, {n, kOut}};
                         }},
                        {&graph::linear_add_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {kOut, kIn}, {}, {n, kOut}, {n, kOut}};
                         }},
                        {&graph::linear_gelu_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {kOut, kIn}, {kOut}, {n, kOut}, {n, kOut}};
                         }},
                        {&graph::linear_input_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kOut}, {kOut, kIn}, {n, kIn}, {n, kIn}};
                         }},
                        {&graph::linear_gelu_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kOut}, {kOut, kIn}, {n, kIn}, {n, kIn}};
                         }},
                        {&graph::linear_weight_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kOut}, {n, kIn}, {kOut, kIn}, {kOut}};
                         }},
                        {&graph::add_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n, kIn}, {n, kIn}};
                         }},
                        {&graph::scale_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n, kIn}};
                         },
                         {{attribute::scale, 0.75}}},
                        {&graph::add_bias_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {kIn}, {n, kIn}};
                         }},
                        {&graph::bias_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {kIn}};
                         }},
                        {&graph::embedding_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{kEntries, kIn}, {kEntries, kIn}, {n}, {n}, {n, kIn}};
                         }},
                        {&graph::embedding_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n}, {n}, {kEntries, kIn}, {kEntries, kIn}};
                         }},
                        {&graph::rope_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n}, {kEntries, 6}, {n, kIn}};
                         },
                         heads},
                        {&graph::rope_table_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n}, {n, 6}};
                         },
                         {{attribute::head_dim, std::int64_t{6}}, {attribute::base, 1e4}}},
                        {&graph::rope_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n}, {kEntries, 6}, {n, kIn}};
                         },
                         heads},
                        {&graph::geglu_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, 2 * kIn}, {n, kIn}};
                         }},
                        {&graph::geglu_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n, 2 * kIn}, {n, 2 * kIn}};
                         }},
                        {&graph::soft_cap_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n, kIn}};
                         },
                         {{attribute::soft_cap, 2.0}}},
                        {&graph::soft_cap_gradient_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kIn}, {n, kIn}, {n, kIn}};
                         },
                         {{attribute::soft_cap, 2.0}}},
                        {&graph::logit_stats_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kEntries}, {n}, {n, 3}};
                         },
                         {{attribute::valid_vocabulary, kEntries}}},
                        // The loss is two float64, as large as four floats.
                        {&graph::cross_entropy_op(),
                         [](N n) -> std::vector<Shape> {
                           return {{n, kEntries}, {n, 3}, {n}, {n, kEntries}, {4}, {}};
                         },
                         {{attribute::valid_vocabulary, kEntries}}}};
  for (const auto set : {kernels::KernelSet::fused, kernels::KernelSet::plain}) {
    const std::vector<Kind> of_set{
        {&graph::gelu_op(),
         [](N n) -> std::vector<Shape> {
           return {{n, kIn}, {n, kIn}};
         }},
        {&graph::gelu_gradient_op(),
         [](N n) -> std::vector<Shape> {
           return {{n, kIn}, {n, kIn}, {n, kIn}};
         }},
        {&graph::swiglu_op(),
         [](N n) -> std::vector<Shape> {
           return {{n, 2 * kIn}, {n, kIn}};
         }},
        {&graph::swiglu_gradient_op(),
         [](N n) -> std::vector<Shape> {
           return {{n, kIn}, {n, 2 * kIn}, {n, 2 * kIn}};
         }},
        {&graph::layer_norm_op(),
         [](N n) -> std::vector<Shape> {
           return {{n, kIn}, {kIn}, {kIn}, {n, kIn}, {n}, {n}};
         },
         epsilon},
        {&graph::layer_norm_gradient_op(),
         [](N n) -> std::vector<Shape> {
           return {{n, kIn}, {n, kIn}, {kIn}, {n}, {n}, {n, kIn}, {n, kIn}, {kIn}, {kIn}};
         },
         epsilon},
        {&graph::rms_norm_op(),
         [](N n) -> std::vector<Shape> {
           return {{n, kIn}, {kIn}, {n, kIn}, {n}};
         },
         epsilon},
        {&graph::rms_norm_gradient_op(),
         [](N n) -> std::vector<Shape> {
           return {{n, kIn}, {n, kIn}, {kIn}, {n}, {}, {n, kIn}, {kIn}};
         },
         epsilon}};
    for (Kind kind : of_set) {
      kind.set = set;
      all.push_back(kind);
    }
  }
  return all;
}

bool holds_numbers(const graph::OperandSpec& spec) {
  return spec.name == "tokens" || spec.name == "positions" || spec.name == "targets";
}

// The bytes of an operand, as floats or as int32 of the same size.
using Values = std::vector<float>;

// `values` are those of the first `count` rows; the others are poison.
struct Outcome {
  std::vector<Values> operands;  // afterwards
  std::string error;
};

class CountedKind {
 public:
  explicit CountedKind(const Kind& kind) : kind_(kind), shapes_(shapes_of(0)) {}

  // Over tensors of `bound` rows; with `counts` the rows are counted.
  Outcome run(std::int64_t bound, const std::vector<std::int64_t>& counts, bool first) const {
    std::int64_t rows = bound;
    if (!counts.empty()) {
      rows = 0;
      for (const std::int64_t count : counts) rows += count;
    }
    const std::vector<Shape> shapes = shapes_of(bound);
    std::vector<std::optional<graph::Tensor>> tensors;
    std::vector<std::uint64_t> nbytes;
    std::vector<kernels::RunTimeRows> counted;
    Outcome result;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].empty()) {
        tensors.emplace_back();
        nbytes.push_back(0);
        result.operands.emplace_back();
        continue;
      }
      tensors.push_back(graph::Tensor{.shape = shapes[i]});
      nbytes.push_back(static_cast<std::uint64_t>(tensors.back()->nbytes()));
      result.operands.push_back(values(i, shapes[i], rows));
      if (by_rows(i) && !counts.empty()) {
        counted.push_back({.operand = static_cast<std::uint16_t>(i),
                           .count_operand = static_cast<std::uint16_t>(shapes.size()),
                           .first = 1,
                           .terms = static_cast<std::uint32_t>(counts.size())});
      }
    }
    kernels::KernelSpec spec{.def = kind_.def,
                             .attributes = &kind_.attributes,
                             .tensors = tensors,
                             .nbytes = nbytes,
                             .counted = counted,
                             .threads = kernels::cpu::team_size()};
    const kernels::Kernel* kernel =
        kernels::find_kernel(kind_.def->name, kernels::Device::cpu, kind_.set);
    if (kernel->scratch_bytes != nullptr) spec.scratch_nbytes = kernel->scratch_bytes(spec);
    const PoisonedScratch scratch(spec.scratch_nbytes);
    std::vector<std::byte*> addresses;
    for (Values& operand : result.operands) {
      addresses.push_back(operand.empty() ? nullptr : reinterpret_cast<std::byte*>(operand.data()));
    }
    // An element before them that is not to be counted.
    std::vector<std::int64_t> array{1 << 20};
    array.insert(array.end(), counts.begin(), counts.end());
    if (!counts.empty()) addresses.push_back(reinterpret_cast<std::byte*>(array.data()));
    if (spec.scratch_nbytes > 0) addresses.push_back(scratch.data());
    const auto function = kernels::prepare(*kernel, spec);
    if (const Error* error = function->run({.operands = addresses, .first = first}))
      result.error = error->message();
    EXPECT_TRUE(scratch.guard_is_whole()) << kind_.def->name;
    return result;
  }

  // Of all operands. Those at the end that a case leaves out are absent.
  [[nodiscard]] std::vector<Shape> shapes_of(std::int64_t rows) const {
    std::vector<Shape> shapes = kind_.shapes(rows);
    shapes.resize(kind_.def->operands.size());
    return shapes;
  }
  [[nodiscard]] bool by_rows(std::size_t operand) const {
    return !shapes_[operand].empty() && shapes_[operand][0].size == 0;
  }
  // What an operand holds before the run.
  [[nodiscard]] Values values(std::size_t operand, const Shape& shape, std::int64_t rows) const {
    const graph::OperandSpec& spec = kind_.def->operands[operand];
    const auto numel = static_cast<std::size_t>(graph::numel(shape));
    Values all(numel, kPoison);
    if (spec.access == Access::write) return all;
    std::size_t known = numel;
    if (by_rows(operand) && shape[0].size > 0)
      known = numel / static_cast<std::size_t>(shape[0].size) *
              static_cast<std::size_t>(std::min(rows, shape[0].size));
    if (holds_numbers(spec)) {
      const auto* const no_number = "\x7f\x7f\x7f\x7f";
      for (std::size_t i = 0; i < numel; ++i) {
        const auto number = static_cast<std::int32_t>((i * 31 + operand) % kEntries);
        std::memcpy(&all[i], i < known ? reinterpret_cast<const char*>(&number) : no_number, 4);
      }
      return all;
    }
    const auto random = testing::normal(numel, 17 + operand);
    std::copy_n(random.begin(), known, all.begin());
    if (spec.name == "rstd" || spec.name == "stats") {
      for (std::size_t i = 0; i < known; ++i) all[i] = std::abs(all[i]);
    }
    return all;
  }
  [[nodiscard]] const OpDef& def() const { return *kind_.def; }

 private:
  Kind kind_;
  std::vector<Shape> shapes_;  // of no rows
};

bool same_bits(const float* a, const float* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(float)) == 0;
}

TEST(CountedRowsTest, CountedRowsHaveTheBitsOfAsManyRowsAndOthersTakeNoPart) {
  constexpr std::int64_t kBound = 37;
  for (const Kind& one : kinds()) {
    const CountedKind kind(one);
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{17}, kBound}) {
      for (const bool first : {true, false}) {
        const std::string what =
            std::string(one.def->name) + " of " + std::to_string(rows) + " rows";
        const Outcome counted = kind.run(kBound, {rows / 3, rows - rows / 3}, first);
        const Outcome fixed = kind.run(rows, {}, first);
        ASSERT_EQ(counted.error, "") << what;
        for (std::size_t i = 0; i < counted.operands.size(); ++i) {
          if (one.def->operands[i].access == Access::read) continue;
          const Values &got = counted.operands[i], &want = fixed.operands[i];
          EXPECT_TRUE(same_bits(got.data(), want.data(), want.size()))
              << what << ", " << one.def->operands[i].name;
          for (const float value : want) ASSERT_FALSE(std::isnan(value)) << what;
          for (std::size_t k = want.size(); k < got.size(); ++k)
            ASSERT_TRUE(std::isnan(got[k])) << what << ": a row beyond the count is written";
        }
      }
    }
  }
}

TEST(CountedRowsTest, NoRowsWriteZeroGradientsFirstAndAddNothingLater) {
  for (const Kind& one : kinds()) {
    const CountedKind kind(one);
    for (const bool first : {true, false}) {
      const Outcome run = kind.run(37, {0, 0, 0}, first);
      ASSERT_EQ(run.error, "") << one.def->name;
      const std::vector<Shape> shapes = one.shapes(37);
      for (std::size_t i = 0; i < run.operands.size(); ++i) {
        if (run.operands[i].empty()) continue;
        const bool gradient = one.def->operands[i].access == Access::first_writes;
        Values want = kind.values(i, shapes[i], 0);
        const bool loss = one.def->operands[i].name == "loss";
        if ((gradient && first) || loss) want.assign(want.size(), 0.0F);
        EXPECT_TRUE(same_bits(run.operands[i].data(), want.data(), want.size()))
            << one.def->name << ", " << one.def->operands[i].name;
      }
    }
  }
}

// Sums over rows are taken in blocks of rows: of 1,024 rows there are more than of 1,040.
TEST(CountedRowsTest, ScratchSufficesForFewerRowsThanTheBound) {
  for (const Kind& one : kinds()) {
    const Outcome run = CountedKind(one).run(1040, {1024}, true);  // checks the scratch's guard
    EXPECT_EQ(run.error, "") << one.def->name;
  }
}

TEST(CountedRowsTest, ACountBelowZeroOrAboveTheBoundIsAnErrorAndNothingIsWritten) {
  struct Wrong {
    std::vector<std::int64_t> counts;
    std::string named;
  };
  const std::vector<Wrong> all{{{20, 18}, "element 2 of its counts is 18"},
                               {{-1, 5}, "element 1 of its counts is -1"},
                               {{std::numeric_limits<std::int64_t>::max(), 0}, "element 1"}};
  for (const Kind& one : kinds()) {
    const CountedKind kind(one);
    for (const Wrong& wrong : all) {
      Outcome run;
      // The rows that the inputs have are of no matter here.
      run = kind.run(37, wrong.counts, true);
      EXPECT_NE(run.error.find(one.def->name), std::string::npos) << run.error;
      EXPECT_NE(run.error.find("room for 37 rows"), std::string::npos) << run.error;
      EXPECT_NE(run.error.find(wrong.named), std::string::npos) << run.error;
      for (std::size_t i = 0; i < run.operands.size(); ++i) {
        if (one.def->operands[i].access != Access::write) continue;
        for (const float value : run.operands[i]) ASSERT_TRUE(std::isnan(value)) << one.def->name;
      }
    }
  }
}

TEST(CountedRowsTest, KernelsThatNeedAllRowsSaySo) {
  const std::vector<std::optional<graph::Tensor>> tensors{graph::Tensor{.shape = {8, 12}},
                                                          graph::Tensor{.shape = {4, 12}}};
  const std::vector<std::uint64_t> nbytes{8UL * 12 * 4, 4UL * 12 * 4};
  const std::vector<kernels::RunTimeRows> counted{{.operand = 0, .count_operand = 2}};
  const graph::Attributes attributes{{graph::attribute::ranks, 2}};
  const kernels::KernelSpec spec{.def = &graph::sum_blocks_op(),
                                 .attributes = &attributes,
                                 .tensors = tensors,
                                 .nbytes = nbytes,
                                 .counted = counted};
  try {
    (void)kernels::prepare(*kernels::find_kernel("sum_blocks", kernels::Device::cpu), spec);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(error.message().find("sum_blocks: the rows of blocks are counted at run time"),
              std::string::npos)
        << error.message();
  }
}

TEST(CountedRowsTest, TwoCountsOfOneOpAreRefused) {
  const std::vector<std::optional<graph::Tensor>> tensors{graph::Tensor{.shape = {8, 12}},
                                                          graph::Tensor{.shape = {8, 12}}};
  const std::vector<std::uint64_t> nbytes{8UL * 12 * 4, 8UL * 12 * 4};
  const std::vector<kernels::RunTimeRows> counted{{.operand = 0, .count_operand = 2},
                                                  {.operand = 1, .count_operand = 2, .first = 1}};
  const graph::Attributes attributes;
  const kernels::KernelSpec spec{.def = &graph::gelu_op(),
                                 .attributes = &attributes,
                                 .tensors = tensors,
                                 .nbytes = nbytes,
                                 .counted = counted};
  EXPECT_THROW((void)kernels::prepare(*kernels::find_kernel("gelu", kernels::Device::cpu), spec),
               Error);
}

}  // namespace
}  // namespace megascale
