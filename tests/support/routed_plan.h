#ifndef MEGASCALE_TESTS_SUPPORT_ROUTED_PLAN_H_
#define MEGASCALE_TESTS_SUPPORT_ROUTED_PLAN_H_

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "megascale/graph/builder.h"
#include "megascale/plan/chunk_ops.h"
#include "megascale/plan/placement.h"
#include "support/plan_writer.h"

// A step whose sizes are born in it, as a user of the library may write one: a router of the test's
// own counts how many rows go to each rank, all_to_all_v takes them there, a grouped op of the
// test's own works on the rows of each source apart, and the rows come back.
namespace megascale::testing {

class RoutedPlan {
 public:
  static constexpr std::uint32_t kRanks = 3;
  static constexpr std::int64_t kTokens = 7, kColumns = 5;

  struct Options {
    std::int64_t arriving_bound = kRanks * kTokens;  // rows that may arrive at a rank
    std::uint32_t liar = kRanks;  // the rank that expects one row too many of rank 1; kRanks: none
  };

  // Value of a column of a token; and where the router sends the token: kRanks means nowhere.
  static float input(std::uint32_t rank, std::int64_t token, std::int64_t column) {
    return static_cast<float>(100 * (rank + 1)) + static_cast<float>(10 * token + column);
  }
  static std::uint32_t destination(std::uint32_t rank, std::int64_t token) {
    return static_cast<std::uint32_t>(token * token + rank) % (kRanks + 1);
  }
  // What the step leaves: a row that went to rank d from rank r is multiplied there by 1 + d + 10
  // r.
  static float result(std::uint32_t rank, std::int64_t token, std::int64_t column) {
    const std::uint32_t d = destination(rank, token);
    if (d == kRanks) return 0;
    return input(rank, token, column) * static_cast<float>(1 + d + 10 * rank);
  }
  static constexpr std::string_view kResult = "result";

  // The plans of all ranks, with the functions of the test's own ops.
  static std::vector<PlanWriter> write(const Options& options) {
    std::vector<PlanWriter> writers;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) writers.push_back(write(rank, options));
    return writers;
  }
  static std::vector<PlanWriter> write() { return write(Options{}); }

 private:
  using Shapes = graph::ShapeContext;
  using Dim = graph::Dim;

  struct Router {
    enum Operand : std::size_t { x, send_counts, sent, place };
  };
  static const graph::OpKind<Router::Operand>& router_op() {
    using enum Router::Operand;
    static const graph::OpKind<Router::Operand> def{
        {.name = "test_router",
         .operands =
             graph::operand_table<graph::Reads<Router::x>, graph::Writes<Router::send_counts>,
                                  graph::Writes<Router::sent>, graph::Writes<Router::place>>(),
         .infer = [](Shapes& context) {
           context.output(send_counts, {Dim(kRanks)}, DType::int64);
           context.output(sent,
                          {Dim(kTokens, context.tensor(send_counts), 0, kRanks), Dim(kColumns)},
                          context.dtype(x));
           context.output(place, {Dim(kTokens)}, DType::int64);
         }}};
    return def;
  }
  static const Error* route(std::uint32_t rank, const TaskArguments& a) {
    using enum Router::Operand;
    auto* counts = reinterpret_cast<std::int64_t*>(a.operands[send_counts]);
    auto* places = reinterpret_cast<std::int64_t*>(a.operands[place]);
    std::int64_t row = 0;
    for (std::uint32_t to = 0; to < kRanks; ++to) {
      const std::int64_t begin = row;
      for (std::int64_t token = 0; token < kTokens; ++token) {
        if (destination(rank, token) == kRanks) places[token] = -1;
        if (destination(rank, token) != to) continue;
        std::copy_n(floats(a, x) + token * kColumns, kColumns, floats(a, sent) + row * kColumns);
        places[token] = row++;
      }
      counts[to] = row - begin;
    }
    return nullptr;
  }

  // The rows of each source times a factor of its own.
  struct Grouped {
    enum Operand : std::size_t { rows, counts, output };
  };
  static const graph::OpKind<Grouped::Operand>& grouped_op() {
    using enum Grouped::Operand;
    static const graph::OpKind<Grouped::Operand> def{
        {.name = "test_grouped",
         .operands =
             graph::operand_table<graph::Reads<Grouped::rows>, graph::Reads<Grouped::counts>,
                                  graph::Writes<Grouped::output>>(),
         .infer = [](Shapes& context) {
           context.output(output, context.shape(rows), context.dtype(rows));
         }}};
    return def;
  }
  static const Error* work_on_groups(std::uint32_t rank, const TaskArguments& a) {
    using enum Grouped::Operand;
    const auto* by_source = reinterpret_cast<const std::int64_t*>(a.operands[counts]);
    std::int64_t row = 0;
    for (std::uint32_t from = 0; from < kRanks; ++from) {
      for (std::int64_t end = row + by_source[from]; row < end; ++row) {
        for (std::int64_t c = 0; c < kColumns; ++c) {
          const std::int64_t i = row * kColumns + c;
          floats(a, output)[i] = floats(a, rows)[i] * static_cast<float>(1 + rank + 10 * from);
        }
      }
    }
    return nullptr;
  }

  // What a rank believes to get: a copy of what it was told, or a lie.
  struct Expect {
    enum Operand : std::size_t { told, expected };
  };
  static const graph::OpKind<Expect::Operand>& expect_op() {
    using enum Expect::Operand;
    static const graph::OpKind<Expect::Operand> def{
        {.name = "test_expect",
         .operands =
             graph::operand_table<graph::Reads<Expect::told>, graph::Writes<Expect::expected>>(),
         .infer = [](Shapes& context) {
           context.output(expected, context.shape(told), context.dtype(told));
         }}};
    return def;
  }

  struct Restore {
    enum Operand : std::size_t { rows, place, y };
  };
  static const graph::OpKind<Restore::Operand>& restore_op() {
    using enum Restore::Operand;
    static const graph::OpKind<Restore::Operand> def{
        {.name = "test_restore",
         .operands = graph::operand_table<graph::Reads<Restore::rows>, graph::Reads<Restore::place>,
                                          graph::Writes<Restore::y>>(),
         .infer = [](Shapes&) {}}};
    return def;
  }
  static const Error* restore(const TaskArguments& a) {
    using enum Restore::Operand;
    const auto* places = reinterpret_cast<const std::int64_t*>(a.operands[place]);
    for (std::int64_t token = 0; token < kTokens; ++token) {
      for (std::int64_t c = 0; c < kColumns; ++c) {
        floats(a, y)[token * kColumns + c] =
            places[token] < 0 ? 0 : floats(a, rows)[places[token] * kColumns + c];
      }
    }
    return nullptr;
  }

  struct Input {
    enum Operand : std::size_t { x };
  };
  static const graph::OpKind<Input::Operand>& input_op() {
    static const graph::OpKind<Input::Operand> def{
        {.name = "test_input",
         .operands = graph::operand_table<graph::Writes<Input::x>>(),
         .infer = [](Shapes& context) {
           context.output(Input::x, {Dim(kTokens), Dim(kColumns)}, DType::float32);
         }}};
    return def;
  }

  static graph::Program program(const Options& options, graph::TensorId& result_tensor) {
    graph::Program program;
    graph::AxisSizes axes;
    axes[graph::Axis::context] = kRanks;
    graph::Builder builder(program, axes);
    builder.set_scope("layer0");
    const auto tokens = builder.emit_for(Input::x, input_op(), "input", {});
    const graph::Op routed = builder.emit(router_op(), "router", {{Router::x, tokens}});
    const graph::TensorId counts = routed.operands[Router::send_counts];
    const auto told = builder.all_to_all("counts", counts, graph::Axis::context);
    const auto arriving =
        builder.emit_for(Expect::expected, expect_op(), "expect", {{Expect::told, told}});
    const auto arrived =
        builder.all_to_all_v("dispatch", routed.operands[Router::sent], counts, arriving,
                             options.arriving_bound, graph::Axis::context);
    const auto worked = builder.emit_for(Grouped::output, grouped_op(), "experts",
                                         {{Grouped::rows, arrived}, {Grouped::counts, arriving}});
    const auto back =
        builder.all_to_all_v("combine", worked, arriving, counts, kTokens, graph::Axis::context);
    result_tensor = builder.external(std::string(kResult), {Dim(kTokens), Dim(kColumns)},
                                     DType::float32, graph::Role::output);
    builder.emit(restore_op(), "restore",
                 {{Restore::rows, back},
                  {Restore::place, routed.operands[Router::place]},
                  {Restore::y, result_tensor}});
    return program;
  }

  static PlanWriter write(std::uint32_t rank, const Options& options) {
    graph::TensorId result_tensor{};
    const graph::Program chunk = program(options, result_tensor);
    const plan::ActivationPlacement placement =
        plan::place_activations(chunk, [](const graph::Op&) { return 0U; });
    plan::PlanTemplate built;
    built.arena_nbytes = 4096;
    const auto result_buffer = built.add(
        plan::Buffer{.name = std::string(kResult), .nbytes = kTokens * kColumns * sizeof(float)});
    plan::ActivationMemory memory;
    memory.transient_offset = built.arena_nbytes;
    built.arena_nbytes += placement.transient_nbytes;
    const std::uint32_t first = plan::add_chunk(built, chunk, placement,
                                                {{result_tensor, result_buffer, 0, {}}}, memory, 0);
    for (std::uint32_t s = first; s < built.segments.size(); ++s)
      built.items.emplace_back(plan::Instance{.segment = s});
    graph::AxisSizes axes;
    axes[graph::Axis::context] = kRanks;
    PlanWriter w;
    w.tables = plan::expand(built, axes).plan.tables();
    std::vector<std::uint32_t> everybody(kRanks);
    std::iota(everybody.begin(), everybody.end(), 0U);
    for (const plan::Communicator& c : w.tables.communicators)
      w.keys.emplace_back(c.name, everybody);
    for (const plan::PlanOp& op : w.tables.ops) {
      w.functions.push_back(op.def->transfer != nullptr ? nullptr
                                                        : function(op, rank, options.liar == rank));
    }
    return w;
  }

  static std::shared_ptr<TaskFunction> function(const plan::PlanOp& op, std::uint32_t rank,
                                                bool lies) {
    const auto made = [](Work work) { return std::make_shared<WorkFunction>(std::move(work)); };
    if (op.def == &router_op()) {
      return made([rank](const TaskArguments& a) { return route(rank, a); });
    }
    if (op.def == &expect_op()) {
      return made([lies](const TaskArguments& a) -> const Error* {
        std::copy_n(a.operands[Expect::told], kRanks * sizeof(std::int64_t),
                    a.operands[Expect::expected]);
        if (lies) ++reinterpret_cast<std::int64_t*>(a.operands[Expect::expected])[1];
        return nullptr;
      });
    }
    if (op.def == &grouped_op())
      return made([rank](const TaskArguments& a) { return work_on_groups(rank, a); });
    if (op.def == &restore_op()) return made([](const TaskArguments& a) { return restore(a); });
    return made([rank](const TaskArguments& a) -> const Error* {
      for (std::int64_t i = 0; i < kTokens * kColumns; ++i)
        floats(a, Input::x)[i] = input(rank, i / kColumns, i % kColumns);
      return nullptr;
    });
  }
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_ROUTED_PLAN_H_
