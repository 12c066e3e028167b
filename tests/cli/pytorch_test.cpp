// The same model from the same weights on the same tokens in PyTorch: losses agree step by step, and so
// do the logits of the first forward pass and every gradient of the first step.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "cli/workspace.h"
#include "megascale/checkpoint/manifest.h"
#include "megascale/config/load.h"
#include "megascale/engine/inference.h"
#include "megascale/train/checkpointing.h"

namespace megascale::testing {
namespace {

// Debian's python3-torch belongs to this interpreter; another one in the path would not have it.
constexpr const char* kPython = "/usr/bin/python3";
// The step of every test.
constexpr std::size_t kSequences = 4, kLength = 32;

// Its exit status.
int run_python(const std::string& arguments, const std::filesystem::path& output) {
  const int status =
      std::system((kPython + (" " + arguments) + " > '" + output.string() + "' 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Model {
  const char* name;
  std::vector<std::string> set;
  std::string arguments = "";                    // of the comparison
  std::string otherwise = "--weight-decay 0.3";  // with which the losses part
};
void PrintTo(const Model& model, std::ostream* stream) { *stream << model.name; }

class PyTorch : public ::testing::TestWithParam<Model> {
 protected:
  void SetUp() override {
    if (run_python("-c 'import torch'", space / "import.txt") != 0)
      GTEST_SKIP() << kPython << " has no torch: " << read(space / "import.txt");
  }
  [[nodiscard]] static std::vector<std::string> settings(const std::vector<std::string>& more) {
    std::vector<std::string> set{"train.train_iters=20", "data.shuffle=false", "data.split=1,0,0",
                                 "model.hidden_size=64", "model.num_layers=3", "optimizer.lr=1e-3"};
    set.insert(set.end(), GetParam().set.begin(), GetParam().set.end());
    set.insert(set.end(), more.begin(), more.end());
    return set;
  }
  void train_until(const std::string& step, const std::vector<std::string>& set) {
    auto arguments = space.arguments("train", "run", set);
    arguments.insert(arguments.end(), {"--stop-after", step});
    const Finished trained = megascale(arguments);
    ASSERT_EQ(trained.exit_code, 0) << trained;
  }
  [[nodiscard]] std::filesystem::path checkpoint_of(int step) const {
    return space / fmt::format("run/checkpoints/step-{:08}", step);
  }
  // Exports the checkpoint after `step` steps.
  void export_to(const std::string& directory, int step) {
    const Finished exported =
        megascale({"checkpoint", "export", checkpoint_of(step).string(), directory});
    ASSERT_EQ(exported.exit_code, 0) << exported;
  }
  // Twenty AdamW steps, with the model that they began from as a Hugging Face directory.
  void train(const std::vector<std::string>& more = {}) {
    const std::vector<std::string> set = settings(more);
    ASSERT_NO_FATAL_FAILURE(train_until("0", set));
    ASSERT_NO_FATAL_FAILURE(export_to(hf(), 0));
    const Finished trained = space.train("run", set);
    ASSERT_EQ(trained.exit_code, 0) << trained;
    ASSERT_EQ(metrics_of(space / "run").size(), 20U);
  }
  [[nodiscard]] std::string hf() const { return (space / "hf").string(); }
  // The script's exit status; `more` arguments go last.
  [[nodiscard]] int compare(const std::string& more = "") const {
    return run_python(MEGASCALE_SOURCE_DIR "/scripts/compare-pytorch '" + hf() + "' '" +
                          space.corpus() + "' '" + (space / "run/metrics.jsonl").string() +
                          "' --sequences 4 --length 32 --steps 20 --bound 1e-4 " + more,
                      space / "compared.txt");
  }
  const Workspace space;
};

TEST_P(PyTorch, LossesOfTwentyAdamWSteps) {
  ASSERT_NO_FATAL_FAILURE(train());
  EXPECT_EQ(compare(GetParam().arguments), 0) << read(space / "compared.txt");
  const std::string compared = read(space / "compared.txt");
  EXPECT_NE(compared.find("step 20: pytorch "), std::string::npos) << compared;
  std::printf("%s", compared.substr(compared.find("worst")).c_str());
  // The comparison can fail: with another value the losses part.
  EXPECT_EQ(compare(GetParam().arguments + " " + GetParam().otherwise), 1)
      << read(space / "compared.txt");
}

// Writes the logits after each token of the first step.
void write_logits(const std::filesystem::path& weights, const std::string& corpus,
                  const std::filesystem::path& file) {
  const std::string tokens = read(corpus + ".bin");
  const checkpoint::Opened opened = checkpoint::open_path(weights);
  engine::Inference model(parse_config(opened.state().config, "the checkpoint", {}), nullptr,
                          {.last_rows = kLength});
  train::load_parts(opened, model.state());
  std::ofstream out(file, std::ios::binary);
  for (std::size_t sequence = 0; sequence < kSequences; ++sequence) {
    std::vector<std::uint16_t> stored(kLength);
    std::memcpy(stored.data(), tokens.data() + sequence * kLength * sizeof(std::uint16_t),
                kLength * sizeof(std::uint16_t));
    const std::vector<std::int32_t> ids(stored.begin(), stored.end());
    model.keep(0, 0);
    const engine::SequenceTokens step{.tokens = ids, .last_rows = kLength};
    const engine::LogitRows rows = model.feed(std::span(&step, 1));
    for (std::size_t i = 0; i < rows.size(); ++i)
      out.write(reinterpret_cast<const char*>(rows[i].data()),
                static_cast<std::streamsize>(rows[i].size_bytes()));
  }
}

// In the manifest of a checkpoint, gives the first moment of each parameter the name of the parameter,
// and the other way around. An export then writes moments under the names of Hugging Face.
void swap_weights_and_first_moments(const std::filesystem::path& file) {
  checkpoint::Manifest manifest = checkpoint::parse_manifest(read(file), file.string());
  const std::string_view suffix = checkpoint::kFirstMomentSuffix;
  for (checkpoint::ShardFile& shard : manifest.shards) {
    for (auto& [name, dtype, shape, box, begin, end, digest] : shard.pieces) {
      if (name.ends_with(suffix))
        name.resize(name.size() - suffix.size());
      else if (!name.ends_with(checkpoint::kSecondMomentSuffix))
        name += suffix;
    }
  }
  std::ofstream(file) << checkpoint::to_text(manifest);
}

// Goal: the forward pass and each gradient are PyTorch's, so that no two errors cancel in a loss. Method:
// after one step without clipping, first moments are (1 - beta1) times the gradients.
TEST_P(PyTorch, LogitsAndGradientsOfTheFirstStep) {
  const std::vector<std::string> set =
      settings({"optimizer.clip_grad=0", "optimizer.adam_beta1=0.5"});
  ASSERT_NO_FATAL_FAILURE(train_until("0", set));
  ASSERT_NO_FATAL_FAILURE(export_to(hf(), 0));
  write_logits(checkpoint_of(0), space.corpus(), space / "logits");
  ASSERT_NO_FATAL_FAILURE(train_until("1", set));
  swap_weights_and_first_moments(checkpoint_of(1) / "manifest.json");
  ASSERT_NO_FATAL_FAILURE(export_to((space / "gradients").string(), 1));
  const auto compare_with = [&](const std::string& more) {
    return run_python(MEGASCALE_SOURCE_DIR
                          "/tests/cli/first_step_reference.py " MEGASCALE_SOURCE_DIR
                          "/scripts/compare-pytorch '" +
                          hf() + "' '" + space.corpus() + "' '" + (space / "logits").string() +
                          "' '" + (space / "gradients").string() +
                          "' --sequences 4 --length 32 --scale 0.5 --bound 1e-5 " + more,
                      space / "compared.txt");
  };
  EXPECT_EQ(compare_with(GetParam().arguments), 0) << read(space / "compared.txt");
  std::printf("%s", read(space / "compared.txt").c_str());
  // The comparison can fail: with one matrix that is 0.1 % larger, both differ.
  EXPECT_EQ(compare_with(GetParam().arguments + " --damage"), 3) << read(space / "compared.txt");
}

// Pairs of answers to a prompt: sentences with a word that is said twice, or with another one.
std::string some_pairs(int count) {
  const std::string text = some_text(20000);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const std::string prompt = text.substr(static_cast<std::size_t>(60 * i), 4 + i % 9),
                      answer = text.substr(static_cast<std::size_t>(60 * i + 20), 3 + i % 7);
    const nlohmann::json line{
        {"prompt", prompt}, {"chosen", answer + "!"}, {"rejected", "no, " + answer.substr(i % 3)}};
    lines += line.dump() + "\n";
  }
  return lines;
}

class PyTorchPreferences : public PyTorch {};

// Goal: direct preference optimisation has the losses, margins and accuracies of a program that somebody can read in
// five minutes.
TEST_P(PyTorchPreferences, LossesAndMarginsOfTwentySteps) {
  const std::string pairs = (space / "pairs").string();
  const Finished prepared =
      megascale({"prepare", space.write("pairs.jsonl", some_pairs(60)).string(), "--format",
                 "preference", "--chat-template", "plain", "--output", pairs});
  ASSERT_EQ(prepared.exit_code, 0) << prepared;
  ASSERT_NO_FATAL_FAILURE(train({"data.data_path=" + pairs, "preference.beta=0.2",
                                 "preference.label_smoothing=0.05", "optimizer.lr=3e-3"}));
  const auto compare_with = [&](const std::string& beta) {
    return run_python(MEGASCALE_SOURCE_DIR
                          "/tests/cli/preference_reference.py " MEGASCALE_SOURCE_DIR
                          "/scripts/compare-pytorch '" +
                          hf() + "' '" + pairs + "' '" + (space / "run/metrics.jsonl").string() +
                          "' --pairs 2 --length 32 --label-smoothing 0.05 --beta " + beta,
                      space / "compared.txt");
  };
  EXPECT_EQ(compare_with("0.2"), 0) << read(space / "compared.txt");
  const std::string compared = read(space / "compared.txt");
  EXPECT_NE(compared.find("step 20: loss "), std::string::npos) << compared;
  std::printf("%s", compared.substr(std::min(compared.find("worst"), compared.size())).c_str());
  EXPECT_EQ(compare_with("0.21"), 1) << "the comparison can fail";
}

INSTANTIATE_TEST_SUITE_P(All, PyTorchPreferences,
                         ::testing::Values(Model{"gpt2", {}},
                                           Model{"llama",
                                                 {"model.type=llama", "model.num_query_groups=1"}}),
                         [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    All, PyTorch,
    ::testing::Values(
        Model{"gpt2", {}}, Model{"llama", {"model.type=llama", "model.num_query_groups=1"}},
        Model{"mixtral",
              {"model.type=mixtral", "model.ffn_hidden_size=48", "model.init_method_std=0.1",
               "moe.num_experts=8", "moe.aux_loss_coeff=0.1", "moe.z_loss_coeff=0.01"},
              "--micro-batch 2 --aux-loss 0.1 --z-loss 0.01",
              "--aux-loss 0.2"},
        Model{"qwen3_moe",
              {"model.type=qwen3_moe", "model.head_dim=16", "model.init_method_std=0.1",
               "moe.num_experts=16", "moe.router_topk=4", "moe.ffn_hidden_size=24",
               "moe.norm_topk_prob=false"}},
        Model{"qwen2_moe",
              {"model.type=qwen2_moe", "model.ffn_hidden_size=96", "model.init_method_std=0.1",
               "moe.num_experts=8", "moe.router_topk=2", "moe.ffn_hidden_size=24",
               "moe.norm_topk_prob=false", "moe.first_dense_layers=1",
               "moe.shared_expert_intermediate_size=40", "moe.shared_expert_gate=true"},
              "",
              "--no-gate"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace megascale::testing
