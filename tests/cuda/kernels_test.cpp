// Every op kind that a device executes, against the CPU's kernel of the same kind, which its own
// tests hold against double precision. Outputs start as NaN and are followed by canaries. Without a
// device, skipped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <span>

#include "cuda/compare_operation.h"
#include "cuda/op_cases.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/cpu/elementwise.h"
#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/functions/table.h"
#include "megascale/kernels/cuda/norm.h"
#include "megascale/kernels/cuda/random_operands.h"
#include "support/close.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using graph::Dim;

// The rows of a kind that works on rows.
std::int64_t rows_of(const OpCase& op) {
  const bool embeds = op.def == &graph::embedding_op();  // its first operand is a table
  return (embeds ? op.operands[graph::embedding::output] : op.operands.front()).shape[0].size;
}

// The case with its rows counted: `rows` of them, the others damaged.
OpCase with_counted_rows(OpCase op, std::int64_t rows) {
  const std::int64_t bound = rows_of(op);
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const graph::OperandSpec& spec = op.def->operands[i];
    const bool per_parameter = spec.access == graph::Access::first_writes ||
                               spec.name == "weight" || spec.name == "bias" ||
                               spec.name.ends_with("gamma") || spec.name == "beta" ||
                               (spec.name == "table" && op.def != &graph::rope_table_op()) ||
                               spec.name == "position_table";
    // Statistics of several ranks lie a bound apart; the loss is a sum over the rows.
    const bool of_all_ranks = spec.name == "stats" && op.operands[i].shape[0].size != bound;
    if (op.operands[i].shape.empty() || per_parameter || of_all_ranks || spec.name == "loss")
      continue;
    EXPECT_EQ(op.operands[i].shape[0].size, bound) << op.name << " " << spec.name;
    op.counted.push_back(i);
  }
  op.counts = {rows / 4, 0, rows - rows / 4};
  for (const std::size_t i : op.counted) {
    OperandOf& operand = op.operands[i];
    const double damage = operand.dtype == DType::int32 ? 0x7F7F7F7F : double{NAN};
    for (std::size_t n = counted_elements(op, i, operand.values.size()); n < operand.values.size();
         ++n)
      operand.values[n] = damage;
  }
  op.name += fmt::format(" of {} counted rows", rows);
  return op;
}

class DeviceKernels : public ::testing::TestWithParam<DType> {
 public:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  }
};

bool always(const OpCase&) { return true; }
// Whether cuBLASLt or, in bfloat16, cuDNN computes the op.
bool is_library_op(const OpCase& op) {
  const std::string_view name = op.def->name;
  return name.starts_with("linear") || name.starts_with("attention");
}
void expect_all_close(const std::vector<OpCase>& cases, DType storage,
                      bool (*wanted)(const OpCase&) = always) {
  for (const OpCase& op : cases) {
    if (!wanted(op) || (op.only_bfloat16 && storage != DType::bfloat16)) continue;
    // One that is refused hides none of the others.
    try {
      expect_close(op, storage);
    } catch (const Error& error) {
      ADD_FAILURE() << op.name << ": " << error.message();
    }
  }
}
// Apart from each other, since racecheck ends at cuBLASLt's kernels in bfloat16.
TEST_P(DeviceKernels, OfLibrariesComputeWhatTheCpuComputes) {
  expect_all_close(all_cases(), GetParam(), is_library_op);
}
TEST_P(DeviceKernels, OfOurOwnComputeWhatTheCpuComputes) {
  expect_all_close(all_cases(), GetParam(), [](const OpCase& op) { return !is_library_op(op); });
}
TEST_P(DeviceKernels, ComputeWhatTheCpuComputesOnRealShapes) {
  expect_all_close(real_cases(), GetParam());
}

// Rows beyond the count are damaged: they must not reach a result. The CPU's kernels are held
// against tensors of as many rows in tests/kernels/counted_rows_test.cpp.
TEST_P(DeviceKernels, ComputeCountedRows) {
  std::set<std::string_view> counted;
  for (const OpCase& op : all_cases()) {
    if (op.has_own_counts) {  // OfOurOwnComputeWhatTheCpuComputes has run it
      if (!op.counts.empty()) counted.insert(op.def->name);
      continue;
    }
    const kernels::Kernel* kernel = kernels::find_kernel(op.def->name, kernels::Device::cuda);
    if (!kernel->counted_rows || (op.only_bfloat16 && GetParam() != DType::bfloat16)) continue;
    // A table of all positions has no rows of tokens.
    if (op.operands.front().shape.empty()) continue;
    counted.insert(op.def->name);
    // A norm that ranks divide has a constant number of tokens.
    const bool norms =
        op.def == &graph::head_norm_op() || op.def == &graph::head_norm_gradient_op();
    if (norms && op.attributes.integer("ranks", 1) > 1) continue;
    const std::int64_t bound = rows_of(op);
    for (const std::int64_t rows : {std::int64_t{0}, bound * 2 / 3}) {
      try {
        expect_close(with_counted_rows(op, rows), GetParam());
      } catch (const Error& error) {
        ADD_FAILURE() << op.name << ": " << error.message();
      }
    }
  }
  counted.insert("cast");                     // expert_kernels_test.cpp
  if (GetParam() != DType::bfloat16) return;  // which has all kinds
  for (const kernels::Kernel& kernel : kernels::cuda::kernels()) {
    if (kernel.op.starts_with("quantise")) continue;  // quantised_products_test.cpp
    EXPECT_EQ(counted.contains(kernel.op), kernel.counted_rows) << kernel.op;
  }
}

// A count that no op may write does not lead out of the tensors; on the CPU it is an error.
TEST_P(DeviceKernels, CountsBeyondTheBoundAreTakenAsTheBound) {
  for (const std::int64_t wrong : {std::int64_t{-7}, std::int64_t{1} << 40}) {
    OpCase op{"gelu", &graph::gelu_op(), {input({9, 16}), output({9, 16})}};
    op.counts = {wrong};
    op.counted = {graph::gelu::input, graph::gelu::output};
    const OpResult got = run_on_device(op, GetParam());
    EXPECT_TRUE(got.canaries_whole);
    const auto& y = got.operands[graph::gelu::output];
    EXPECT_EQ(std::count_if(y.begin(), y.end(), [](double x) { return std::isnan(x); }),
              wrong < 0 ? 9 * 16 : 0);
    EXPECT_THROW((void)run_on_cpu(op, GetParam()), Error);
  }
}

// The whole way twice: the same bits.
TEST_P(DeviceKernels, RepeatTheirBits) {
  for (const OpCase& op : all_cases()) {
    if (op.only_bfloat16 && GetParam() != DType::bfloat16) continue;
    expect_same_bits(op, GetParam());
  }
}

// Added to nothing, -0 would become 0.
TEST_P(DeviceKernels, EmbeddingGradientLeavesOtherRowsAlone) {
  constexpr std::int64_t kRows = 100, kChannels = 24;
  OperandOf table = input32({kRows, kChannels}), tokens{{Dim(2)}, DType::int32, {33, 33}};
  std::fill(table.values.begin(), table.values.end(), -0.0);
  OpCase gradient{"embedding_gradient",
                  &graph::embedding_gradient_op(),
                  {input({2, kChannels}), tokens, absent(), table, absent()}};
  gradient.first = false;
  const auto sums =
      run_on_device(gradient, GetParam()).operands[graph::embedding_gradient::table_gradient];
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool token = i / kChannels == 33;
    ASSERT_TRUE(token ? sums[i] != 0 : sums[i] == 0 && std::signbit(sums[i])) << "element " << i;
  }
}

// A NaN is lost in no maximum, and -infinity counts nothing, wherever it stands.
TEST_P(DeviceKernels, LogitsThatAreNotFinite) {
  constexpr std::int64_t kRows = 5, kColumns = 9000;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  OperandOf logits = input({kRows, kColumns}, 3), targets = numbers(kRows, kColumns);
  const auto row = [&](std::int64_t n) { return logits.values.begin() + n * kColumns; };
  std::fill(row(0), row(0) + kColumns / 2, kNone);
  std::fill(row(1), row(2), kNone);
  row(2)[kColumns - 1] = NAN;
  std::fill(row(3), row(4), kNone);
  row(3)[4000] = NAN;
  row(4)[7] = 1e30;
  targets.values[1] = -1;
  const OpCase stats = stats_case(logits, targets, kColumns);
  const OpResult want = run_on_cpu(stats, GetParam()), got = run_on_device(stats, GetParam());
  const auto &on_cpu = want.operands[graph::logit_stats::stats],
             &on_device = got.operands[graph::logit_stats::stats];
  ASSERT_TRUE(std::isnan(on_cpu[2 * 3 + 1]) && std::isnan(on_cpu[3 * 3 + 1]));
  for (std::size_t i = 0; i < kRows * 3; ++i) {
    // Beside a NaN the CPU's vectors may lose a larger maximum; the sum is a NaN whatever the maximum is.
    if (i % 3 == 0 && std::isnan(on_cpu[i + 1])) continue;
    const double w = on_cpu[i], g = on_device[i];
    EXPECT_TRUE((std::isnan(w) && std::isnan(g)) || g == w || std::abs(g - w) <= 1e-5 * std::abs(w))
        << "token " << i / 3 << " statistic " << i % 3 << ": " << g << ", on the CPU " << w;
  }
}

// The most channels that are accepted, and one more.
TEST_P(DeviceKernels, TheWidestNormFitsIntoABlock) {
  constexpr auto kMost = static_cast<std::int64_t>(kernels::cuda::kMostNormChannels);
  expect_close(layer_norm_gradient_case({2, kMost}), GetParam());
  try {
    (void)run_on_device(layer_norm_gradient_case({2, kMost + 1}), GetParam());
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
}

INSTANTIATE_TEST_SUITE_P(Storage, DeviceKernels, ::testing::Values(DType::float32, DType::bfloat16),
                         [](const auto& parameter) {
                           return std::string(to_string(parameter.param));
                         });

// Operands that products are measured with: none is zero alone, NaN or infinite. Odd sizes, longer
// than what is drawn.
TEST(DeviceOperands, AreRandomNumbers) {
  if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  constexpr std::size_t kNbytes = (std::size_t{16} << 20U) + 4098;
  const cuda::DeviceMemory memory(kNbytes);
  std::vector<std::byte> got(kNbytes);
  kernels::cuda::fill_with_float8(memory.bytes());
  cuda::copy_to_host(got, memory.bytes().data());
  std::set<unsigned> seen;
  for (const std::byte value : got) seen.insert(std::to_integer<unsigned>(value));
  EXPECT_EQ(seen.size(), 128U);
  for (const unsigned value : seen) EXPECT_EQ(value & 0x40U, 0U) << "an exponent of 2 or more";
  kernels::cuda::fill_with_numbers(memory.bytes(), DType::bfloat16);
  cuda::copy_to_host(got, memory.bytes().data());
  double squares = 0;
  for (std::size_t at = 0; at < kNbytes; at += 2) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, &got[at], sizeof bits);
    const double value = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
    squares += value * value;
  }
  EXPECT_NEAR(2 * squares / kNbytes, 1.0, 0.02);
}

// Goal: every share arrives whole, also the first one, which may lie where it is packed to.
TEST(DevicePackedShares, AreThoseOfTheBlocks) {
  if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  constexpr std::size_t kBlocks = 3, kCount = 2400, kStride = 3 * kCount;
  cuda::use_device(0);
  const cuda::Stream stream;
  for (const std::size_t offset : {std::size_t{0}, kCount, 2 * kCount}) {
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      std::vector<float> values = testing::normal(kBlocks * kStride, 3);
      cuda::DeviceMemory memory(values.size() * sizeof(float));
      cuda::copy_to_device(memory.bytes().data(), std::as_bytes(std::span(values)));
      kernels::cuda::pack_shares({.blocks = kBlocks,
                                  .stride = kStride,
                                  .offset = offset,
                                  .count = kCount,
                                  .dtype = dtype,
                                  .values = reinterpret_cast<float*>(memory.bytes().data())},
                                 stream.get());
      stream.synchronize();
      std::vector<std::byte> got(kBlocks * kCount * itemsize(dtype));
      cuda::copy_to_host(got, memory.bytes().data());
      for (std::size_t i = 0; i < kBlocks * kCount; ++i) {
        const float want = values[i / kCount * kStride + offset + i % kCount];
        if (dtype == DType::float32) {
          float value = 0;
          std::memcpy(&value, &got[i * sizeof value], sizeof value);
          ASSERT_EQ(value, want) << "offset " << offset << ", element " << i;
        } else {
          std::uint16_t bits = 0, rounded = 0;
          std::memcpy(&bits, &got[i * sizeof bits], sizeof bits);
          kernels::cpu::to_bfloat16({&rounded, 1}, {&want, 1});
          ASSERT_EQ(bits, rounded) << "offset " << offset << ", element " << i;
        }
      }
    }
  }
}

TEST(DeviceKernelTable, EveryKindIsTestedAndPrepared) {
  std::set<std::string_view> tested, listed, prepared;
  for (const OpCase& op : all_cases()) tested.insert(op.def->name);
  for (const kernels::Kernel& kernel : kernels::cuda::kernels()) listed.insert(kernel.op);
  tested.insert("host_copy");  // every training run has it
  // The CPU has none of these; quantised_products_test.cpp has references of its own.
  tested.insert({"matrix_amax", "quantise", "quantise_weight", "transpose_codes",
                 "quantised_linear", "quantised_input_gradient", "quantised_weight_gradient",
                 "quantised_grouped_linear", "quantised_grouped_input_gradient"});
  tested.insert("cast");         // expert_kernels_test.cpp: the CPU has no such kernel
  tested.insert("pack_shares");  // above: a share lies within the other operand
  const auto expect_all = [&](const std::set<std::string_view>& kinds, const char* what) {
    std::vector<std::string_view> others;
    std::set_symmetric_difference(kinds.begin(), kinds.end(), listed.begin(), listed.end(),
                                  std::back_inserter(others));
    EXPECT_TRUE(others.empty()) << what << ": " << ::testing::PrintToString(others);
  };
  expect_all(tested, "tested or listed, not both");
  for (const std::string_view kind : kernels::cuda::prepared_kinds()) prepared.insert(kind);
  expect_all(prepared, "prepared or listed, not both");
}

}  // namespace
}  // namespace megascale
