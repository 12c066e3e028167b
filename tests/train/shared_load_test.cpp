// A resume reads each byte of a checkpoint once, however many ranks need it, and finds every byte that
// has changed, whichever rank reads it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/watchdog.h"
#include "train/training.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Two replicas of a state that is large beside the data.
Settings replicated(const Settings& more = {}) {
  Settings all{"model.num_layers=2",
               "model.hidden_size=128",
               "model.num_attention_heads=4",
               "train.micro_batch_size=1",
               "train.train_iters=4",
               "parallel.world_size=4",
               "parallel.tensor_model_parallel_size=2",
               "checkpoint.interval=1",
               "checkpoint.background=false"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Bytes that this process has read from files so far.
std::uint64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string word;
  std::uint64_t bytes = 0;
  file >> word >> bytes;
  EXPECT_EQ(word, "rchar:");
  return bytes;
}

std::uint64_t nbytes_below(const fs::path& directory) {
  std::uint64_t nbytes = 0;
  for (const auto& entry : fs::directory_iterator(directory)) nbytes += entry.file_size();
  return nbytes;
}

void flip_bit_of(const fs::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-100, std::ios::end);
  const auto at = file.tellg();
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 4));
}

class SharedLoadTest : public ::testing::TestWithParam<int> {
 protected:
  Laboratory laboratory_;
  const Watchdog watchdog_{"loading a checkpoint together"};
};
INSTANTIATE_TEST_SUITE_P(Zero, SharedLoadTest, ::testing::Values(0, 2));

// Rank 0 used to read all of it first, and then each replica its part: three times its size.
TEST_P(SharedLoadTest, EachByteIsReadOnce) {
  if (!fs::exists("/proc/self/io")) GTEST_SKIP() << "the kernel does not count bytes";
  const Settings settings = replicated({fmt::format("parallel.zero_stage={}", GetParam())});
  const Outcome begun = laboratory_.run(settings, {.most_steps = 2});
  const std::uint64_t nbytes = nbytes_below(begun.checkpoints / "step-00000002");
  ASSERT_GT(nbytes, 5'000'000U);
  const std::uint64_t before = bytes_read();
  std::uint64_t read = 0;
  const Outcome rest = laboratory_.run(settings, {.on_message =
                                                      [&](const std::string& line) {
                                                        if (line.starts_with("resuming from"))
                                                          read = bytes_read() - before;
                                                      },
                                                  .again = begun.checkpoints});
  EXPECT_LE(static_cast<double>(read), 1.1 * static_cast<double>(nbytes));
  EXPECT_GE(read, nbytes) << "every byte is read";
  EXPECT_EQ(first_difference(rest.tensors, laboratory_.run(settings).tensors), "");
}

TEST_F(SharedLoadTest, ADamagedShardOfAnyRankLeadsAllRanksToTheOneBefore) {
  const Outcome straight = laboratory_.run(replicated());
  for (const int rank : {0, 1}) {  // the ranks of the first replica save
    const Outcome begun = laboratory_.run(replicated(), {.most_steps = 3});
    flip_bit_of(begun.checkpoints / "step-00000003" /
                fmt::format("shard-{:05}-of-00004.safetensors", rank));
    std::string said;
    const Outcome rest = laboratory_.run(
        replicated(), {.on_message = [&](const std::string& line) { said += line + "\n"; },
                       .again = begun.checkpoints});
    EXPECT_THAT(said, HasSubstr("its bytes were changed"));
    EXPECT_THAT(said, HasSubstr("is set aside as passed-over-step-00000003"));
    EXPECT_THAT(said, HasSubstr("step-00000002 at step 2"));
    EXPECT_EQ(first_difference(rest.tensors, straight.tensors), "");
  }
}

// The moments of the damaged checkpoint have been loaded already when the weights alone are taken
// from another run.
TEST_F(SharedLoadTest, NothingOfADamagedCopyIsLeft) {
  const Outcome other = laboratory_.run(replicated(), {.most_steps = 2});
  const Settings settings =
      replicated({"checkpoint.start=weights", "checkpoint.interval=0",
                  "checkpoint.load=" + (other.checkpoints / "step-00000002").string(),
                  "checkpoint.memory_interval=1", "train.train_iters=4"});
  const Outcome straight = laboratory_.run(settings);
  const fs::path checkpoints = laboratory_.next_checkpoints();
  int begun = 0;
  EXPECT_THROW(laboratory_.run(settings, {.before_task =
                                              [&](std::uint32_t rank, std::uint32_t task) {
                                                if (rank == 0 && task == 0 && ++begun == 4)
                                                  throw Error(ErrorCode::failed, "this test");
                                              }}),
               Error);
  std::vector<fs::path> copies;
  for (const auto& entry : fs::recursive_directory_iterator(laboratory_.memory_root()))
    if (entry.path().filename() == "shard-00001-of-00004.safetensors")
      copies.push_back(entry.path());
  ASSERT_FALSE(copies.empty());
  for (const fs::path& copy : copies) flip_bit_of(copy);
  std::string said;
  const Outcome rest = laboratory_.run(
      settings,
      {.on_message = [&](const std::string& line) { said += line + "\n"; }, .again = checkpoints});
  EXPECT_THAT(said, HasSubstr("copy in memory passed over: "));
  EXPECT_THAT(said, HasSubstr("starting from the weights of"));
  EXPECT_EQ(first_difference(rest.tensors, straight.tensors), "");
}

}  // namespace
}  // namespace megascale::testing
