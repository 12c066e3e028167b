// A rank that fails ends the job with an error that names it and its task; nothing hangs, and what
// was saved is there to go on from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <random>

#include "support/job.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale {
namespace {

using testing::Laboratory;
using testing::Outcome;
using testing::Settings;
using testing::Watchdog;

Settings eight_ranks() {
  return {"model.num_layers=4",
          "model.hidden_size=24",
          "model.num_attention_heads=12",
          "parallel.world_size=8",
          "parallel.tensor_model_parallel_size=2",
          "parallel.pipeline_model_parallel_size=2",
          "parallel.zero_stage=2",
          "parallel.pipeline_schedule=interleaved",
          "parallel.virtual_pipeline_size=2",
          "checkpoint.interval=1"};
}

// Counts the tasks of each rank; the chosen task of the chosen rank fails.
struct Fault {
  std::uint32_t rank = 0;
  std::int64_t number = 0;  // of the tasks that the rank starts
  std::array<std::atomic<std::int64_t>, 8> started{};
  std::atomic<std::int64_t> failed_task{-1};

  void before_task(std::uint32_t on, std::uint32_t task) {
    testing::random_delay(static_cast<std::uint64_t>(number), on, task);
    if (started[on]++ != number || on != rank) return;
    failed_task = task;
    throw Error(ErrorCode::out_of_memory, "the memory of this test is full");
  }
};

TEST(FailureTest, ARankThatFailsAtARandomTaskIsNamedAndTheRunGoesOn) {
  constexpr int kRounds = 12;
  const Watchdog watchdog("a job with a failing rank", std::chrono::seconds(240));
  Laboratory laboratory;
  Fault counter{.number = -1};
  const Outcome whole = laboratory.run(
      eight_ranks(), {.most_steps = 3, .before_task = [&](std::uint32_t rank, std::uint32_t) {
                        ++counter.started[rank];
                      }});
  std::mt19937_64 engine(9);
  for (int round = 0; round < kRounds; ++round) {
    Fault fault{.rank = static_cast<std::uint32_t>(engine() % 8)};
    // In the first two of three steps: what fails in the last may fail when all else is done.
    const std::int64_t tasks = counter.started[fault.rank] * 2 / 3;
    fault.number = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(tasks));
    SCOPED_TRACE(fmt::format("rank {} task number {}", fault.rank, fault.number));
    const std::filesystem::path checkpoints = laboratory.next_checkpoints();
    std::optional<Error> error;
    try {
      laboratory.run(eight_ranks(),
                     {.most_steps = 3, .before_task = [&](std::uint32_t rank, std::uint32_t task) {
                        fault.before_task(rank, task);
                      }});
    } catch (const Error& thrown) {
      error = thrown;
    }
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::out_of_memory);
    for (const std::string& part : {std::string("the memory of this test is full"),
                                    fmt::format("running task {} (", fault.failed_task.load()),
                                    fmt::format(") on rank {}", fault.rank)}) {
      EXPECT_NE(error->message().find(part), std::string::npos) << part << "\n" << error->message();
    }
    // What was saved before is good, and goes on to the same bits.
    const auto saved = checkpoint::open_newest(checkpoints);
    if (!saved) continue;
    const Outcome rest =
        laboratory.run(eight_ranks(), {.most_steps = 3 - saved->state().step, .load = checkpoints});
    EXPECT_EQ(testing::first_difference(rest.tensors, whole.tensors), "");
  }
}

// Data that is outside of the vocabulary is found before any rank starts.
TEST(FailureTest, DataOutsideTheVocabularyStartsNoRank) {
  const Watchdog watchdog("data outside of the vocabulary");
  Laboratory laboratory;
  Settings settings = eight_ranks();
  settings.emplace_back("model.vocab_size=260");  // the corpus has 300
  settings.emplace_back("train.train_iters=50");
  try {
    laboratory.run(settings);
    FAIL() << "trained on words that do not exist";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    for (const char* part : {"train data: token ", "expected a token id from 0 to 259"}) {
      EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
    }
  }
}

}  // namespace
}  // namespace megascale
