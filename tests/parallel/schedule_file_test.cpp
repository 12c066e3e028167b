#include "megascale/parallel/schedule_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/config/load.h"
#include "random_schedule.h"
#include "support/scratch_directory.h"

namespace megascale::parallel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The lines of the error of a text, without "f:".
std::vector<std::string> errors_of(std::string_view text) {
  std::vector<std::string> lines;
  try {
    (void)parse_schedule(text, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    std::istringstream stream(error.message());
    for (std::string line; std::getline(stream, line);) {
      EXPECT_TRUE(line.starts_with("f:")) << line;
      lines.push_back(line.substr(2));
    }
  }
  return lines;
}

constexpr std::string_view kGood = R"(# two stages
megascale-schedule 1
name  my schedule   # the rest of the line
stages 2
micro_batches 2

stage 1: F0 B0
stage 0: F0/0 F1	B0/0 W0 B1 W1
stage 1: F1 W0 B1 W1  # goes on
)";

TEST(ScheduleFile, ReadsWhatTheFormatSays) {
  const Schedule schedule = parse_schedule(kGood, "f");
  EXPECT_EQ(schedule.name, "my schedule");
  EXPECT_EQ(schedule.stages, 2U);
  EXPECT_EQ(schedule.chunks, 1U);
  EXPECT_EQ(schedule.micro_batches, 2U);
  EXPECT_TRUE(schedule.splits_weight_gradients);
  EXPECT_EQ(to_text(schedule),
            "megascale-schedule 1\nname my schedule\nstages 2\nchunks 1\nmicro_batches 2\n"
            "stage 0: F0 F1 B0 W0 B1 W1\nstage 1: F0 B0 F1 W0 B1 W1\n");
}

TEST(ScheduleFile, LineEndsOfOtherSystemsAndNoLastLineEnd) {
  const Schedule schedule = parse_schedule(
      "megascale-schedule 1\r\nstages 1\r\nmicro_batches 1\r\nstage 0: F0 B0", "dir/my.schedule");
  EXPECT_EQ(schedule.name, "my.schedule");
  EXPECT_EQ(schedule.items[0].size(), 2U);
}

TEST(ScheduleFile, RoundTrip) {
  for (const Schedule& schedule :
       {gpipe(3, 2), one_forward_one_backward(4, 9), interleaved(3, 4, 6), zero_bubble_h1(5, 7)}) {
    EXPECT_EQ(parse_schedule(to_text(schedule), "f"), schedule) << schedule.name;
  }
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const Schedule schedule = random_schedule(random);
    EXPECT_EQ(parse_schedule(to_text(schedule), "f"), schedule) << "seed " << seed;
  }
}

TEST(ScheduleFile, TheExampleOfTheDocumentIsZeroBubble) {
  const std::string document =
      read_text(std::filesystem::path(MEGASCALE_SOURCE_DIR) / "docs/formats/pipeline-schedule.md");
  const std::size_t first = document.find("megascale-schedule 1\n");
  const std::string_view example =
      std::string_view(document).substr(first, document.find("```", first) - first);
  EXPECT_EQ(parse_schedule(example, "f"), zero_bubble_h1(2, 3));
}

TEST(ScheduleFile, RefusesOtherFilesWithOneError) {
  EXPECT_THAT(errors_of(""),
              ElementsAre("1: expected 'megascale-schedule 1', found an empty file"));
  EXPECT_THAT(errors_of("\n# only this\n"), ElementsAre(HasSubstr("found an empty file")));
  EXPECT_THAT(
      errors_of("\n\x7f"
                "ELF\x01 more\nand more"),
      ElementsAre("2: expected 'megascale-schedule 1' as the first line, found '?ELF? more'"));
  EXPECT_THAT(errors_of("megascale-schedule 2\n"),
              ElementsAre(HasSubstr("'megascale-schedule 2'")));
}

TEST(ScheduleFile, ReportsEveryErrorWithItsLine) {
  const auto errors = errors_of(R"(megascale-schedule 1
name
stages 3
stages 2
chunk 1
micro_batches 2
stage 0: F0 X1 F1 B0 B0 B1
stage 2: F0
stage one: F0
stage 0 F0
stage 1: F0 F1/1 F F70000 B0 F1/ /1 B1 B-1 F+1
)");
  EXPECT_THAT(
      errors,
      ElementsAre(
          "2: name: expected text in UTF-8 without control characters, found ''",
          "4: stages is given twice, first on line 3",
          "5: expected name, stages, chunks, micro_batches or stage, found 'chunk'; did you mean "
          "chunks?",
          HasSubstr("7: expected F, B or W, a micro-batch and for chunks above 0 a slash and the "
                    "chunk, such as F3 or B0/1, found 'X1'"),
          "7: stage 0, item 3: B0/0 stands a second time; the first is item 2",
          "8: stage 2: 1 of 2 forwards are missing, the first is F1/0",
          "8: stage 2: 2 of 2 backwards are missing, the first is B0/0",
          "9: expected 'stage NUMBER: ITEMS', found 'stage one: F0'",
          "10: expected 'stage NUMBER: ITEMS', found 'stage 0 F0'", HasSubstr("11: expected F"),
          HasSubstr("found 'F70000'"), HasSubstr("found 'F1/'"), HasSubstr("found '/1'"),
          HasSubstr("found 'B-1'"), HasSubstr("found 'F+1'"),
          "11: stage 1, item 1: F1/1 names a chunk that is not below 1"));
}

TEST(ScheduleFile, SizesThatAreWrongOrMissing) {
  EXPECT_THAT(errors_of("megascale-schedule 1\nstage 0: F0 B0\n\n"),
              ElementsAre("3: expected a line 'stages NUMBER', found none",
                          "3: expected a line 'micro_batches NUMBER', found none"));
  EXPECT_THAT(errors_of("megascale-schedule 1\nstages 0\nchunks x\nmicro_batches 4294967296\n"
                        "name a\tb\n"),
              ElementsAre("2: stages: expected a whole number of at least 1, found '0'",
                          "3: chunks: expected a whole number of at least 1, found 'x'",
                          "4: micro_batches: expected a whole number of at least 1, found "
                          "'4294967296'",
                          HasSubstr("found 'a?b'")));
  EXPECT_THAT(errors_of("megascale-schedule 1\nmicro_batches 70000\nstages 4\n"),
              ElementsAre("3: expected at most 65536 stages, chunks and micro-batches, found 4, 1 "
                          "and 70000"));
  EXPECT_THAT(errors_of("megascale-schedule 1\nmicro_batches 60000\nstages 60000\n"),
              ElementsAre(HasSubstr("found 60000 x 1 x 60000")));
  EXPECT_THAT(
      errors_of("megascale-schedule 1\nmicro_batches 2\nstages 60000\nstage 7: F0 F1 B0 B1"),
      ElementsAre("3: stage 0: has no items; 59999 of 60000 stages have none"));
}

TEST(ScheduleFile, ProblemsOfTheScheduleHaveLines) {
  EXPECT_THAT(errors_of("megascale-schedule 1\nstages 2\nmicro_batches 2\n"
                        "stage 0: F0 B0\nstage 1: F0 B0\nstage 0: F1 B1\nstage 1: B1 F1\n"
                        "stage 2: F0\n"),
              ElementsAre("7: stage 1, item 2: B1/0 stands before its forward, which is item 3",
                          "8: expected a stage below 2, found 2"));
  EXPECT_THAT(
      errors_of("megascale-schedule 1\nstages 2\nmicro_batches 2\n"
                "stage 0: F0\nstage 0: B0\nstage 0: F1 B1\nstage 1: F0 F1 B0 B1\n"),
      ElementsAre(
          "5: stage 0, item 1: B0/0 never starts (deadlock): it waits for B0/0 of stage 1",
          "7: stage 1, item 1: F1/0 never starts (deadlock): it waits for F1/0 of stage 0"));
}

TEST(ScheduleByName, BuiltIns) {
  EXPECT_EQ(schedule_by_name("gpipe", 3, 1, 5), gpipe(3, 5));
  EXPECT_EQ(schedule_by_name("1f1b", 3, 1, 5), one_forward_one_backward(3, 5));
  EXPECT_EQ(schedule_by_name("interleaved", 3, 2, 6), interleaved(3, 2, 6));
  EXPECT_EQ(schedule_by_name("zb-h1", 3, 1, 5), zero_bubble_h1(3, 5));
  for (const auto& [name, chunks] : {std::pair{"1f1b", 2U}, std::pair{"zbh1", 1U}, {"", 1U}}) {
    try {
      (void)schedule_by_name(name, 3, chunks, 6);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    }
  }
}

TEST(ScheduleByName, OfAConfiguration) {
  const std::vector<std::string> settings{"model.num_layers=12",
                                          "parallel.pipeline_model_parallel_size=3",
                                          "parallel.virtual_pipeline_size=2",
                                          "parallel.pipeline_schedule=interleaved",
                                          "parallel.world_size=6",
                                          "train.micro_batch_size=2",
                                          "train.global_batch_size=24"};
  EXPECT_EQ(schedule_of(parse_config("", "f", settings)), interleaved(3, 2, 6));
  Config config = parse_config("", "f");
  EXPECT_EQ(schedule_of(config), one_forward_one_backward(1, 1));
  config.train.global_batch_size = (std::int64_t{1} << 32U) + 1;
  EXPECT_THROW((void)schedule_of(config), Error);
}

TEST(ScheduleByName, AFileWhoseSizesAreTheGivenOnes) {
  const megascale::testing::ScratchDirectory directory;
  const std::string file = (directory / "mine").string();
  write_text_atomically(file, to_text(interleaved(2, 2, 4)));
  EXPECT_EQ(schedule_by_name(file, 2, 2, 4), interleaved(2, 2, 4));
  try {
    (void)schedule_by_name(file, 2, 2, 8);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("8 micro-batches, as configured, found 2 stages, 2 "
                                           "chunks and 4 micro-batches"));
    EXPECT_THAT(error.message(), HasSubstr(file));
  }
  EXPECT_THROW((void)schedule_by_name("no/such/file", 2, 2, 8), Error);
}

}  // namespace
}  // namespace megascale::parallel
