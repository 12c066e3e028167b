#include "megascale/diagnose/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/diagnose/report_text.h"
#include "support/scratch_directory.h"

namespace megascale::diagnose {
namespace {

using ::testing::HasSubstr;

HostReport healthy() {
  return {.host = "a",
          .compute_kind = "AVX3, a processor",
          .compute_digest = "0123456789abcdef",
          .checks = {
              {.name = "compute",
               .text = "4 cores",
               .rates = {{"compute.cores", 4, "cores", 1}, {"compute.slowest_core", 50, "GFLOP/s"}},
               .seconds = 1},
              {.name = "memory", .text = "free", .rates = {{"memory.node0.node0", 20, "GB/s"}}}}};
}

TEST(BaselineTest, SurvivesItsText) {
  const Baseline baseline = make_baseline(healthy(), 1'700'000'000'000'000'000);
  EXPECT_EQ(parse_baseline(to_text(baseline)), baseline);
  EXPECT_EQ(baseline.rates.at("compute").at("compute.cores").least_share, 1);
}

TEST(BaselineTest, ARateMayFallToTheShareAndNotBelow) {
  const Baseline baseline = make_baseline(healthy(), 0);
  for (const auto& [value, passes] :
       {std::pair{20.0, true}, {14.0, true}, {13.9, false}, {NAN, false}}) {
    CheckReport check = healthy().checks[1];
    check.rates[0].value = value;
    judge_rates(baseline, 0.7, check);
    EXPECT_EQ(check.outcome == CheckOutcome::passed, passes) << value;
    if (!passes) {
      EXPECT_THAT(check.text, HasSubstr("expected at least 14"));
    }
  }
}

TEST(BaselineTest, OneCoreLessFails) {
  CheckReport check = healthy().checks[0];
  check.rates[0].value = 3;
  judge_rates(make_baseline(healthy(), 0), 0.7, check);
  EXPECT_EQ(check.outcome, CheckOutcome::failed);
  EXPECT_THAT(check.text, HasSubstr("compute.cores is 3 cores, expected at least 4"));
}

TEST(BaselineTest, WhatIsNotThereAnyMoreFails) {
  CheckReport check = healthy().checks[1];
  check.rates.clear();
  check.outcome = CheckOutcome::skipped;
  judge_rates(make_baseline(healthy(), 0), 0.7, check);
  EXPECT_EQ(check.outcome, CheckOutcome::failed);
  EXPECT_THAT(check.text,
              HasSubstr("memory.node0.node0 is not there any more (baseline: 20 GB/s)"));
}

TEST(BaselineTest, AnotherDigestFailsAndSoDoesAnotherProcessor) {
  const Baseline baseline = make_baseline(healthy(), 0);
  const auto judged = [&](const char* kind, const char* digest) {
    HostReport report = healthy();
    report.compute_kind = kind;
    report.compute_digest = digest;
    CheckReport check = report.checks[0];
    judge_digest(baseline, report, check);
    return check;
  };
  EXPECT_EQ(judged("AVX3, a processor", "0123456789abcdef").outcome, CheckOutcome::passed);
  EXPECT_THAT(judged("AVX3, a processor", "1123456789abcdef").text, HasSubstr("computes wrongly"));
  EXPECT_EQ(judged("AVX3, a processor", "1123456789abcdef").outcome, CheckOutcome::failed);
  EXPECT_THAT(judged("AVX2, another", "1123456789abcdef").text, HasSubstr("of another processor"));
}

TEST(BaselineTest, WrongFilesAreRefused) {
  const std::string text = to_text(make_baseline(healthy(), 0));
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"\"format\": 1", "\"format\": 2"},
        {"\"unit\"", "\"units\""},
        {"20.0", "\"20\""},
        {"20.0", "1e999"},
        {"\"written_ns\": 0", "\"written_ns\": 1e300"},
        {"\"written_ns\": 0", "\"written_ns\": 18446744073709551615"},
        {"{", "["}}) {
    std::string wrong = text;
    ASSERT_NE(wrong.find(from), std::string::npos) << from << "\n" << text;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_THROW((void)parse_baseline(wrong), Error) << wrong;
  }
}

TEST(BaselineTest, ADirectoryHasAFileForEachHost) {
  const testing::ScratchDirectory scratch;
  EXPECT_EQ(baseline_file(scratch / ".", "node7"), scratch / "." / "node7.json");
  EXPECT_EQ(baseline_file(scratch / "one.json", "node7"), scratch / "one.json");
  EXPECT_FALSE(read_baseline(scratch / "absent.json"));
}

TEST(ReportTextTest, SurvivesItsText) {
  HostReport report = healthy();
  report.checks[1].fail("too slow");
  const HostReport back = parse_host_report(to_json(report).dump());
  EXPECT_EQ(to_json(back), to_json(report));
  EXPECT_FALSE(back.passed());
  EXPECT_EQ(back.failures(), "memory: free; too slow");
  EXPECT_THAT(to_table(report), HasSubstr("memory      failed"));
  EXPECT_THROW((void)parse_host_report("{}"), Error);
}

}  // namespace
}  // namespace megascale::diagnose
