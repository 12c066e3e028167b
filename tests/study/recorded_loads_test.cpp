// Recorded loads of experts: lines are added up, and every count that no run can write is refused with
// its place.
#include "megascale/study/forecast/recorded_loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"

namespace megascale::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Layers 1 to 3 of 4 have 4 experts; a token chooses 2.
ModelConfig routed_model() {
  ModelConfig model;
  model.num_layers = 4;
  model.moe.num_experts = 4;
  model.moe.router_topk = 2;
  model.moe.first_dense_layers = 1;
  return model;
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_recorded_loads(text, "metrics.jsonl", routed_model());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    return error.message();
  }
  return "";
}

std::string line(const std::string& layers, const std::string& loads) {
  return R"({"step": 1, "routing": {"layers": )" + layers + R"(, "loads": )" + loads + "}}\n";
}

TEST(RecordedLoadsTest, LinesAreAddedUp) {
  const auto loads =
      parse_recorded_loads("{\"step\": 1}\n" + line("[1, 3]", "[[4, 2, 1, 1], [8, 8, 0, 0]]") +
                               "{\"routing\": {}}\n" + line("[1]", "[[1, 0, 0, 1.0]]"),
                           "metrics.jsonl", routed_model());
  ASSERT_EQ(loads.by_layer.size(), 2U);
  EXPECT_THAT(loads.by_layer.at(1), ElementsAre(5, 2, 1, 2));
  EXPECT_THAT(loads.by_layer.at(3), ElementsAre(8, 8, 0, 0));
}

TEST(RecordedLoadsTest, CountsThatNoRunWritesAreRefused) {
  const std::string good = line("[1]", "[[1, 1, 0, 0]]");
  for (const char* count : {"-8", "0.5", "1e300", "9007199254740994", "null", "true", "\"8\""}) {
    const std::string error =
        refusal(good + line("[2]", "[[9, " + std::string(count) + ", 9, 9]]"));
    EXPECT_THAT(error,
                StartsWith("metrics.jsonl: line 2: expected a whole number from 0 to 2^53 as "
                           "the load of expert 1 of layer 2, found "));
  }
  EXPECT_THAT(refusal(line("[2]", "[[9, -8, 0, 0]]")), HasSubstr("found -8"));
  EXPECT_EQ(refusal(good + line("[2]", "[[1, 0, 9, 2]]")),
            "metrics.jsonl: line 2: expected an expert of layer 2 to have at most 6 of 12 choices, "
            "one of each token (moe.router_topk = 2), found 9 of expert 2");
  EXPECT_EQ(refusal(line("[2]", "[[3, 0, 3, 0]]")), "")
      << "two experts with one choice of each token";
}

TEST(RecordedLoadsTest, LayersWithoutExpertsHereAreRefused) {
  for (const char* layer : {"999", "4", "0", "-1", "18446744073709551615", "1.0", "\"1\""}) {
    EXPECT_EQ(refusal(line("[" + std::string(layer) + "]", "[[1, 1, 0, 0]]")),
              "metrics.jsonl: line 1: expected routing.layers with numbers of layers that have "
              "experts here, from 1 to 3, found " +
                  std::string(layer));
  }
}

TEST(RecordedLoadsTest, FilesOfOtherKindsAreRefused) {
  EXPECT_THAT(refusal("{\"step\": 1}\nstep 2"),
              HasSubstr("line 2: expected a line of JSON, found step 2"));
  EXPECT_THAT(refusal(line("[1]", "[[1, 1]]")),
              HasSubstr("of 4 experts for layer 1, found 2 counts"));
  EXPECT_THAT(refusal(line("[1]", "[5]")), HasSubstr("of 4 experts for layer 1, found number"));
  for (const auto& loads : {"[]", "5", "[[1, 1, 0, 0], [1, 1, 0, 0]]"})
    EXPECT_THAT(refusal(line("[1]", loads)), HasSubstr("to be lists of the same length"));
  EXPECT_THAT(refusal(R"({"routing": {"loads": []}})"), HasSubstr("lists of the same length"));
  for (const auto* without : {"", "5", "[]", "{\"routing\": 1}", "{\"routing\": {}}\n"})
    EXPECT_EQ(refusal(without),
              "metrics.jsonl: expected the metrics file of a run with experts, found no line with "
              "routing.loads");
}

}  // namespace
}  // namespace megascale::study
