#include "megascale/study/forecast/dispatch_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/config/load.h"

namespace megascale::study {
namespace {

constexpr const char* kClusters = MEGASCALE_SOURCE_DIR "/clusters/";

Config dispatching_job(std::vector<std::string> more) {
  std::vector<std::string> all{"model.type=mixtral",
                               "model.hidden_size=4096",
                               "model.num_attention_heads=32",
                               "model.seq_length=8192",
                               "model.dtype=bfloat16",
                               "moe.num_experts=8",
                               "parallel.world_size=8",
                               "parallel.context_parallel_size=8",
                               "parallel.expert_model_parallel_size=8"};
  all.insert(all.end(), more.begin(), more.end());
  return parse_config("", "test", all);
}

// MegaScale-MoE, figure 7: on 8 ranks of a host tokens are gathered from 7 choices on. The time of
// gathered tokens does not depend on the choices.
TEST(DispatchChoiceTest, TheRatesOfFigure7GatherFromAboutSevenChoicesOn) {
  const auto cluster = simulate::load_cluster(std::string(kClusters) + "h800-moe.toml");
  const auto times = [&](int choices) {
    return dispatch_times(dispatching_job({"moe.router_topk=" + std::to_string(choices)}), cluster);
  };
  int first = 9;
  while (first > 1 && times(first - 1).gathers()) --first;
  EXPECT_GE(first, 6);
  EXPECT_LE(first, 8);
  EXPECT_EQ(times(1).allgather, times(8).allgather);
  EXPECT_NEAR(times(8).alltoall / times(4).alltoall, 2, 0.2);
}

// About half of the bytes. Sums travel by an exchange, which is slower than a reduce_scatter.
TEST(DispatchChoiceTest, RowsOf8BitsTakeLessTime) {
  const auto cluster = simulate::load_cluster(std::string(kClusters) + "h800-moe.toml");
  const DispatchTimes whole = dispatch_times(dispatching_job({}), cluster),
                      rounded =
                          dispatch_times(dispatching_job({"moe.fp8_communication=true"}), cluster);
  EXPECT_GT(rounded.alltoall, 0.5 * whole.alltoall) << "latency stays";
  EXPECT_LT(rounded.alltoall, 0.7 * whole.alltoall);
  EXPECT_LT(rounded.allgather, whole.allgather);
}

TEST(DispatchChoiceTest, OnlyAnOpenTypeIsReplacedAndTheNumbersAreSaid) {
  const std::string rates =
      std::string("moe.token_dispatcher_rates=") + kClusters + "h800-moe.toml";
  const std::string open = "moe.token_dispatcher_type=auto";
  const auto choice = [](Config config, TokenDispatcher& type) {
    std::string said = choose_dispatch(config);
    type = config.model.moe.token_dispatcher_type;
    return said;
  };
  TokenDispatcher type{};
  const std::string said = choice(dispatching_job({open, rates, "moe.router_topk=2"}), type);
  EXPECT_EQ(type, TokenDispatcher::alltoall);
  EXPECT_NE(said.find("by alltoall: "), std::string::npos) << said;
  EXPECT_NE(said.find("h800-moe.toml"), std::string::npos) << said;
  (void)choice(dispatching_job({open, rates, "moe.router_topk=8"}), type);
  EXPECT_EQ(type, TokenDispatcher::allgather);
  // Given, without rates, without other ranks, without experts.
  EXPECT_EQ(choice(dispatching_job({rates, "moe.router_topk=8"}), type), "");
  EXPECT_EQ(type, TokenDispatcher::alltoall);
  EXPECT_EQ(choice(dispatching_job({open}), type), "");
  EXPECT_EQ(type, TokenDispatcher::automatic);
  EXPECT_EQ(choice(dispatching_job({open, rates, "parallel.expert_model_parallel_size=1"}), type),
            "");
  EXPECT_EQ(choice(dispatching_job(
                       {open, rates, "moe.num_experts=0", "parallel.expert_model_parallel_size=1"}),
                   type),
            "");
}

TEST(DispatchChoiceTest, AChoiceThatBreaksARuleIsRefused) {
  Config config = dispatching_job(
      {"moe.token_dispatcher_type=auto", "moe.router_topk=8", "overlap.expert_pieces=8",
       std::string("moe.token_dispatcher_rates=") + kClusters + "h800-moe.toml"});
  EXPECT_NO_THROW((void)choose_dispatch(config));
  config.model.moe.token_dispatcher_type = TokenDispatcher::automatic;
  config.model.moe.router_topk = 1;
  try {
    (void)choose_dispatch(config);
    FAIL() << "a rank has fewer experts than pieces";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_NE(error.message().find("overlap.expert_pieces"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace megascale::study
