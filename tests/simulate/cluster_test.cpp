#include "megascale/simulate/cluster.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "megascale/base/error.h"

namespace megascale::testing {
namespace {

using simulate::Curve;

TEST(CurveTest, IsLinearInTheLogarithmAndConstantOutside) {
  const Curve curve{{{10, 0.2}, {1000, 0.6}, {10000, 0.5}}};
  EXPECT_DOUBLE_EQ(curve.at(1), 0.2);
  EXPECT_DOUBLE_EQ(curve.at(10), 0.2);
  EXPECT_DOUBLE_EQ(curve.at(100), 0.4);
  EXPECT_DOUBLE_EQ(curve.at(1000), 0.6);
  EXPECT_DOUBLE_EQ(curve.at(1e9), 0.5);
}

TEST(ClusterTest, EveryShippedClusterLoads) {
  int loaded = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MEGASCALE_SOURCE_DIR "/clusters")) {
    SCOPED_TRACE(entry.path().string());
    const simulate::Cluster cluster = simulate::load_cluster(entry.path());
    EXPECT_FALSE(cluster.name.empty());
    ++loaded;
  }
  EXPECT_GE(loaded, 5);
}

TEST(ClusterTest, AllErrorsAreSaidAtOnceInTheOrderOfTheFile) {
  try {
    (void)simulate::parse_cluster(R"(
nam = "x"
devices_per_node = 0
[device]
bfloat16_tflops = "fast"
memory_efficiency = [[2, 0.5], [1, 0.5]]
attention_efficiency = 1.5
[nodes]
gb_per_s = 1
[node]
gb_per_s = nan
protocols = [[1, 2]]
)",
                                  "bad.toml");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    const std::string text = error.message();
    std::size_t at = 0;
    for (const char* part :
         {"bad.toml:2: unknown key nam; did you mean name?", "bad.toml:3: devices_per_node",
          "bad.toml:5: device.bfloat16_tflops: expected a number, more than 0",
          "bad.toml:6: device.memory_efficiency: expected a list of [size, share]",
          "bad.toml:7: device.attention_efficiency: expected a number",
          "bad.toml:8: unknown section [nodes]; did you mean node?", "bad.toml:11: node.gb_per_s",
          "bad.toml:12: node.protocols: expected a list of [base us, hop us, share of the rate]",
          "bad.toml: name is missing", "bad.toml: network.processor_share is missing"}) {
      const std::size_t found = text.find(part, at);
      EXPECT_NE(found, std::string::npos) << part << "\nin\n" << text;
      if (found != std::string::npos) at = found;
    }
  }
}

TEST(ClusterTest, BrokenTomlAndMissingFilesAreNamed) {
  EXPECT_THROW((void)simulate::parse_cluster("[device", "c.toml"), Error);
  EXPECT_THROW((void)simulate::load_cluster("/nowhere/c.toml"), Error);
}

}  // namespace
}  // namespace megascale::testing
