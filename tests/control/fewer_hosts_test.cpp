// A job that may go on with fewer hosts does so after a while, and has all its ranks again at the next
// restart with enough hosts.
#include "megascale/control/fewer_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/fake_hosts.h"
#include "megascale/config/load.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Eight ranks on four hosts.
class FewerHostsTest : public HostsTest {
 protected:
  FewerHostsTest() {
    settings.world_size = 8;
    settings.hosts = 4;
    settings.arguments = {"megascale", "train", "job.toml", "--ranks", "8", "--json"};
    settings.fewer_hosts = {2, 1};
    settings.fewer_after_seconds = 60;
    settings.wait_seconds = 600;
    begin_anew();
  }
  void begin_anew() {
    driver.reset();
    log.clear();
    start_driver(1);
  }
  void train_on_all() {
    settle(all);
    resume(all);
    ASSERT_THAT(members(), ElementsAre("a", "b", "c", "d"));
  }
  void kill_rank_of(FakeHost& host, const std::vector<FakeHost*>& hosts) {
    host.ranks[1] = ended_rank(host.ranks[1].rank, 0, 9, 1);
    beat(host);
    pass(5, hosts);  // the attempt has done no step, so the next one begins after a back-off
  }
  FakeHost d{.name = "d"};
  std::vector<FakeHost*> all{&a, &b, &c, &d};
};

TEST_F(FewerHostsTest, TwoOfFourHostsAreLostAndComeBack) {
  train_on_all();
  pass(40, {&a, &b});
  EXPECT_EQ(driver->state().phase, Phase::waiting);
  EXPECT_THAT(messages, Contains(HasSubstr("the job needs 4, usable are 2 (a, b); after 60 s it "
                                           "goes on with 2 or 1")));
  pass(70, {&a, &b});
  ASSERT_THAT(members(), ElementsAre("a", "b"));
  EXPECT_THAT(messages, Contains(HasSubstr("the job has 2 of 4 hosts, so 4 of 8 ranks")));
  EXPECT_EQ(a.start->world_size, 4U);
  EXPECT_EQ(b.start->world_size, 4U);
  EXPECT_EQ(b.start->first_rank, 2U);
  EXPECT_THAT(a.start->arguments,
              ElementsAre("megascale", "train", "job.toml", "--ranks", "4", "--json"));
  resume({&a, &b});
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("on 2 of 4 hosts"));
  // The hosts that come back are spares until the next restart.
  c.restart();
  d.restart();
  settle(all);
  EXPECT_THAT(members(), ElementsAre("a", "b"));
  kill_rank_of(b, all);
  ASSERT_THAT(members(), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(a.start->world_size, 8U);
  EXPECT_EQ(d.start->first_rank, 6U);
  EXPECT_THAT(d.start->arguments, Contains("8"));
  resume(all);
  for (FakeHost* host : all) host->end_ranks(0);
  settle(all);
  ASSERT_TRUE(driver->state().end);
  EXPECT_EQ(driver->state().end->exit_code, 0);
  expect_sound();
}

// A rank is lost while the job has two hosts: it goes on with them at once, since the others have
// been missing for long. The end of all ranks of these hosts is the end of the job.
TEST_F(FewerHostsTest, ALaterRestartDoesNotWaitAgain) {
  train_on_all();
  pass(110, {&a, &b});
  resume({&a, &b});
  start_driver(1);  // another driver goes on with two hosts
  settle({&a, &b});
  kill_rank_of(a, {&a, &b});
  ASSERT_THAT(members(), ElementsAre("a", "b"));
  EXPECT_EQ(driver->state().attempt.epoch, 3);
  resume({&a, &b});
  for (FakeHost* host : {&a, &b}) host->end_ranks(0);
  settle({&a, &b});
  ASSERT_TRUE(driver->state().end);
  EXPECT_EQ(driver->state().end->exit_code, 0);
  expect_sound();
}

TEST_F(FewerHostsTest, OfThreeHostsTwoAreUsedAlsoIfTheFirstOneIsLost) {
  train_on_all();
  pass(110, {&b, &c, &d});
  EXPECT_THAT(members(), SizeIs(2));
  EXPECT_EQ(members()[1], "b") << "it keeps its ranks";
  resume({&b, driver->state().members[0].host == "c" ? &c : &d});
  expect_sound();
}

TEST_F(FewerHostsTest, WithoutLeaveItWaitsAndEnds) {
  settings.fewer_hosts.clear();
  begin_anew();
  train_on_all();
  pass(300, {&a, &b});
  EXPECT_EQ(driver->state().phase, Phase::waiting);
  pass(400, {&a, &b});
  ASSERT_TRUE(driver->state().end);
  EXPECT_THAT(driver->state().end->text, HasSubstr("expected 4 hosts, found 2"));
}

// A step of eight ranks that is replayed on four has other bits, and hardware is not to blame.
TEST_F(FewerHostsTest, AReplayOnOtherRanksIsNotCompared) {
  train_on_all();
  std::int64_t step = 0;
  const auto tell = [&](const std::vector<FakeHost*>& hosts, double loss) {
    for (FakeHost* host : hosts) {
      for (RankReport& rank : host->ranks) {
        rank.steps_done = step + 1;
        rank.outcomes = {{.step = step, .loss = loss, .gradient_norm = 1}};
      }
    }
    ++step;
    settle(hosts);
  };
  for (int i = 0; i < 40; ++i) tell(all, 2);
  tell(all, 50);
  ASSERT_TRUE(driver->state().replay);
  EXPECT_THAT(driver->state().replay->hosts, SizeIs(4));
  pass(110, {&a, &b});
  ASSERT_THAT(members(), ElementsAre("a", "b"));
  for (FakeHost* host : {&a, &b}) host->train(30, 30);
  settle({&a, &b});
  step = 40;
  tell({&a, &b}, 50.001);
  tell({&a, &b}, 2);
  EXPECT_FALSE(driver->state().replay);
  EXPECT_THAT(messages, Contains(HasSubstr("it ran on another number of ranks")));
  EXPECT_EQ(driver->state().phase, Phase::training);
}

TEST_F(FewerHostsTest, SettingsAreStoredAndOldOnesHaveNone) {
  EXPECT_EQ(parse_driver_settings(to_text(settings)), settings);
  std::string old = to_text(settings);
  const auto drop = [&](const std::string& member) {
    const std::size_t at = old.find("\"" + member + "\"");
    ASSERT_NE(at, std::string::npos);
    old.replace(at + 1, 1, "x");  // a member that nobody knows
  };
  drop("fewer_hosts");
  drop("fewer_after_seconds");
  EXPECT_THAT(parse_driver_settings(old).fewer_hosts, IsEmpty());
}

// A small model with tensor-parallel size 2 and batches of 8 in micro-batches of 2.
Config small_job(std::uint32_t ranks) {
  const std::vector<std::string> overrides{"model.num_layers=2",
                                           "model.hidden_size=32",
                                           "model.num_attention_heads=4",
                                           "model.seq_length=32",
                                           "model.vocab_size=256",
                                           "train.micro_batch_size=2",
                                           "train.eval_interval=0",
                                           "train.global_batch_size=8",
                                           "parallel.tensor_model_parallel_size=2",
                                           "parallel.world_size=" + std::to_string(ranks)};
  return parse_config("", "small.toml", overrides);
}

TEST(FindFewerHostsTest, SizesMustFitTheLayoutAndTheBatch) {
  // On three hosts three data-parallel ranks would have to share 8 samples, 2 at a time.
  EXPECT_THAT(find_fewer_hosts(small_job(8), 4), ElementsAre(2, 1));
  // Tensor parallelism needs two hosts of one rank.
  EXPECT_THAT(find_fewer_hosts(small_job(4), 4), ElementsAre(2));
  try {
    (void)find_fewer_hosts(small_job(2), 2);
    ADD_FAILURE() << "half a tensor-parallel group";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_THAT(error.message(), HasSubstr("expected a job that can run on fewer than 2 hosts"));
    EXPECT_THAT(error.message(), HasSubstr("world_size to be a multiple"));
  }
}

}  // namespace
}  // namespace megascale::control
