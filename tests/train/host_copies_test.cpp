// Copies of the state in the memory of several hosts: where second copies go, and a job that loses the
// memory of a host and goes on to the bits of one that lost nothing. Hosts are directories here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "megascale/train/host_layout.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

train::HostLayout hosts_of(std::uint32_t ranks, std::uint32_t per_host) {
  train::HostLayout hosts;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) hosts.host_of.push_back(rank / per_host);
  hosts.count = (ranks + per_host - 1) / per_host;
  return hosts;
}
train::PeerChoice choice_of(std::uint32_t ranks, std::uint32_t per_host,
                            const graph::AxisSizes& sizes) {
  return train::choose_peers(hosts_of(ranks, per_host), {.first = 0, .count = ranks},
                             parallel::RankGrid(sizes));
}
graph::AxisSizes sizes_of(std::uint32_t tensor, std::uint32_t data, std::uint32_t pipeline) {
  graph::AxisSizes sizes;
  sizes[graph::Axis::tensor] = tensor;
  sizes[graph::Axis::data] = data;
  sizes[graph::Axis::pipeline] = pipeline;
  return sizes;
}

TEST(PeersTest, ACopyGoesOutsideOfTheGroupsWhereAHostIs) {
  // Four hosts of two ranks: the host with the other stage and the other data place is outside.
  const auto all = choice_of(8, 2, sizes_of(2, 2, 2));
  EXPECT_EQ(all.on_other_host, 8U);
  EXPECT_EQ(all.outside_groups, 8U);
  EXPECT_EQ(std::set(all.keepers.begin(), all.keepers.end()).size(), 8U) << "no rank keeps two";
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(all.keepers[rank] / 2, 3 - rank / 2) << rank;
  // Two hosts: both have ranks of every group, so any other host must do.
  const auto two = choice_of(4, 2, sizes_of(2, 2, 1));
  EXPECT_EQ(two.on_other_host, 4U);
  EXPECT_EQ(two.outside_groups, 0U);
  EXPECT_EQ(two.offsets().size(), 1U) << "one transfer";
  EXPECT_THAT(describe(two), HasSubstr("for 4 of 4 ranks, 0 of them"));
  // Hosts of three and one ranks: one rank keeps one copy.
  const auto uneven = choice_of(4, 3, sizes_of(1, 4, 1));
  EXPECT_EQ(uneven.on_other_host, 2U);
  const auto one = choice_of(4, 4, sizes_of(2, 2, 1));
  EXPECT_EQ(one.on_other_host, 0U);
  EXPECT_TRUE(one.offsets().empty());
  EXPECT_THAT(describe(one), HasSubstr("no second copies"));
}

class HostCopiesTest : public ::testing::Test {
 protected:
  // Two ranks on each of two hosts.
  Settings copied(const Settings& more = {}) const {
    Settings all{"model.num_layers=2",          "model.hidden_size=16",
                 "model.num_attention_heads=4", "train.micro_batch_size=1",
                 "train.train_iters=8",         "parallel.world_size=4",
                 "parallel.zero_stage=1",       "parallel.pipeline_model_parallel_size=2",
                 "checkpoint.memory_interval=1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] fs::path host(std::uint32_t number) const {
    return laboratory_.memory_root() / ("host" + std::to_string(number));
  }
  RunOptions on_hosts(RunOptions options = {}) {
    for (const std::uint32_t number : {0U, 1U}) fs::create_directories(host(number));
    options.memory_of = [this](std::uint32_t rank) { return host(rank / 2); };
    options.on_message = [this](const std::string& message) { said_ += message + "\n"; };
    return options;
  }
  // The newest copy on both hosts; 0 if there is none on both.
  [[nodiscard]] std::int64_t newest_on_both() const {
    std::int64_t least = INT64_MAX;
    for (const std::uint32_t number : {0U, 1U}) {
      std::int64_t newest = 0;
      std::error_code ignored;
      for (const auto& entry : fs::directory_iterator(host(number), ignored)) {
        const auto copies = checkpoint::list(entry.path()).checkpoints;
        if (!copies.empty()) newest = copies.front().step;
      }
      least = std::min(least, newest);
    }
    return least;
  }
  // A run that dies after some steps, once both hosts have a copy.
  fs::path die(const Settings& settings) {
    const fs::path checkpoints = laboratory_.next_checkpoints();
    std::atomic<std::int64_t> begun{0};
    EXPECT_THROW(
        laboratory_.run(settings, on_hosts({.before_task =
                                                [&](std::uint32_t rank, std::uint32_t task) {
                                                  if (rank != 1 || task != 0) return;
                                                  while (begun >= 4 && newest_on_both() == 0)
                                                    std::this_thread::yield();
                                                  if (++begun > 5)
                                                    throw Error(ErrorCode::failed, "ends");
                                                }})),
        Error);
    return checkpoints;
  }
  void expect_to_go_on(const fs::path& checkpoints, const Settings& settings) {
    said_.clear();
    const Outcome outcome = laboratory_.run(settings, on_hosts({.again = checkpoints}));
    const Outcome straight = laboratory_.run(copied({"checkpoint.memory_interval=0"}));
    EXPECT_EQ(outcome.state.step, straight.state.step);
    EXPECT_EQ(first_difference(outcome.tensors, straight.tensors), "");
    for (const std::uint32_t number : {0U, 1U}) EXPECT_TRUE(fs::is_empty(host(number))) << number;
  }
  Laboratory laboratory_;
  std::string said_;
  const Watchdog watchdog_{"a run with copies on two hosts"};
};

TEST_F(HostCopiesTest, KilledProcessesGoOnFromTheirOwnMemory) {
  const fs::path run = die(copied());
  EXPECT_THAT(said_, HasSubstr("second copies on other hosts for 4 of 4 ranks"));
  expect_to_go_on(run, copied());
  EXPECT_THAT(said_, HasSubstr("resuming from " + host(0).string()));
}

// At most one interval is lost. The run dies in the evaluation after step 5, before the end of the copy
// of step 4 is waited for: without checkpoint.background that one is whole already.
TEST_F(HostCopiesTest, AtMostOneIntervalIsLost) {
  for (const bool background : {true, false}) {
    SCOPED_TRACE(background);
    const Settings settings =
        copied({background ? "checkpoint.background=true" : "checkpoint.background=false"});
    const fs::path run = die(settings);
    if (!background) {
      EXPECT_THAT(said_, HasSubstr("copy in memory of step 1: stall "));
    }
    expect_to_go_on(run, settings);
    const std::string four = "step-00000004 at step 4";
    EXPECT_THAT(said_,
                AnyOf(HasSubstr(four), HasSubstr(background ? "step-00000003 at step 3" : four)));
  }
}

TEST_F(HostCopiesTest, AHostThatLosesItsMemoryGetsTheStateFromTheOther) {
  for (const std::uint32_t lost : {0U, 1U}) {
    SCOPED_TRACE(lost);
    const fs::path run = die(copied());
    for (const auto& entry : fs::directory_iterator(host(lost))) fs::remove_all(entry.path());
    expect_to_go_on(run, copied());
    EXPECT_THAT(said_, HasSubstr("resuming from " + host(0).string()));
  }
}

TEST_F(HostCopiesTest, ADamagedShardIsTakenFromTheOtherHost) {
  const fs::path run = die(copied());
  for (const auto& entry : fs::recursive_directory_iterator(host(0))) {
    if (entry.path().filename() == "shard-00001-of-00004.safetensors")
      fs::resize_file(entry.path(), entry.file_size() - 1);
  }
  expect_to_go_on(run, copied());
  EXPECT_THAT(said_, HasSubstr("copy in memory passed over, on the host of rank 0: "));
  EXPECT_THAT(said_, HasSubstr("resuming from " + host(0).string()));
}

TEST_F(HostCopiesTest, WithoutBothCopiesTheDiskIsTaken) {
  const Settings settings = copied({"checkpoint.interval=2", "checkpoint.background=false"});
  const fs::path run = die(settings);
  for (const std::uint32_t number : {0U, 1U}) {
    for (const auto& entry : fs::recursive_directory_iterator(host(number))) {
      if (entry.path().filename() == "shard-00001-of-00004.safetensors")
        fs::resize_file(entry.path(), 10);
    }
  }
  expect_to_go_on(run, settings);
  EXPECT_THAT(said_, HasSubstr("resuming from " + run.string()));
}

}  // namespace
}  // namespace megascale::testing
