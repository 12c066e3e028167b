// Runs that an earlier version wrote are read and continued by the present binary: its checkpoints
// are whole, its configurations can be planned, and training goes on with the bits that the earlier
// version gave. tests/compatibility/README.md says what is recorded and where it comes from.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/workspace.h"
#include "megascale/kernels/cpu/peak.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kRecorded = fs::path(MEGASCALE_SOURCE_DIR) / "tests/compatibility/v0.1";

// The digest of every piece of every tensor, by "NAME at [OFFSETS]", as in expected.json.
json piece_digests(const fs::path& checkpoint) {
  const json manifest = json::parse(read(checkpoint / "manifest.json"), nullptr, false);
  json found = json::object();
  if (!manifest.is_object()) return found;
  for (const json& shard : manifest.at("shards")) {
    for (const json& piece : shard.at("pieces")) {
      std::string offsets;
      for (const json& offset : piece.at("offset"))
        offsets += (offsets.empty() ? "" : ", ") + offset.dump();
      found[piece.at("name").get<std::string>() + " at [" + offsets + "]"] = piece.at("digest");
    }
  }
  return found;
}

class CompatibilityTest : public ::testing::TestWithParam<const char*> {
 protected:
  CompatibilityTest() : expected(json::parse(read(recorded / "expected.json"))) {
    // A copy, since training writes into the run directory.
    fs::copy(recorded / "run", scratch / "run", fs::copy_options::recursive);
  }
  // Runs a command on a configuration of the recorded job, with the paths of this machine.
  [[nodiscard]] Finished run(const char* command, const fs::path& config,
                             const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{command, config.string(), "--json"};
    for (const std::string& assignment :
         {"data.data_path=" + (kRecorded / "corpus").string(),
          "train.run_dir=" + (scratch / "run").string(),
          "checkpoint.dir=" + (scratch / "run/checkpoints").string()})
      arguments.insert(arguments.end(), {"--set", assignment});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return megascale(arguments);
  }
  // Compares the steps 6 to 10 of the continued run with the recorded ones. `bound`: the largest
  // relative difference of a number; 0: bit for bit.
  void expect_recorded_steps(double bound) const {
    const std::vector<json> lines = metrics_of(scratch / "run");
    ASSERT_EQ(lines.size(), 10U);
    ASSERT_EQ(expected.at("steps").size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
      const json &want = expected.at("steps")[i], &got = lines[5 + i];
      for (const auto& [key, value] : want.items()) {
        ASSERT_TRUE(got.contains(key)) << key << " in " << got;
        const double x = got.at(key), y = value;
        EXPECT_TRUE(x == y || std::abs(x - y) <= bound * std::abs(y))
            << "step " << want.at("step") << ", " << key << ": expected " << value << ", found "
            << got.at(key);
      }
    }
  }

  const ScratchDirectory scratch;
  const fs::path recorded = kRecorded / GetParam();
  const json expected;
};

TEST_P(CompatibilityTest, CheckpointIsWhole) {
  const Finished verified =
      megascale({"checkpoint", "verify", (scratch / "run/checkpoints").string(), "--json"});
  ASSERT_EQ(verified.exit_code, 0) << verified;
  EXPECT_TRUE(verified.json().value("good", false)) << verified;
}

TEST_P(CompatibilityTest, StateIsWrittenAsItWasRead) {
  const fs::path old = scratch / "run/checkpoints/step-00000005";
  const json before = piece_digests(old);
  ASSERT_GT(before.size(), 30U);
  const Finished saved = run("train", recorded / "job.toml",
                             {"--ranks", expected.at("ranks").dump(), "--stop-after", "0", "--set",
                              "checkpoint.load=" + old.string(), "--set",
                              "checkpoint.dir=" + (scratch / "again").string()});
  ASSERT_EQ(saved.exit_code, 0) << saved;
  EXPECT_EQ(json::diff(before, piece_digests(scratch / "again/step-00000005")), json::array());
}

TEST_P(CompatibilityTest, ConfigurationsCanBePlanned) {
  for (const fs::path& config : {recorded / "job.toml", scratch / "run/config.toml"}) {
    const Finished plan = run("plan", config, {"--ranks", expected.at("ranks").dump()});
    ASSERT_EQ(plan.exit_code, 0) << config << plan;
    EXPECT_TRUE(plan.json().value("verified", false)) << plan;
    EXPECT_EQ(plan.json().at("parameters"), expected.at("parameters")) << config;
  }
}

TEST_P(CompatibilityTest, TrainingGoesOnWithTheSameBits) {
  const Finished trained =
      run("train", scratch / "run/config.toml", {"--ranks", expected.at("ranks").dump()});
  ASSERT_EQ(trained.exit_code, 0) << trained;
  EXPECT_NE(trained.err.find("at step 5"), std::string::npos) << trained;
  // Kernels for different vector targets round differently.
  const bool same_kernels = kernels::cpu::vector_target() == expected.at("vector_target");
  expect_recorded_steps(same_kernels ? 0 : 1e-5);
  if (same_kernels) {
    const json digests = piece_digests(scratch / "run/checkpoints/step-00000010");
    EXPECT_EQ(json::diff(expected.at("tensors_at_10"), digests), json::array());
  }
}

TEST_P(CompatibilityTest, TrainingGoesOnAtAnotherLayout) {
  const Finished trained = run("train", recorded / "job.toml",
                               {"--ranks", "2", "--set", "parallel.tensor_model_parallel_size=1",
                                "--set", "parallel.pipeline_model_parallel_size=1"});
  ASSERT_EQ(trained.exit_code, 0) << trained;
  expect_recorded_steps(1e-5);
}

INSTANTIATE_TEST_SUITE_P(V01, CompatibilityTest, ::testing::Values("gpt2-1", "llama-4"),
                         [](const auto& one) {
                           return one.param == std::string_view("gpt2-1") ? "gpt2_1" : "llama_4";
                         });

}  // namespace
}  // namespace megascale::testing
