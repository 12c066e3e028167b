#include "megascale/plan/passes/split_tensor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/model/gpt.h"

namespace megascale::plan {
namespace {

// The products of a layer that read what one gather brings, in their order.
std::vector<std::string> products_of_gather(const std::vector<graph::Op>& ops,
                                            const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  for (const graph::Op& op : ops) {
    if (op.scope != "layer1" || op.def->transfer) continue;
    for (const std::string& path : paths) {
      if (op.path.rfind(path + "/own", 0) == 0 || op.path.rfind(path + "/peer", 0) == 0)
        found.push_back(op.path);
    }
  }
  return found;
}

// What needs no peer runs while the peer's rows are under way.
TEST(SplitTensorTest, OwnRowsOfAllProductsComeBeforeThoseOfPeers) {
  const Config config =
      parse_config("", "test",
                   std::vector<std::string>{"model.num_layers=2", "model.hidden_size=24",
                                            "model.num_attention_heads=4", "model.seq_length=24",
                                            "model.parallel_block=true"});
  graph::AxisSizes axes;
  axes[graph::Axis::tensor] = 2;
  for (const bool overlap : {true, false}) {
    graph::Program program = model::build_gpt(config, {.axes = axes});
    split_tensor(program, {.ranks = 2, .pieces = 2, .overlap = overlap});
    EXPECT_EQ(products_of_gather(program.forward, {"attention/qkv", "mlp/up"}),
              (std::vector<std::string>{"attention/qkv/own", "mlp/up/own",
                                        "attention/qkv/peer1/piece0", "attention/qkv/peer1/piece1",
                                        "mlp/up/peer1/piece0", "mlp/up/peer1/piece1"}));
    EXPECT_EQ(products_of_gather(program.backward, {"attention/output/dgrad", "mlp/down/dgrad"}),
              (std::vector<std::string>{
                  "mlp/down/dgrad/own", "attention/output/dgrad/own", "mlp/down/dgrad/peer1/piece0",
                  "mlp/down/dgrad/peer1/piece1", "attention/output/dgrad/peer1/piece0",
                  "attention/output/dgrad/peer1/piece1"}));
  }
}

TEST(SplitTensorTest, OnePieceIsAllThatAPeerSends) {
  const Config config =
      parse_config("", "test",
                   std::vector<std::string>{"model.num_layers=2", "model.hidden_size=24",
                                            "model.num_attention_heads=4", "model.seq_length=24"});
  graph::AxisSizes axes;
  axes[graph::Axis::tensor] = 4;
  graph::Program program = model::build_gpt(config, {.axes = axes});
  const std::size_t whole = program.forward.size();
  split_tensor(program, {.ranks = 4, .pieces = 0});
  EXPECT_EQ(program.forward.size(), whole);
  split_tensor(program, {.ranks = 4, .pieces = 1});
  EXPECT_EQ(products_of_gather(program.forward, {"attention/qkv"}),
            (std::vector<std::string>{"attention/qkv/own", "attention/qkv/peer1/piece0",
                                      "attention/qkv/peer2/piece0", "attention/qkv/peer3/piece0"}));
}

}  // namespace
}  // namespace megascale::plan
