// Directories that hold no run, only a part of one, or text that must not become markup.
#include "megascale/report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"
#include "megascale/config/load.h"
#include "megascale/report/page.h"
#include "support/scratch_directory.h"

namespace megascale::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal_of(const std::filesystem::path& run_dir) {
  try {
    (void)read_facts(*open_run(run_dir));
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    return error.message();
  }
}

TEST(ReportTextTest, ADirectoryThatHoldsNoRunSaysWhatToDo) {
  const testing::ScratchDirectory scratch;
  EXPECT_THAT(refusal_of(scratch / "none"), HasSubstr("expected a run directory, found nothing"));
  std::filesystem::create_directories(scratch / "empty");
  EXPECT_THAT(refusal_of(scratch / "empty"),
              HasSubstr("expected the run directory of megascale train"));
  scratch.write("file", "");
  EXPECT_THAT(refusal_of(scratch / "file"), HasSubstr("found a file"));
}

TEST(ReportTextTest, MetricsAloneAreAReport) {
  const testing::ScratchDirectory scratch;
  std::filesystem::create_directories(scratch / "run");
  scratch.write("run/metrics.jsonl",
                "{\"step\": 1, \"loss\": 2.5, \"step_seconds\": 9, \"mfu\": 0.1}\n"
                "{\"step\": 2, \"loss\": null, \"step_seconds\": 0.5, \"mfu\": 0.2}\n"
                "{\"step\": 3, \"loss\": 2.25, \"step_seconds\": 0.5, \"mfu\": 0.2}\n");
  const RunFacts facts = read_facts(*open_run(scratch / "run"));
  const std::string text = to_text(facts);
  EXPECT_THAT(text, HasSubstr("2.5 in step 1, 2.25 in step 3; smallest 2.25 in step 3"));
  EXPECT_THAT(text, HasSubstr("medians of the last 2 steps")) << "the first one is left out";
  EXPECT_THAT(text, HasSubstr("loss not finite in step 2"));
  EXPECT_THAT(text, HasSubstr("has no config.toml"));
  EXPECT_EQ(to_json(facts).at("rates").at("step_seconds"), 0.5);
}

TEST(ReportTextTest, ATrainingBeforeItsFirstStepWaits) {
  const testing::ScratchDirectory scratch;
  std::filesystem::create_directories(scratch / "run");
  scratch.write("run/metrics.jsonl", "");
  scratch.write(
      "run/config.toml",
      to_toml(parse_config("[model]\nnum_layers = 1\n[data]\ndata_path = [\"x\"]\n", "test")));
  const RunFacts facts = read_facts(*open_run(scratch / "run"));
  EXPECT_EQ(facts.state, RunState::waiting);
  EXPECT_THAT(live_text(facts, 4), HasSubstr("there are no record rings"));
}

TEST(ReportTextTest, ThePageStandsAloneAndHoldsNoMarkupOfTheRun) {
  RunFacts facts{.name = "<script>", .path = "/a&b", .no_records = "<none>"};
  observe::MetricsRow row{.step = 1};
  row.validation_losses = {{"<b>", 2}};
  facts.rows = {row};
  const std::string page = to_page(facts);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("validation of &lt;b&gt;</span>")) << "in the legend of the plot";
  EXPECT_THAT(page, HasSubstr("validation of &lt;b&gt;</th>"));
  EXPECT_THAT(page, HasSubstr("/a&amp;b"));
  EXPECT_THAT(page, HasSubstr("&lt;none&gt;"));
  for (const char* outside : {"http", "src=", "url(", "href", "@import"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
}

}  // namespace
}  // namespace megascale::report
