#include "megascale/engine/process_groups.h"

#include <gtest/gtest.h>

#include <map>

#include "megascale/config/load.h"
#include "megascale/engine/run_ranks.h"

namespace megascale::engine {
namespace {

job::JobPlan sixteen_ranks() {
  return job::plan_job(parse_config(
      "", "test",
      std::vector<std::string>{
          "model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=12",
          "model.seq_length=24", "train.global_batch_size=8", "train.threads_per_rank=1",
          "parallel.world_size=16", "parallel.tensor_model_parallel_size=2",
          "parallel.context_parallel_size=2", "parallel.pipeline_model_parallel_size=2",
          "parallel.zero_stage=2", "overlap.tensor_pieces=2"}));
}

// A rank of the middle of the grid: all kinds of groups, in what the plans call them.
TEST(ProcessGroupsTest, GroupsOfOneStageMayHaveWindowsAndNoOthers) {
  std::map<std::string, bool> found;
  for (const auto& group : process_groups(sixteen_ranks(), 5, /*windows=*/true))
    found[group.key] = group.equal_offsets;
  const std::map<std::string, bool> expected{{"tensor on tensor of rank 4", true},
                                             {"context on context of rank 5", true},
                                             {"context+data on data of rank 1", true},
                                             {"tensor+context+data on data of rank 0", true},
                                             {"context+data on step of rank 1", true},
                                             {"tensor+context+data on step of rank 0", true},
                                             {"forward 5 to 13", false},
                                             {"backward 5 to 13", false},
                                             {"tied 13 to 5", false},
                                             {"pipeline on step of rank 5", false},
                                             {"tensor+pipeline on step of rank 4", false}};
  EXPECT_EQ(found, expected);
}

// Or a part of the members would wait for the others to register.
TEST(ProcessGroupsTest, AllMembersOfAGroupThinkTheSame) {
  const job::JobPlan job = sixteen_ranks();
  std::map<std::string, std::pair<bool, std::size_t>> said;  // by key: what, and by how many
  for (std::uint32_t rank = 0; rank < job.grid.world_size(); ++rank) {
    std::map<std::string, bool> mine;  // named once or twice
    for (const auto& group : process_groups(job, rank, /*windows=*/true)) {
      const bool same = mine.emplace(group.key, group.equal_offsets).first->second;
      EXPECT_EQ(same, group.equal_offsets) << group.key;
      const auto [at, is_new] = said.try_emplace(group.key, group.equal_offsets, 0);
      EXPECT_EQ(at->second.first, group.equal_offsets) << group.key << " of rank " << rank;
    }
    for (const auto& [key, equal] : mine) ++said[key].second;
  }
  for (const auto& group : process_groups(job, 0, true))
    EXPECT_EQ(said[group.key].second, group.members.size()) << group.key;
}

TEST(ProcessGroupsTest, WithoutWindowsNobodyHasThem) {
  for (const auto& group : process_groups(sixteen_ranks(), 5, /*windows=*/false))
    EXPECT_FALSE(group.equal_offsets) << group.key;
}

// Threads have no NCCL: nobody is told that a switch works which does nothing.
TEST(ProcessGroupsTest, RanksThatAreThreadsRefuseWindows) {
  const job::JobPlan job = sixteen_ranks();
  Config config;
  config.overlap.symmetric_memory = true;
  try {
    run_ranks({.config = &config, .job = &job}, [](const RankEnds&) { FAIL() << "ran"; });
    FAIL() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_EQ(error.message().find("overlap.symmetric_memory is for ranks that are processes"), 0U);
  }
}

}  // namespace
}  // namespace megascale::engine
