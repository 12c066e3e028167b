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
[network]
tiers = [[64, 1, 1], [100, 1, 1]]
)",
                                  "bad.toml");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    const std::string& text = error.message();
    std::size_t at = 0;
    for (const char* part :
         {"bad.toml:2: unknown key nam; did you mean name?", "bad.toml:3: devices_per_node",
          "bad.toml:5: device.bfloat16_tflops: expected a number, more than 0",
          "bad.toml:6: device.memory_efficiency: expected a list of [size, share]",
          "bad.toml:7: device.attention_efficiency: expected a number",
          "bad.toml:8: unknown section [nodes]; did you mean node?", "bad.toml:11: node.gb_per_s",
          "bad.toml:12: node.protocols: expected a list of [base us, hop us, share of the rate]",
          "bad.toml:14: network.tiers: expected a list of [nodes, hop us, share of the rate]",
          "bad.toml: name is missing", "bad.toml: network.processor_share is missing"}) {
      const std::size_t found = text.find(part, at);
      EXPECT_NE(found, std::string::npos) << part << "\nin\n" << text;
      if (found != std::string::npos) at = found;
    }
  }
}

// What every file needs.
std::string plain_file() {
  return R"(name = "a \"b\""
devices_per_node = 4
[device]
bfloat16_tflops = 1
float32_tflops = 0.1
memory_gib = 8
memory_gb_per_s = 20
launch_us = 0.5
multiprocessors = 1
gemm_efficiency = 0.9
memory_efficiency = [[1, 1]]
attention_efficiency = 0.5
[node]
gb_per_s = 10
efficiency = [[1, 1]]
protocols = [[1, 2, 1], [0.5, 0.25, 0.5]]
processor_share = 0.9
[network]
gb_per_s = 5
efficiency = [[1, 1], [1000, 0.5]]
spread_efficiency = [[1, 1]]
protocols = [[3, 4, 1]]
processor_share = 0
)";
}
const std::string kMeasured = R"([host]
processors = 2
speed = [[1, 1], [2, 0.9]]
slice_us = 4000
wait_share = 0.125
jitter = 0.09
[kernels]
threads = 1
[kernels.flops_per_byte]
linear = 15
[kernels.gflop_per_s]
linear = [[1e6, 20], [1e9, 80.5]]
[kernels.gb_per_s]
layer_norm = [[1000, 5]]
[transfers]
base_us = 20
[transfers.gb_per_s]
all_reduce = [[1, 3], [1e6, 8]]
)";

TEST(ClusterTest, WhatWasMeasuredIsReadAndWrittenAsItWas) {
  const simulate::Cluster plain = simulate::parse_cluster(plain_file(), "c.toml");
  EXPECT_EQ(plain.host.processors, 0);
  EXPECT_EQ(plain.kernels.threads, 0);
  const simulate::Cluster cluster = simulate::parse_cluster(plain_file() + kMeasured, "c.toml");
  EXPECT_EQ(cluster.host.processors, 2);
  EXPECT_DOUBLE_EQ(cluster.host.speed.at(2), 0.9);
  EXPECT_DOUBLE_EQ(cluster.host.slice_us, 4000);
  EXPECT_DOUBLE_EQ(cluster.host.wait_share, 0.125);
  EXPECT_DOUBLE_EQ(cluster.host.jitter, 0.09);
  EXPECT_EQ(cluster.kernels.threads, 1);
  EXPECT_DOUBLE_EQ(cluster.kernels.flops_per_byte.at("linear"), 15);
  EXPECT_DOUBLE_EQ(cluster.kernels.gflop_per_s.at("linear").at(1e12), 80.5);
  EXPECT_DOUBLE_EQ(cluster.kernels.gb_per_s.at("layer_norm").at(1), 5);
  EXPECT_DOUBLE_EQ(cluster.transfers.base_us, 20);
  EXPECT_DOUBLE_EQ(cluster.transfers.gb_per_s.at("all_reduce").at(1e3), 5.5);

  EXPECT_TRUE(plain.rail_efficiency.points.empty());
  EXPECT_TRUE(plain.network.point_to_point_efficiency.points.empty());
  simulate::Cluster with_shares = plain;
  with_shares.rail_efficiency = {{{2, 0.5}}};
  with_shares.node.point_to_point_efficiency = {{{1e6, 0.7}}};
  with_shares.node.all_to_all_efficiency = {{{1e6, 0.3}, {1e8, 0.4}}};
  with_shares.device.elementwise_efficiency = {{{1e6, 0.2}}};
  with_shares.device.float8_tflops = 2;
  with_shares.device.float8_gemm_efficiency = 0.7;
  with_shares.fused.multiprocessors = {{"all_gather", 0}, {"reduce_scatter", 26}};
  with_shares.tiers = {{.nodes = 64, .hop_us = 2}, {.nodes = 512, .hop_us = 3, .rate_share = 0.5}};

  for (const simulate::Cluster* written : {&plain, &cluster, &std::as_const(with_shares)}) {
    const std::string text = to_toml(*written);
    const simulate::Cluster again = simulate::parse_cluster(text, "written.toml");
    EXPECT_EQ(to_toml(again), text);
    EXPECT_EQ(again.name, "a \"b\"");
    EXPECT_EQ(again.host.processors, written->host.processors);
    EXPECT_EQ(again.host.slice_us, written->host.slice_us);
    EXPECT_EQ(again.host.wait_share, written->host.wait_share);
    EXPECT_EQ(again.host.jitter, written->host.jitter);
    EXPECT_EQ(again.kernels.flops_per_byte, written->kernels.flops_per_byte);
    EXPECT_EQ(again.kernels.gflop_per_s.size(), written->kernels.gflop_per_s.size());
    using Device = simulate::Cluster::Device;
    for (const auto number :
         {&Device::bfloat16_tflops, &Device::float32_tflops, &Device::memory_gib,
          &Device::memory_gb_per_s, &Device::launch_us, &Device::multiprocessors,
          &Device::gemm_efficiency, &Device::attention_efficiency, &Device::float8_tflops,
          &Device::float8_gemm_efficiency})
      EXPECT_EQ(again.device.*number, written->device.*number);
    EXPECT_EQ(again.devices_per_node, 4);
    EXPECT_EQ(again.rail_efficiency.points.size(), written->rail_efficiency.points.size());
    EXPECT_EQ(again.tiers.size(), written->tiers.size());
    EXPECT_EQ(again.fused.multiprocessors, written->fused.multiprocessors);
    EXPECT_EQ(again.node.point_to_point_efficiency.points.size(),
              written->node.point_to_point_efficiency.points.size());
    EXPECT_EQ(again.node.all_to_all_efficiency.points.size(),
              written->node.all_to_all_efficiency.points.size());
    EXPECT_EQ(again.device.elementwise_efficiency.points.size(),
              written->device.elementwise_efficiency.points.size());
    EXPECT_EQ(again.node.gb_per_s, 10);
    EXPECT_EQ(again.node.processor_share, 0.9);
    EXPECT_EQ(again.network.gb_per_s, 5);
    EXPECT_EQ(again.network.processor_share, 0);
    ASSERT_EQ(again.node.protocols.size(), 2U);
    EXPECT_EQ(again.node.protocols[1].base_us, 0.5);
    EXPECT_EQ(again.node.protocols[1].hop_us, 0.25);
    EXPECT_EQ(again.node.protocols[1].rate_share, 0.5);
    EXPECT_DOUBLE_EQ(again.network.efficiency.at(1000), 0.5);
  }
}

TEST(ClusterTest, ErrorsOfWhatWasMeasuredAreSaidAtOnce) {
  try {
    (void)simulate::parse_cluster(plain_file() + R"([host]
speed = [[1, 1.5]]
jitter = 3
[kernels]
threads = 0
gb_per_s = 3
[kernels.flops_per_byte]
linear = -1
attentoin = 3
[kernels.gflop_per_s]
linaer = [[1, 1]]
all_reduce = [[1, 1]]
layer_norm = [[2, 1], [1, 1]]
[transfers]
base_us = -1
[transfers.gb_per_s]
linear = [[1, 1]]
shift = [[1, 0]]
)",
                                  "bad.toml");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    const std::string& text = error.message();
    std::size_t at = 0;
    for (const char* part :
         {"host.speed: expected a list of [size, share]",
          "host.jitter: expected a number, at least 0 and at most 2",
          "kernels.threads: expected an integer",
          "kernels.gb_per_s: expected a table: op kinds and their rates",
          "kernels.flops_per_byte.linear: expected a number, at least 0",
          "kernels.flops_per_byte: attentoin is no kind of computation; did you mean attention?",
          "kernels.gflop_per_s: linaer is no kind of computation; did you mean linear?",
          "kernels.gflop_per_s: all_reduce is no kind of computation",
          "kernels.gflop_per_s.layer_norm: expected a list of [size, rate]: sizes above 0",
          "transfers.base_us: expected a number, at least 0",
          "transfers.gb_per_s: linear is no kind of transfer",
          "transfers.gb_per_s.shift: expected a list of [size, rate]",
          "bad.toml: host.processors is missing"}) {
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
