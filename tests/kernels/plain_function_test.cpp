// Chains of single operations compute what the fused kernels do, whose own tests hold them against
// references: outputs, retained values and gradients of every op kind that has both.
#include <gtest/gtest.h>

#include <bit>

#include "kernels/operation.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/cpu/team.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using graph::Attributes;
using graph::OpDef;
using graph::Shape;
using testing::normal;
using testing::Operation;
using testing::relative_norm_error;

using Matrix = std::vector<float>;
constexpr std::size_t kTeams[] = {1, 2, 3};

// An op kind and its operands; those to be written are empty here.
struct Case {
  const OpDef* def = nullptr;
  std::vector<Shape> shapes;
  std::vector<Matrix> operands;
  Attributes attributes;
  // Operand, and the one whose bytes it takes.
  std::pair<std::size_t, std::size_t> in_place{};
};

std::size_t elements(const Shape& shape) { return static_cast<std::size_t>(graph::numel(shape)); }

// What the op leaves in the operands that it writes. In the accumulating run gradients of
// parameters hold ones before.
std::vector<Matrix> run(const Case& c, KernelSet set, std::size_t threads, bool first) {
  const cpu::TeamSize team(threads);
  std::vector<Matrix> operands = c.operands;
  std::vector<Matrix*> addresses;
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool absent = c.shapes[i].empty();
    if (!absent && operands[i].empty()) {
      operands[i].assign(elements(c.shapes[i]), first ? NAN : 1.0F);
      written.push_back(i);
    }
    addresses.push_back(absent ? nullptr : &operands[i]);
  }
  const auto [result, taken] = c.in_place;
  if (result != taken) addresses[result] = addresses[taken];
  Operation(*c.def, c.shapes, c.attributes, set).run(addresses, first);
  std::vector<Matrix> outputs;
  for (const std::size_t i : written) outputs.push_back(*addresses[i]);
  return outputs;
}

void expect_plain_is_close_to_fused(const Case& c, double bound, const std::string& what) {
  ASSERT_NE(find_kernel(c.def->name, Device::cpu, KernelSet::plain),
            find_kernel(c.def->name, Device::cpu, KernelSet::fused));
  for (const bool first : {true, false}) {
    const auto want = run(c, KernelSet::fused, 1, first);
    const auto got = run(c, KernelSet::plain, 1, first);
    ASSERT_FALSE(want.empty());
    for (std::size_t i = 0; i < want.size(); ++i) {
      double squares = 0;
      for (const float w : want[i]) squares += double{w} * double{w};
      if (squares > 1e-9) {
        EXPECT_LT(relative_norm_error(got[i], want[i]), bound)
            << c.def->name << " output " << i << " " << what;
      } else {  // 0 by the definition
        EXPECT_TRUE(testing::all_close(got[i], want[i], 0, 1e-5)) << c.def->name << " " << what;
      }
    }
    for (const std::size_t threads : kTeams) {
      const auto again = run(c, KernelSet::plain, threads, first);
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(testing::same_bits(again[i], got[i]))
            << c.def->name << " " << threads << " threads " << what;
      }
    }
  }
}

class PlainTest : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {
 protected:
  std::int64_t rows = GetParam().first, columns = GetParam().second;
  Shape matrix{rows, columns}, per_row{rows}, per_column{columns};
  [[nodiscard]] Matrix values(std::uint64_t seed, double stddev = 1.0) const {
    return normal(elements(matrix), seed, stddev);
  }
  [[nodiscard]] Matrix of_columns(std::uint64_t seed) const {
    return normal(elements(per_column), seed);
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, PlainTest,
                         ::testing::Values(std::pair{3, 5}, std::pair{5, 16}, std::pair{7, 17},
                                           std::pair{33, 130}, std::pair{300, 200}));

TEST_P(PlainTest, Norms) {
  Attributes epsilon;
  epsilon.set("epsilon", 1e-5);
  const Matrix x = values(1, 2.0), gamma = of_columns(2), beta = of_columns(3), dy = values(4),
               addend = values(5);
  const Case layer{&graph::layer_norm_op(),
                   {matrix, per_column, per_column, matrix, per_row, per_row},
                   {x, gamma, beta, {}, {}, {}},
                   epsilon};
  const Case rms{
      &graph::rms_norm_op(), {matrix, per_column, matrix, per_row}, {x, gamma, {}, {}}, epsilon};
  expect_plain_is_close_to_fused(layer, 2e-6, "");
  expect_plain_is_close_to_fused(rms, 2e-6, "");
  const auto saved = run(layer, KernelSet::fused, 1, true);
  const auto saved_rms = run(rms, KernelSet::fused, 1, true);
  for (const bool adds : {false, true}) {
    const Shape other = adds ? matrix : Shape{};
    Case layer_gradient{
        &graph::layer_norm_gradient_op(),
        {matrix, matrix, per_column, per_row, per_row, other, matrix, per_column, per_column},
        {dy, x, gamma, saved[1], saved[2], addend, {}, {}, {}}};
    Case rms_gradient{&graph::rms_norm_gradient_op(),
                      {matrix, matrix, per_column, per_row, other, matrix, per_column},
                      {dy, x, gamma, saved_rms[1], addend, {}, {}}};
    const std::string what = adds ? "with an addend" : "";
    expect_plain_is_close_to_fused(layer_gradient, 5e-6, what);
    expect_plain_is_close_to_fused(rms_gradient, 5e-6, what);
    layer_gradient.in_place = {6, adds ? 5 : 0};
    rms_gradient.in_place = {5, adds ? 4 : 0};
    expect_plain_is_close_to_fused(layer_gradient, 5e-6, "in place " + what);
    expect_plain_is_close_to_fused(rms_gradient, 5e-6, "in place " + what);
  }
}

TEST_P(PlainTest, Activations) {
  const Matrix x = values(1, 3.0), dy = values(2);
  const Matrix both = normal(2 * x.size(), 3, 3.0);
  const Shape wide{rows, 2 * columns};
  expect_plain_is_close_to_fused({&graph::gelu_op(), {matrix, matrix}, {x, {}}}, 1e-6, "");
  expect_plain_is_close_to_fused({&graph::swiglu_op(), {wide, matrix}, {both, {}}}, 1e-6, "");
  for (const bool in_place : {false, true}) {
    Case gelu{&graph::gelu_gradient_op(), {matrix, matrix, matrix}, {dy, x, {}}};
    Case swiglu{&graph::swiglu_gradient_op(), {matrix, wide, wide}, {dy, both, {}}};
    if (in_place) gelu.in_place = swiglu.in_place = {2, 1};
    expect_plain_is_close_to_fused(gelu, 1e-6, in_place ? "in place" : "");
    expect_plain_is_close_to_fused(swiglu, 1e-6, in_place ? "in place" : "");
  }
}

struct Heads {
  std::int64_t sequence = 1, head_dim = 1, batch = 1, heads = 1, groups = 1;
  std::int64_t value_dim = 0;  // 0: head_dim, and no attribute
};

// Windows and sequences around the smallest block of 64 queries, and blocks that end early; values of
// another size than queries and keys.
TEST(PlainAttentionTest, IsCloseToTheFusedKernels) {
  for (const Heads& size : {Heads{1, 8, 1, 1, 1}, Heads{63, 16, 2, 2, 1}, Heads{64, 20, 1, 2, 2},
                            Heads{65, 32, 2, 4, 2}, Heads{200, 24, 1, 3, 3},
                            Heads{130, 24, 2, 4, 2, 16}, Heads{70, 12, 1, 2, 2, 20}}) {
    for (const std::int64_t window : {0, 1, 7, 64, 100}) {
      for (const bool segmented : {false, true}) {
        Attributes attributes;
        attributes.set("heads", size.heads);
        attributes.set("groups", size.groups);
        attributes.set("head_dim", size.head_dim);
        attributes.set("sequence", size.sequence);
        attributes.set("window", window);
        if (size.value_dim > 0) attributes.set("value_dim", size.value_dim);
        const std::int64_t values = size.value_dim > 0 ? size.value_dim : size.head_dim;
        const std::int64_t tokens = size.batch * size.sequence;
        const Shape qkv{tokens,
                        size.heads * size.head_dim + size.groups * (size.head_dim + values)},
            output{tokens, size.heads * values}, lse{size.batch, size.heads, size.sequence},
            segments = segmented ? Shape{tokens} : Shape{};
        Matrix documents;
        for (std::int64_t i = 0; segmented && i < tokens; ++i)
          documents.push_back(std::bit_cast<float>(static_cast<std::int32_t>(i / 23 % 3)));
        const Matrix x = normal(elements(qkv), 1);
        const Case forward{&graph::attention_op(),
                           {qkv, segments, {}, output, lse},
                           {x, documents, {}, {}, {}},
                           attributes};
        const std::string what = "sequence " + std::to_string(size.sequence) + " window " +
                                 std::to_string(window) + " value_dim " + std::to_string(values) +
                                 (segmented ? " segmented" : "");
        expect_plain_is_close_to_fused(forward, 5e-6, what);
        const auto done = run(forward, KernelSet::fused, 1, true);
        const Case backward{&graph::attention_gradient_op(),
                            {output, qkv, segments, {}, output, lse, qkv},
                            {normal(elements(output), 2), x, documents, {}, done[0], done[1], {}},
                            attributes};
        expect_plain_is_close_to_fused(backward, 1e-5, what);
      }
    }
  }
}

}  // namespace
}  // namespace megascale::kernels
