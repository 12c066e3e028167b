// Where context parallelism's exchanges stand in a layer's program, so that computation hides them.
#include <gtest/gtest.h>

#include <algorithm>

#include "megascale/config/load.h"
#include "megascale/model/gpt.h"
#include "megascale/plan/passes/hoist_transfers.h"
#include "megascale/plan/passes/recompute.h"

namespace megascale::model {
namespace {

graph::Program layer(std::int64_t micro_batch_size, bool keep_gathered_input) {
  const Config config =
      parse_config("", "test",
                   std::vector<std::string>{"model.num_layers=1", "model.hidden_size=16",
                                            "model.num_attention_heads=4", "model.seq_length=8",
                                            "parallel.context_parallel_size=2"});
  graph::AxisSizes axes;
  axes[graph::Axis::context] = 2;
  graph::Program program = build_gpt(config, {.micro_batch_size = micro_batch_size, .axes = axes});
  plan::recompute(program, {.keep_gathered_input = keep_gathered_input});
  plan::hoist_transfers(program);
  return program;
}

// Its place in the backward; a name that is not there is behind everything.
std::size_t place(const graph::Program& program, const std::string& path) {
  const auto found = std::find_if(program.backward.begin(), program.backward.end(),
                                  [&](const graph::Op& op) { return op.path == path; });
  return static_cast<std::size_t>(found - program.backward.begin());
}

// The output projection's weight gradient reads what the second exchange brought: brought again
// while the input gradient is computed. That one is sent while the weight gradient is computed.
TEST(ContextProgramTest, ExchangesOfTheBackwardRunUnderProducts) {
  for (const std::int64_t sequences : {1, 2}) {
    const graph::Program program = layer(sequences, false);
    const std::size_t again = place(program, "attention/core/all_to_all"),
                      dgrad = place(program, "attention/output/dgrad"),
                      packed = place(program, "attention/core/join_heads/grad"),
                      sent = place(program, "attention/core/all_to_all/grad"),
                      wgrad = place(program, "attention/output/wgrad");
    EXPECT_EQ(program.backward[again].phase, graph::Phase::recompute);
    EXPECT_LT(again, dgrad);
    EXPECT_LT(dgrad, packed);
    EXPECT_LT(packed, sent);
    EXPECT_LT(sent, wgrad);
    EXPECT_LT(wgrad, program.backward.size());
    EXPECT_EQ(place(program, "attention/qkv/all_to_all"), program.backward.size())
        << "what attention reads is kept";
  }
}

TEST(ContextProgramTest, WhatWasGatheredIsKeptOnRequest) {
  const graph::Program program = layer(2, true);
  for (const graph::Op& op : program.backward) {
    EXPECT_NE(op.phase, graph::Phase::recompute) << op.path;
  }
}

}  // namespace
}  // namespace megascale::model
