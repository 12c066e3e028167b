// Goal: the page Routing gets the loads of experts as the run wrote them, and bounded.
// Method: files of metrics as a training writes them, also in the middle of a line.
#include "megascale/serve/routing_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "megascale/base/error.h"
#include "support/scratch_directory.h"

namespace megascale::serve {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

class RoutingJsonTest : public ::testing::Test {
 protected:
  // `padding`: makes the line as long as those of large models.
  void add_step(int step, bool has_loads, std::size_t padding = 0) {
    Json routing{{"layers", {1, 3}},
                 {"imbalance", {1.5, 2.0 + step}},
                 {"rank_imbalance", {1.1, nullptr}},
                 {"dropped", {0, step}},
                 {"aux_loss", {0.01, 0.02}},
                 {"z_loss", {0.0, 0.0}}};
    if (has_loads) routing["loads"] = {{10, 20}, {30, step}};
    std::ofstream(metrics_, std::ios::app) << Json{{"step", step},
                                                   {"padding", std::string(padding, 'x')},
                                                   {"expert_dropped_share", 0.125 * step},
                                                   {"expert_imbalance_share", nullptr},
                                                   {"routing", routing}}
                                           << '\n';
  }
  testing::ScratchDirectory scratch_;
  std::filesystem::path metrics_ = scratch_ / "metrics.jsonl";
};

TEST_F(RoutingJsonTest, ListsAreByStepAndLayer) {
  for (int step = 1; step <= 4; ++step) add_step(step, step % 2 == 0);
  std::ofstream(metrics_, std::ios::app) << R"({"step": 5, "routing": {"layers": [1)";
  const Json json = routing_json(metrics_, 3, 8);
  EXPECT_EQ(json["step"], (Json{2, 3, 4}));
  EXPECT_EQ(json["layers"], (Json{1, 3}));
  EXPECT_EQ(json["imbalance"][0], (Json{1.5, 4.0}));
  EXPECT_EQ(json["rank_imbalance"][2], (Json{1.1, nullptr})) << "a number that is not finite";
  EXPECT_EQ(json["dropped"][2], (Json{0, 4}));
  EXPECT_EQ(json["aux_loss"].size(), 3U);
  EXPECT_EQ(json["dropped_share"], (Json{0.25, 0.375, 0.5}));
  EXPECT_EQ(json["imbalance_share"], (Json{nullptr, nullptr, nullptr}));
  ASSERT_EQ(json["loads"].size(), 2U);
  EXPECT_EQ(json["loads"][1], (Json{{"step", 4}, {"loads", {{10, 20}, {30, 4}}}}));
}

TEST_F(RoutingJsonTest, LoadsAreChosenEvenlyAndTheNewestIsAmongThem) {
  for (int step = 1; step <= 10; ++step) add_step(step, true);
  const Json json = routing_json(metrics_, 100, 3);
  ASSERT_EQ(json["loads"].size(), 3U);
  EXPECT_EQ(json["loads"][0]["step"], 3);
  EXPECT_EQ(json["loads"][1]["step"], 6);
  EXPECT_EQ(json["loads"][2]["step"], 10);
  EXPECT_EQ(json["step"].size(), 10U);
}

TEST_F(RoutingJsonTest, OnlyTheEndOfALargeFileIsRead) {
  for (int step = 1; step <= 5; ++step) add_step(step, false, kMostRoutingBytes / 3);
  EXPECT_EQ(routing_json(metrics_, 100, 3)["step"], (Json{4, 5}));
  add_step(6, false, kMostRoutingBytes);  // longer than what is read
  EXPECT_THROW((void)routing_json(metrics_, 100, 3), Error);
}

TEST_F(RoutingJsonTest, RunsWithoutExpertsAreTold) {
  const auto message = [&] {
    try {
      (void)routing_json(metrics_, 100, 3);
    } catch (const Error& error) {
      return fmt::format("{} {}", error.code() == ErrorCode::bad_usage, error.message());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(message(), HasSubstr("true"));
  EXPECT_THAT(message(), HasSubstr("there are no metrics"));
  std::ofstream(metrics_)
      << "{\"step\": 1, \"loss\": 2.5}\nno json\n[]\n{\"step\": 2, \"routing\": 3}\n";
  EXPECT_THAT(message(), HasSubstr("true"));
  EXPECT_THAT(message(), HasSubstr("moe.num_experts"));
}

}  // namespace
}  // namespace megascale::serve
