// Attention over a context group against attention on one rank: what the ranks send each other is
// carried by hand between the buffers of as many copies of one program.
#include "megascale/model/context_attention.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "megascale/base/error.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/kernel.h"
#include "support/close.h"

namespace megascale::model {
namespace {

using graph::Axis;
using graph::Dim;
using graph::Op;
using graph::Role;
using graph::TensorId;
using testing::normal;

struct Case {
  AttentionShape shape;
  std::uint32_t ranks = 1;
  bool packed_documents = false;
};
std::string to_name(const Case& c) {
  return fmt::format(
      "heads{}_groups{}_sequences{}_window{}{}{}_ranks{}", c.shape.heads, c.shape.groups,
      c.shape.sequences, c.shape.window, c.packed_documents ? "_packed" : "",
      c.shape.value_dim > 0 ? fmt::format("_values{}", c.shape.value_dim) : "", c.ranks);
}

std::int64_t columns_of_qkv(const Case& c) {
  return (c.shape.heads + c.shape.groups) * c.shape.head_dim +
         c.shape.groups * value_dim_of(c.shape);
}

// Values of all ranks, laid out (sequence, token, channel).
using Values = std::vector<float>;

class Job {
 public:
  explicit Job(const Case& c) : case_(c), buffers_(c.ranks) {
    graph::AxisSizes axes;
    axes[Axis::context] = c.ranks;
    graph::Builder builder(program_, axes);
    const std::int64_t tokens = c.shape.sequences * c.shape.length;
    const TensorId segments =
        c.packed_documents ? builder.external("segments", {Dim(tokens)}, DType::int32, Role::batch)
                           : graph::kNoTensor;
    const TensorId qkv = builder.receive(tokens / c.ranks, columns_of_qkv(c), DType::float32);
    builder.send(context_attention(builder, c.shape, qkv, segments, graph::kNoTensor));
    graph::differentiate(program_);
    for (auto& rank : buffers_) {
      for (const graph::Tensor& tensor : program_.tensors) {
        rank.emplace_back(static_cast<std::size_t>(graph::numel(tensor.shape)),
                          std::numeric_limits<float>::quiet_NaN());
      }
    }
    if (!c.packed_documents) return;
    // Documents of five tokens.
    for (auto& rank : buffers_) {
      auto* ids = reinterpret_cast<std::int32_t*>(rank[index(segments)].data());
      for (std::int32_t i = 0; i < tokens; ++i) {
        ids[i] = i % static_cast<std::int32_t>(c.shape.length) / 5;
      }
    }
  }

  struct Result {
    Values output, gradient;
  };
  Result run(const Values& qkv, const Values& output_gradient) {
    Result result;
    for (const Op& op : program_.forward) {
      if (op.def == &graph::recv_op()) {
        give(op.operands[graph::recv::receive], qkv);
      } else if (op.def == &graph::send_op()) {
        result.output = take(op.operands[graph::send::send]);
      } else {
        run(op);
      }
    }
    for (const Op& op : program_.backward) {
      if (op.def == &graph::recv_op()) {
        give(op.operands[graph::recv::receive], output_gradient);
      } else if (op.def == &graph::send_op()) {
        result.gradient = take(op.operands[graph::send::send]);
      } else {
        run(op);
      }
    }
    return result;
  }
  [[nodiscard]] const graph::Program& program() const { return program_; }

 private:
  // Calls visit(rank's row, whole row) with the first element of every token.
  template <class Visit>
  void for_each_token(std::int64_t columns, Visit&& visit) {
    const std::int64_t share = case_.shape.length / case_.ranks;
    for (std::uint32_t rank = 0; rank < case_.ranks; ++rank) {
      for (std::int64_t i = 0; i < case_.shape.sequences * share; ++i) {
        const std::int64_t token = i / share * case_.shape.length + rank * share + i % share;
        visit(rank, i * columns, token * columns);
      }
    }
  }
  void give(TensorId tensor, const Values& whole) {
    const std::int64_t columns = program_.tensor(tensor).shape[1].size;
    for_each_token(columns, [&](std::uint32_t rank, std::int64_t mine, std::int64_t at) {
      std::copy_n(whole.begin() + at, columns, buffers_[rank][index(tensor)].begin() + mine);
    });
  }
  Values take(TensorId tensor) {
    const graph::Shape& shape = program_.tensor(tensor).shape;
    Values whole(static_cast<std::size_t>(graph::numel(shape)) * case_.ranks);
    for_each_token(shape[1].size, [&](std::uint32_t rank, std::int64_t mine, std::int64_t at) {
      std::copy_n(buffers_[rank][index(tensor)].begin() + mine, shape[1].size, whole.begin() + at);
    });
    return whole;
  }

  void run(const Op& op) {
    if (op.def == &graph::all_to_all_op()) return exchange(op);
    const kernels::Kernel* kernel = kernels::find_kernel(op.def->name, kernels::Device::cpu);
    ASSERT_NE(kernel, nullptr) << op.def->name;
    std::vector<std::optional<graph::Tensor>> tensors;
    std::vector<std::uint64_t> nbytes;
    for (const TensorId operand : op.operands) {
      tensors.emplace_back();
      if (operand != graph::kNoTensor) tensors.back() = program_.tensor(operand);
      nbytes.push_back(tensors.back() ? static_cast<std::uint64_t>(tensors.back()->nbytes()) : 0);
    }
    kernels::KernelSpec spec{.def = op.def,
                             .attributes = &op.attributes,
                             .tensors = tensors,
                             .nbytes = nbytes,
                             .threads = kernels::cpu::team_size()};
    if (kernel->scratch_bytes != nullptr) spec.scratch_nbytes = kernel->scratch_bytes(spec);
    const auto function = kernels::prepare(*kernel, spec);
    std::vector<std::byte> scratch(spec.scratch_nbytes + 64);
    void* aligned = scratch.data();
    std::size_t space = scratch.size();
    std::align(64, spec.scratch_nbytes, aligned, space);
    for (auto& rank : buffers_) {
      std::vector<std::byte*> addresses;
      for (const TensorId operand : op.operands) {
        addresses.push_back(operand == graph::kNoTensor
                                ? nullptr
                                : reinterpret_cast<std::byte*>(rank[index(operand)].data()));
      }
      addresses.push_back(static_cast<std::byte*>(aligned));
      EXPECT_EQ(function->run({.operands = addresses, .first = true}), nullptr);
    }
  }

  void exchange(const Op& op) {
    for (std::uint32_t to = 0; to < case_.ranks; ++to) {
      Values& received = buffers_[to][index(op.operands[graph::collective::receive])];
      const std::size_t block = received.size() / case_.ranks;
      for (std::uint32_t from = 0; from < case_.ranks; ++from) {
        const Values& sent = buffers_[from][index(op.operands[graph::collective::send])];
        ASSERT_EQ(sent.size(), received.size());
        std::copy_n(sent.data() + to * block, block, received.data() + from * block);
      }
    }
  }

  Case case_;
  graph::Program program_;
  std::vector<std::vector<Values>> buffers_;  // by rank and tensor
};

class ContextAttentionTest : public ::testing::TestWithParam<Case> {};

TEST_P(ContextAttentionTest, IsTheAttentionOfOneRank) {
  const Case& c = GetParam();
  const auto tokens = static_cast<std::size_t>(c.shape.sequences * c.shape.length);
  const auto qkv = normal(tokens * static_cast<std::size_t>(columns_of_qkv(c)), 1);
  const auto dy =
      normal(tokens * static_cast<std::size_t>(c.shape.heads * value_dim_of(c.shape)), 2);
  Case alone = c;
  alone.ranks = 1;
  const auto want = Job(alone).run(qkv, dy), got = Job(c).run(qkv, dy);
  ASSERT_EQ(got.output.size(), want.output.size());
  ASSERT_EQ(got.gradient.size(), want.gradient.size());
  EXPECT_LE(testing::relative_norm_error(got.output, want.output), 1e-6);
  EXPECT_LE(testing::relative_norm_error(got.gradient, want.gradient), 1e-6);
}

AttentionShape shape_of(std::int64_t heads, std::int64_t groups, std::int64_t sequences,
                        std::int64_t window = 0, std::int64_t value_dim = 0) {
  return {.heads = heads,
          .groups = groups,
          .head_dim = 8,
          .value_dim = value_dim,
          .sequences = sequences,
          .length = 24,
          .window = window};
}
INSTANTIATE_TEST_SUITE_P(
    Shapes, ContextAttentionTest,
    ::testing::Values(Case{shape_of(4, 4, 1), 2}, Case{shape_of(4, 4, 2, 7), 4},
                      Case{shape_of(6, 6, 3), 3, true}, Case{shape_of(8, 4, 2), 2},
                      Case{shape_of(4, 2, 1), 4}, Case{shape_of(12, 2, 2, 5), 6, true},
                      Case{shape_of(8, 1, 2), 8}, Case{shape_of(8, 4, 2, 0, 5), 2},
                      Case{shape_of(4, 2, 1, 7, 12), 4, true}),
    [](const auto& tested) { return to_name(tested.param); });

// Two exchanges forward and two back, and nothing of it for a group of one.
TEST(ContextAttentionProgramTest, ExchangesOnlyAmongRanks) {
  for (const std::int64_t sequences : {1, 2}) {
    for (const std::uint32_t ranks : {1U, 2U}) {
      const Job job({shape_of(4, 2, sequences), ranks});
      std::map<std::string_view, int> kinds;
      for (const auto* ops : {&job.program().forward, &job.program().backward}) {
        for (const Op& op : *ops) ++kinds[op.def->name];
      }
      const int exchanges = ranks > 1 ? 4 : 0;
      EXPECT_EQ(kinds["all_to_all"], exchanges);
      EXPECT_EQ(kinds["split_heads"] + kinds["join_heads"], exchanges);
      // Blocks of one sequence are in order as they come.
      EXPECT_EQ(kinds["split_sequences"] + kinds["join_sequences"], sequences > 1 ? exchanges : 0);
    }
  }
}

// The attribute value_dim is there only if heads of values have another size: other plans keep their
// digests.
TEST(ContextAttentionProgramTest, OnlyAnotherSizeOfValuesIsAnAttribute) {
  for (const std::int64_t value_dim : {0, 8, 5}) {
    for (const std::uint32_t ranks : {1U, 2U}) {
      const Job job({shape_of(4, 2, 1, 0, value_dim), ranks});
      int named = 0;
      for (const Op& op : job.program().forward)
        named += static_cast<int>(op.attributes.values().contains("value_dim"));
      // The core, and the exchange before it.
      EXPECT_EQ(named, value_dim != 5 ? 0 : ranks == 1 ? 1 : 2) << value_dim << ", " << ranks;
    }
  }
}

TEST(ContextAttentionProgramTest, HeadsThatDoNotDivideAreRefused) {
  EXPECT_THROW(Job({shape_of(4, 4, 1), 3}), Error);
  EXPECT_THROW(Job({shape_of(12, 2, 1), 3}), Error) << "two key-value heads among three";
}

}  // namespace
}  // namespace megascale::model
