// Parameters and paths of requests.
#include "megascale/serve/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"

namespace megascale::serve {
namespace {

using ::testing::HasSubstr;
using Ranks = std::vector<std::uint32_t>;

std::string refusal(const Parameters& parameters, const auto& ask) {
  try {
    ask(Query(parameters, {"step", "ranks"}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.message();
  }
  return "accepted";
}

TEST(QueryTest, IntegersHaveBounds) {
  const auto step = [](const Query& query) { return query.integer("step", 0, 99, 7); };
  EXPECT_EQ(step(Query({{"step", "12"}}, {"step"})), 12);
  EXPECT_EQ(step(Query({}, {"step"})), 7);
  for (const char* text : {"", "-1", "100", "1e2", " 1", "1 ", "99999999999999999999", "x"}) {
    EXPECT_THAT(refusal({{"step", text}}, step), HasSubstr("from 0 to 99")) << text;
  }
}

TEST(QueryTest, RanksAreListsAndRanges) {
  const auto ranks = [](const char* text) {
    return Query({{"ranks", text}}, {"ranks"}).ranks("ranks", 16, 8);
  };
  EXPECT_EQ(ranks("3"), Ranks{3});
  EXPECT_EQ(ranks("9,0-2,1"), (Ranks{0, 1, 2, 9}));
  EXPECT_EQ(ranks("8-15").size(), 8U);
  for (const char* text : {"", ",", "1,", "16", "3-1", "0-8", "0-7,8", "-1", "1-", "a",
                           "0-4294967295", "1-2-3", "4294967296"}) {
    EXPECT_THAT(
        refusal({{"ranks", text}}, [](const Query& query) { return query.ranks("ranks", 16, 8); }),
        HasSubstr("at most 8 ranks below 16"))
        << text;
  }
}

TEST(QueryTest, WordsLieBetweenCommas) {
  using Words = std::set<std::string, std::less<>>;
  const auto words = [](const char* text) { return Query({{"w", text}}, {"w"}).words("w"); };
  EXPECT_EQ(words("b,a"), (Words{"a", "b"}));
  EXPECT_EQ(words(",a,,a,"), (Words{"a"}));
  EXPECT_EQ(words(""), Words{}) << "given, and no word";
  EXPECT_EQ(Query({}, {"w"}).words("w"), std::nullopt);
}

TEST(QueryTest, UnknownAndRepeatedParametersAreRefused) {
  const auto nothing = [](const Query&) { return 0; };
  EXPECT_THAT(refusal({{"stop", "1"}}, nothing), HasSubstr("expected step, ranks"));
  EXPECT_THAT(refusal({{"step", "1"}, {"step", "2"}}, nothing), HasSubstr("once"));
  EXPECT_THAT(refusal({{"\x1b[31m", "1"}}, nothing), HasSubstr("?[31m"));
}

TEST(RunPathTest, OnlyRunsAndTheirPartsAreRead) {
  ASSERT_TRUE(parse_run_path("/api/runs/2/timeline"));
  EXPECT_EQ(parse_run_path("/api/runs/2/timeline")->run, 2U);
  EXPECT_EQ(parse_run_path("/api/runs/2/timeline")->what, "timeline");
  EXPECT_EQ(parse_run_path("/api/runs/0")->what, "");
  for (const char* path : {"/api/runs/", "/api/runs/x", "/api/runs/-1", "/api/runs/1/../2",
                           "/api/runs/1/a/b", "/api/run/1", "", "/api/runs/99999999999"}) {
    EXPECT_FALSE(parse_run_path(path)) << path;
  }
}

}  // namespace
}  // namespace megascale::serve
