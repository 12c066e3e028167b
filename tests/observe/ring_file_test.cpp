#include "megascale/observe/ring_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "megascale/base/error.h"
#include "megascale/runtime/record_ring.h"
#include "support/scratch_directory.h"

namespace megascale::observe {
namespace {

constexpr TaskRecord kDone{.head_ns = 1, .start_ns = 2, .matched_ns = 3, .done_ns = 4, .cpu_us = 5};

class RingFileTest : public ::testing::Test {
 public:
  void SetUp() override {
    runtime::RecordRing ring(
        path_,
        {.tasks = 2, .steps = 3, .plan_digest = "0123456789abcdef0123456789abcdef", .rank = 6});
    for (std::int64_t step = 10; step < 14; ++step) {
      publish(ring.begin_step(step, 100 * step)[1], kDone);
      if (step < 13) ring.end_step(step, 100 * step + 50);
    }
    ring.set_clock_offset(77);
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  static void expect_steps(const RingFile& ring) {
    EXPECT_EQ(ring.plan_digest, "0123456789abcdef0123456789abcdef");
    ASSERT_EQ(ring.steps.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const RingStep& step = ring.steps[i];
      const auto number = static_cast<std::int64_t>(11 + i);
      EXPECT_EQ(step.step, number) << "oldest first";
      EXPECT_EQ(step.begin_ns, 100 * number);
      EXPECT_EQ(step.end_ns, number == 13 ? 0 : 100 * number + 50);
      ASSERT_EQ(step.records.size(), 2U);
      EXPECT_EQ(step.records[0].done_ns, 0);
      EXPECT_EQ(std::memcmp(&step.records[1], &kDone, sizeof kDone), 0);
    }
  }
  void expect_refused(const std::string& part) const {
    try {
      (void)read_ring(path_);
      FAIL() << "was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
    }
  }
  testing::ScratchDirectory directory_;
  std::filesystem::path path_ = directory_ / "ring";
};

TEST_F(RingFileTest, HasTheStepsAndTheirWriter) {
  const RingFile ring = read_ring(path_);
  expect_steps(ring);
  ASSERT_TRUE(ring.writer);
  EXPECT_EQ(ring.writer->rank, 6U);
  EXPECT_EQ(ring.writer->process_id, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(ring.writer->clock_offset_ns, 77);
  EXPECT_FALSE(ring.writer->host_name.empty());
}

// Runs from before have rings whose header ends with the digest.
TEST_F(RingFileTest, ARingOfTheFormatBeforeIsRead) {
  std::string old = bytes();
  old.erase(RecordRingHeader::kNbytesBefore,
            sizeof(RecordRingHeader) - RecordRingHeader::kNbytesBefore);
  const std::uint64_t magic = RecordRingHeader::kMagicBefore;
  std::memcpy(old.data(), &magic, sizeof magic);
  write(old);
  const RingFile ring = read_ring(path_);
  expect_steps(ring);
  EXPECT_FALSE(ring.writer);
}

TEST_F(RingFileTest, OtherFilesAreRefused) {
  const std::string good = bytes();
  write(good.substr(0, 20));
  expect_refused("it has 20 bytes, a header has 48");
  write(good.substr(0, 60));
  expect_refused("it has 60 bytes, a header has 128");
  write(good.substr(0, good.size() - 1));
  expect_refused("3 steps of 2 tasks do not fit");
  std::string other = good;
  other[7] = '9';
  write(other);
  expect_refused("it begins with 0x39");
}

}  // namespace
}  // namespace megascale::observe
