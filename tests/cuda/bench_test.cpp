// Benchmarks of a device through the real binary, on an emulated one: its times mean nothing, but
// what is said about them must fit.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

const std::vector<std::string> kSmallRoofs{"--gemm-sizes", "16,32", "--copy", "64k"};

std::vector<std::string> bench(const Workspace& space, const std::string& command,
                               std::vector<std::string> more,
                               const std::vector<std::string>& settings = {"train.device=cuda"}) {
  auto arguments = space.arguments(command, "run", settings);
  more.insert(more.end(), kSmallRoofs.begin(), kSmallRoofs.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// megascale(), but with more time: an emulated device is slow, and slower beside other programs.
Finished measured(const std::vector<std::string>& arguments, const Setup& setup = {}) {
  return Process(arguments, setup).wait(/*timeout_seconds=*/600);
}
// With a management library that knows the device.
Finished run(const std::vector<std::string>& arguments) {
  return measured(arguments, {.environment = {"LD_LIBRARY_PATH=" MEGASCALE_FAKE_NVML_DIR}});
}

void expect_roofs(const json& roofs) {
  EXPECT_GT(roofs.at("gemm_flops"), 0.0);
  EXPECT_TRUE(roofs.at("gemm_size") == 16 || roofs.at("gemm_size") == 32) << roofs;
  EXPECT_GT(roofs.at("copy_bytes_per_second"), 0.0);
  EXPECT_EQ(roofs.at("copied_bytes"), 65536);
}

// One before the first of what was measured, one behind each. tests/cuda/fake_nvml.cpp.
void expect_sensors(const json& sensors, std::size_t readings) {
  EXPECT_EQ(sensors.at("readings"), readings);
  EXPECT_EQ(sensors.at("sm_mhz"), json({{"median", 1710}, {"min", 1700}, {"max", 1720}}));
  EXPECT_EQ(sensors.at("sm_mhz_max"), 1980);
  EXPECT_EQ(sensors.at("memory_mhz").at("median"), 2619);
  EXPECT_EQ(sensors.at("watts").at("median"), 655.5);
  EXPECT_EQ(sensors.at("celsius").at("max"), 61);
  EXPECT_EQ(sensors.at("clock_limits"), json({"power cap"}));
}

TEST(DeviceBench, ProductsAndAttentionBesideTheirRoofs) {
  const Workspace space;
  for (const std::string command : {"bench gemm", "bench attention"}) {
    SCOPED_TRACE(command);
    const Finished finished = run(bench(space, command, {}));
    ASSERT_EQ(finished.exit_code, 0) << finished;
    const json found = finished.json();
    expect_sensors(found.at("sensors"), found.at("ops").size() + 1);
    const json& roofs = found.at("roofs");
    expect_roofs(roofs);
    ASSERT_GE(found.at("ops").size(), 2U) << found;
    for (const json& op : found.at("ops")) {
      SCOPED_TRACE(op.dump());
      const double seconds = op.at("seconds").at("median"), flops = op.at("flops");
      EXPECT_GT(flops, 0.0);
      const double of_best = flops / seconds / roofs.at("gemm_flops").get<double>();
      EXPECT_NEAR(op.at("of_best_gemm"), of_best, 1e-9 * of_best);
      const double of_copy =
          op.at("bytes").get<double>() / seconds / roofs.at("copy_bytes_per_second").get<double>();
      EXPECT_NEAR(op.at("of_copy"), of_copy, 1e-9 * of_copy);
    }
  }
}

// float32: x[64,32] w[96,32] b[96] y[64,96], of the weight's gradient the sums of the micro-batches
// before too.
TEST(DeviceBench, BytesAreThoseThatATaskCannotDoWithout) {
  const Workspace space;
  const Finished finished = measured(bench(space, "bench gemm", {}));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  std::map<std::string, double> bytes;
  const json found = finished.json();
  for (const json& op : found.at("ops")) bytes[op.at("op")] = op.at("bytes");
  const double x = 64 * 32, w = 96 * 32, b = 96, y = 64 * 96;
  EXPECT_FALSE(bytes.contains("linear [64, 32] [96, 32] [96] added")) << "it adds to nothing";
  EXPECT_EQ(bytes.at("linear [64, 32] [96, 32] [96]"), 4 * (x + w + b + y)) << finished;
  EXPECT_EQ(bytes.at("linear_weight_gradient [64, 96] [64, 32]"), 4 * (y + x + w + b));
  EXPECT_EQ(bytes.at("linear_weight_gradient [64, 96] [64, 32] added"), 4 * (y + x + 2 * (w + b)));
}

// All ops of the step have their time alone and their floor, and the classes are their sums.
void expect_split_by_class(const json& found, const std::set<std::string>& expected_classes) {
  const json& times = found.at("device_times");
  std::map<std::string, double> seconds, alone, floor;
  for (const auto& [op, time] : found.at("time_by_op").items()) {
    SCOPED_TRACE(op);
    std::string of = "rest";
    if (op.starts_with("linear")) of = "gemm";
    if (op.starts_with("grouped_linear")) of = "grouped_gemm";
    if (op.starts_with("attention")) of = "attention";
    seconds[of] += time.at("seconds").get<double>();
    alone[of] += times.at("ops").at(op).at("alone_seconds").get<double>();
    floor[of] += times.at("ops").at(op).at("floor_seconds").get<double>();
    EXPECT_GT(times.at("ops").at(op).at("alone_seconds"), 0.0);
  }
  EXPECT_EQ(times.at("ops").size(), found.at("time_by_op").size());
  double all_alone = 0, on_matrix_units = 0, on_matrix_units_alone = 0;
  std::set<std::string> classes;
  for (const auto& [of, time] : times.at("classes").items()) {
    SCOPED_TRACE(of);
    classes.insert(of);
    EXPECT_GT(seconds[of], 0.0);
    EXPECT_NEAR(time.at("seconds"), seconds[of], 1e-9);
    EXPECT_NEAR(time.at("alone_seconds"), alone[of], 1e-9);
    EXPECT_NEAR(time.at("floor_seconds"), floor[of], 1e-9);
    EXPECT_GT(floor[of], 0.0);
    all_alone += alone[of];
    if (of == "rest") continue;
    on_matrix_units += seconds[of];
    on_matrix_units_alone += alone[of];
  }
  EXPECT_EQ(classes, expected_classes);
  const double step = found.at("step_seconds").at("median");
  EXPECT_NEAR(times.at("share_of_rest"), 1 - on_matrix_units / step, 1e-9);
  const double packed = times.at("packed_seconds");
  EXPECT_GT(packed, 0);
  EXPECT_NEAR(times.at("share_of_rest_and_gaps"),
              1 - packed * on_matrix_units_alone / all_alone / step, 1e-9);
  EXPECT_NEAR(times.at("gap_seconds"), step - times.at("waiting_seconds").get<double>() - packed,
              1e-9);
}

TEST(DeviceBench, AStepIsSplitByClassOfOp) {
  const Workspace space;
  auto arguments =
      bench(space, "bench step", {"--steps", "3", "--warmup", "1", "--device", "cuda"}, {});
  const Finished finished = run(arguments);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json found = finished.json();
  expect_sensors(found.at("device_times").at("sensors"), 3 + 1);
  expect_roofs(found.at("device_times").at("roofs"));
  EXPECT_NEAR(found.at("loss").at("first"), found.at("loss").at("expected_first"), 0.5);
  expect_split_by_class(found, {"gemm", "attention", "rest"});
}

// One layer, two sequences of 32 tokens in two micro-batches, 2 of 4 experts for each token.
std::vector<std::string> mixture(const std::vector<std::string>& more) {
  std::vector<std::string> all{
      "train.device=cuda",        "model.type=llama",         "model.num_layers=1",
      "model.ffn_hidden_size=64", "moe.num_experts=4",        "moe.router_topk=2",
      "moe.ffn_hidden_size=32",   "train.micro_batch_size=1", "train.global_batch_size=2"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Credited are the FLOPs of the experts that a token has, with free routing as with an even one.
TEST(DeviceBench, AStepOfAMixture) {
  const Workspace space;
  const double tokens = 2 * 32, width = 32, vocabulary = 256;
  const double attention_weights = 4 * width * width, router = 4 * width,
               experts = 2 * (3 * 32 * width), head = vocabulary * width;
  const double products = 6 * tokens * (attention_weights + router + experts + head),
               scores = 6 * 2 * width * (32 * 32 / 2.0) * 2;
  for (const std::string routes : {"false", "true"}) {
    SCOPED_TRACE("even: " + routes);
    const Finished finished = run(bench(space, "bench step", {"--steps", "1", "--warmup", "1"},
                                        mixture({"moe.router_force_load_balancing=" + routes})));
    ASSERT_EQ(finished.exit_code, 0) << finished;
    const json found = finished.json();
    EXPECT_DOUBLE_EQ(found.at("flops_per_step"), products + scores);
    const double mfu = (products + scores) / found.at("step_seconds").at("median").get<double>() /
                       found.at("peak_flops").get<double>();
    EXPECT_NEAR(found.at("mfu"), mfu, 1e-9 * mfu);
    EXPECT_NEAR(found.at("loss").at("first"), found.at("loss").at("expected_first"), 0.5);
    expect_split_by_class(found, {"gemm", "grouped_gemm", "attention", "rest"});
  }
}

// The rows that a rank may get at most say nothing of the bytes that it moves.
TEST(DeviceBench, FloorsOfCountedRowsAreThoseOfTheRowsThatAreExpected) {
  const Workspace space;
  const Finished finished =
      measured(bench(space, "bench step", {"--steps", "1", "--warmup", "0"},
                     mixture({"parallel.world_size=2", "parallel.expert_model_parallel_size=2",
                              "moe.rows_bound=2", "moe.router_force_load_balancing=true"})));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json times = finished.json().at("device_times");
  // Rank 0 has as many tokens and experts as rank 1. x[rows,64] weights[rows] y[rows,32], float32.
  const double rows = 32 * 2, nbytes = rows * (64 + 1 + 32) * 4;
  const double floor = times.at("ops").at("gated_swiglu").at("floor_seconds"),
               by_copy = nbytes / times.at("roofs").at("copy_bytes_per_second").get<double>();
  EXPECT_NEAR(floor, by_copy, 1e-9 * by_copy);
}

// The floor of products is that of their FLOPs where those take longer than their bytes.
TEST(DeviceBench, TheFloorOfAProductIsThatOfTheLongerOfItsTwoTimes) {
  const Workspace space;
  const Finished finished =
      measured(bench(space, "bench step", {"--steps", "1", "--warmup", "1"},
                     {"train.device=cuda", "model.num_layers=1", "train.global_batch_size=2"}));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json found = finished.json();
  const json& times = found.at("device_times");
  const double flops = found.at("time_by_op").at("linear").at("flops"),
               floor = times.at("ops").at("linear").at("floor_seconds");
  // On the emulated device products are far slower than copies.
  const double by_flops = flops / times.at("roofs").at("gemm_flops").get<double>();
  EXPECT_NEAR(floor, by_flops, 1e-9 * by_flops);
}

// Every expert has the rows that were asked for, as the device counts them. A dense product with the
// rows of all experts has as many FLOPs.
TEST(DeviceBench, GroupedProductsBesideDenseOnes) {
  const Workspace space;
  const Finished finished = run(bench(space, "bench experts", {"--rows", "2,8"}, mixture({})));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find("of dense"), std::string::npos);
  const json found = finished.json();
  std::map<std::string, int> products;
  std::map<std::string, double> bytes;
  for (const json& op : found.at("ops")) {
    const std::string name = op.at("op");
    SCOPED_TRACE(op.dump());
    bytes[name] = op.at("bytes");
    EXPECT_GT(op.at("seconds").at("median"), 0.0);
    EXPECT_EQ(op.contains("experts"), name.starts_with("grouped_linear"));
    if (!op.contains("experts")) continue;
    const json& experts = op.at("experts");
    const bool few = name.find("[<=8,") != std::string::npos;  // 4 experts
    EXPECT_EQ(experts.at("rows_min"), few ? 2 : 8);
    EXPECT_EQ(experts.at("rows_max"), few ? 2 : 8);
    const bool is_gate_and_up = name.find("64") != std::string::npos;
    EXPECT_EQ(op.at("flops"), 2.0 * (few ? 8 : 32) * 32 * (is_gate_and_up ? 64 : 32));
    const double dense = experts.at("dense_seconds");
    EXPECT_GT(dense, 0.0);
    EXPECT_NEAR(experts.at("of_dense"), dense / op.at("seconds").at("median").get<double>(), 1e-9);
    ++products[name.substr(0, name.find(' '))];
  }
  const std::map<std::string, int> of_each{{"grouped_linear", 4},
                                           {"grouped_linear_input_gradient", 4},
                                           {"grouped_linear_weight_gradient", 4}};
  EXPECT_EQ(products, of_each);
  // x[16,32] source[32] place[16,2] sent[1] y[32,32]: 4 bytes each, counts 8.
  EXPECT_EQ(bytes.at("gather_rows [16, 32] [32] [16, 2] [1]"),
            4 * (16 * 32 + 32 + 32 + 32 * 32) + 8);
  EXPECT_TRUE(bytes.contains("route [16, 4]"));
  EXPECT_TRUE(bytes.contains("dispatch_map [4, 2]"));
}

// Weight gradients of experts stay in bfloat16. Rounding is timed, too, but not that of attention.
TEST(DeviceBench, GroupedProductsOf8BitOperands) {
  const Workspace space;
  const Finished finished = measured(bench(space, "bench experts", {"--rows", "8"},
                                           mixture({"model.dtype=bfloat16", "model.fp8=hybrid"})));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json found = finished.json();
  std::map<std::string, int> ops;
  for (const json& op : found.at("ops")) {
    SCOPED_TRACE(op.dump());
    const std::string name = op.at("op");
    ++ops[name.substr(0, name.find(' '))];
    if (!op.contains("experts")) continue;
    EXPECT_EQ(op.at("experts").at("rows_max"), 8);
    EXPECT_GT(op.at("experts").at("dense_seconds"), 0.0);
  }
  EXPECT_EQ(ops["quantised_grouped_linear"], 2);
  EXPECT_EQ(ops["quantised_grouped_input_gradient"], 2);
  EXPECT_EQ(ops["grouped_linear_weight_gradient"], 2);
  EXPECT_EQ(ops["quantise_weight"], 2) << "gate and up, down";
  // Rows before and behind SwiGLU and the gradient of the last product have one shape, so one name.
  EXPECT_EQ(ops["quantise"], 2);
}

// Without them the kernels would read random bits as counts.
TEST(DeviceBench, ProductsOfExpertsHaveTheRowsOfTheirRouter) {
  const Workspace space;
  const Finished finished = run(bench(space, "bench gemm", {}, mixture({})));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json found = finished.json();
  int products = 0;
  for (const json& op : found.at("ops")) {
    if (!op.contains("experts")) continue;
    SCOPED_TRACE(op.dump());
    ++products;
    // 32 tokens have 2 of 4 experts each.
    EXPECT_GE(op.at("experts").at("rows_min"), 0);
    EXPECT_LE(op.at("experts").at("rows_min"), 16);
    EXPECT_GE(op.at("experts").at("rows_max"), 16);
    EXPECT_LE(op.at("experts").at("rows_max"), 32);
    EXPECT_FALSE(op.at("experts").contains("of_dense"));
  }
  EXPECT_EQ(products, 2 + 2 + 2 * 2)
      << "weight gradients of the first micro-batch and of later ones";
}

TEST(DeviceBench, LayersOfExpertsThatCannotBeTimedAreRefused) {
  const Workspace space;
  const auto expect_refused = [&](const std::string& command, const std::vector<std::string>& more,
                                  const std::vector<std::string>& settings,
                                  const std::string& message) {
    const Finished finished = measured(bench(space, command, more, settings));
    EXPECT_NE(finished.exit_code, 0) << message;
    EXPECT_NE(finished.err.find(message), std::string::npos) << message << finished;
  };
  const std::vector<std::string> two_ranks =
      mixture({"parallel.world_size=2", "parallel.expert_model_parallel_size=2"});
  expect_refused("bench gemm", {}, two_ranks, "expected parallel.world_size = 1, found 2");
  expect_refused("bench experts", {}, two_ranks, "expected parallel.world_size = 1, found 2");
  expect_refused("bench experts", {}, {"train.device=cuda"}, "found moe.num_experts = 0");
  expect_refused("bench experts", {"--rows", "7"},
                 mixture({"moe.num_experts=6", "moe.router_topk=4"}), "use multiples of 4");
}

// Several ranks that share the device: rank 0's ops are timed while the others wait.
TEST(DeviceBench, OfRanksThatShareTheDevice) {
  const Workspace space;
  const Finished finished = measured(bench(
      space, "bench step", {"--steps", "1", "--warmup", "1"},
      {"train.device=cuda", "parallel.tensor_model_parallel_size=2", "model.dtype=bfloat16"}));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json times = finished.json().at("device_times");
  EXPECT_GT(times.at("classes").at("gemm").at("alone_seconds"), 0.0);
  EXPECT_EQ(times.at("roofs").at("gemm_dtype"), "bfloat16");
}

// Products of 8-bit operands have a roof of their own; those of the head have not.
TEST(DeviceBench, EightBitProductsBesideTheirOwnRoof) {
  const Workspace space;
  const Finished finished = measured(bench(
      space, "bench gemm", {}, {"train.device=cuda", "model.dtype=bfloat16", "model.fp8=hybrid"}));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const json found = finished.json();
  const double best = found.at("roofs").at("gemm_flops"),
               best_fp8 = found.at("roofs").at("fp8_gemm_flops");
  ASSERT_NE(best, best_fp8);
  std::size_t of_layers = 0, of_head = 0;
  for (const json& op : found.at("ops")) {
    SCOPED_TRACE(op.dump());
    const bool is_head = op.at("op").get<std::string>().find("256") != std::string::npos;
    const double rate = op.at("flops").get<double>() / op.at("seconds").at("median").get<double>();
    EXPECT_NEAR(op.at("of_best_gemm"), rate / (is_head ? best : best_fp8),
                1e-9 * rate / (is_head ? best : best_fp8));
    ++(is_head ? of_head : of_layers);
  }
  EXPECT_GT(of_layers, 3U);
  EXPECT_GE(of_head, 3U);
}

// Without the library, and where it does not know the device, the times are there all the same.
TEST(DeviceBench, WithoutSensors) {
  const Workspace space;
  const Finished finished = measured(bench(space, "bench attention", {}));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find("clocks, power and temperature not known: "), std::string::npos);
  EXPECT_NE(finished.json().at("sensors").at("why_not"), "");
}

// Steps of the CPU have none of it.
TEST(DeviceBench, NotOfTheCpu) {
  const Workspace space;
  const Finished finished =
      measured(bench(space, "bench step", {"--steps", "1", "--warmup", "0"}, {}));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_FALSE(finished.json().contains("device_times"));
}

}  // namespace
}  // namespace megascale::testing
