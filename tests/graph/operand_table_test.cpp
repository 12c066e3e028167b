// The tables of operands, which kinds write from the names of their operands.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

namespace kinds_of_access {
enum Operand : std::size_t { plain, maybe, written, maybe_written, both, first, maybe_first };
}

TEST(OperandTableTest, NamesAndAccessesAreThoseOfTheEnumerators) {
  using enum kinds_of_access::Operand;
  const auto table =
      operand_table<Reads<plain>, MayRead<maybe>, Writes<written>, MayWrite<maybe_written>,
                    Accumulates<both>, FirstWrites<first>, MayFirstWrite<maybe_first>>();
  const auto is = [&](std::size_t operand, std::string_view name, Access access, bool optional) {
    EXPECT_EQ(table[operand].name, name);
    EXPECT_EQ(table[operand].access, access) << name;
    EXPECT_EQ(table[operand].optional, optional) << name;
  };
  ASSERT_EQ(table.size(), 7U);
  is(plain, "plain", Access::read, false);
  is(maybe, "maybe", Access::read, true);
  is(written, "written", Access::write, false);
  is(maybe_written, "maybe_written", Access::write, true);
  is(both, "both", Access::accumulate, false);
  is(first, "first", Access::first_writes, false);
  is(maybe_first, "maybe_first", Access::first_writes, true);
}

// What a kind says of its operands by number means operands that exist and are accessed so.
TEST(OperandTableTest, EveryKindSpeaksOfItsOwnOperands) {
  ASSERT_FALSE(all_op_defs().empty());
  for (const OpDef* def : all_op_defs()) {
    const auto writes = [&](std::size_t operand) {
      return def->operands.at(operand).access != Access::read;
    };
    std::set<std::string_view> names;
    for (const OperandSpec& spec : def->operands) {
      EXPECT_FALSE(spec.name.empty()) << def->name;
      EXPECT_TRUE(names.insert(spec.name).second) << def->name << ": " << spec.name << " twice";
    }
    for (const InPlace& pair : def->in_place) {
      EXPECT_TRUE(writes(pair.output)) << def->name;
      EXPECT_FALSE(writes(pair.input)) << def->name;
    }
    if (def->row_product) {
      EXPECT_FALSE(writes(def->row_product->input)) << def->name;
      EXPECT_TRUE(writes(def->row_product->output)) << def->name;
      if (def->row_product->addend) {
        EXPECT_FALSE(writes(*def->row_product->addend)) << def->name;
      }
    }
    const TransferOperands& moved = def->transfer_operands;
    EXPECT_EQ(def->transfer != nullptr, moved.given || moved.taken) << def->name;
    if (moved.taken) {
      EXPECT_TRUE(writes(*moved.taken)) << def->name;
    }
    if (moved.given && moved.given != moved.taken) {
      EXPECT_FALSE(writes(*moved.given)) << def->name;
    }
    for (const auto& counts : {moved.given_counts, moved.taken_counts}) {
      if (counts) {
        EXPECT_FALSE(writes(*counts)) << def->name;
      }
    }
  }
}

TEST(OperandTableTest, OperandsAreGivenByNameInAnyOrder) {
  Program program;
  Builder builder(program, {});
  const auto x = builder.external("x", {Dim(4), Dim(6)}, DType::float32, Role::activation);
  const auto w = builder.parameter("w", {8, 6}, DType::float32, {});
  const Op& op = builder.emit(linear_op(), "up", {{linear::weight, w}, {linear::input, x}});
  EXPECT_EQ(op.operands[linear::input], x);
  EXPECT_EQ(op.operands[linear::weight], w);
  EXPECT_EQ(op.operands[linear::bias], kNoTensor);
  EXPECT_EQ(program.tensor(op.operands[linear::output]).shape, (Shape{4, 8}));
}

TEST(OperandTableDeathTest, AnOperandGivenTwiceIsABug) {
  Program program;
  Builder builder(program, {});
  const auto x = builder.external("x", {Dim(4), Dim(6)}, DType::float32, Role::activation);
  EXPECT_DEATH(builder.emit(gelu_op(), "gelu", {{gelu::input, x}, {gelu::input, x}}), "input");
}

// The names of another kind's operands do not compile.
template <class Kind, class Name>
concept TakesOperand = requires(Builder& builder, const Kind& kind, Name name) {
  builder.emit(kind, "path", {{name, TensorId{}}});
};
static_assert(TakesOperand<OpKind<linear::Operand>, linear::Operand>);
static_assert(!TakesOperand<OpKind<linear::Operand>, linear_add::Operand>);
static_assert(!TakesOperand<OpKind<linear::Operand>, std::size_t>);

}  // namespace
}  // namespace megascale::graph
