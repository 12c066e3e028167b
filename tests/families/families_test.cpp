// The families of models that are imported from Hugging Face, against a reference in numpy that is
// independent of this code (reference.py): logits, training, layouts, and the way back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "megascale/base/files.h"
#include "megascale/checkpoint/huggingface/export.h"
#include "megascale/checkpoint/huggingface/import.h"
#include "megascale/config/load.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/engine/inference.h"
#include "megascale/train/checkpointing.h"
#include "megascale/train/trainer.h"
#include "support/scratch_directory.h"
#include "support/shell.h"

namespace megascale {
namespace {

namespace huggingface = checkpoint::huggingface;

// Debian's python3-numpy belongs to this interpreter; another one in the path would not have it.
constexpr const char* kPython = "/usr/bin/python3";
constexpr std::int64_t kLength = 32, kSequences = 4, kSteps = 20, kVocabulary = 256;

struct FamilyCase {
  const char* name;
  // Keys of config.json whose change the reference must notice.
  std::vector<const char*> changes;
  // For generation: the length that decides about scaled positions.
  std::vector<std::string> settings = {};
  bool has_experts = false;
};
void PrintTo(const FamilyCase& family, std::ostream* stream) { *stream << family.name; }

class FamilyTest : public ::testing::TestWithParam<FamilyCase> {
 protected:
  void SetUp() override {
    ASSERT_EQ(testing::run_in_shell(std::string(kPython) + " -c 'import numpy'"), 0)
        << "needs python3-numpy: scripts/install-dependencies --tests";
    ASSERT_EQ(reference(fmt::format("make {} '{}'", GetParam().name, hf().string())), 0);
    const huggingface::Imported imported = huggingface::open_model(hf());
    EXPECT_TRUE(imported.notes.empty());
    checkpoints_ = scratch_ / "imported";
    huggingface::save_imported(imported, checkpoints_);
    // Small numbers are frequent, as words are.
    std::uint64_t state = 1;
    for (std::int64_t i = 0; i < kSteps * kSequences * kLength + 1; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const auto a = static_cast<std::int64_t>(state >> 40) % kVocabulary,
                 b = static_cast<std::int64_t>(state >> 20) % kVocabulary;
      tokens_.push_back(static_cast<std::int32_t>(a * b / kVocabulary));
    }
  }
  [[nodiscard]] std::filesystem::path hf() const { return scratch_ / "hf"; }
  [[nodiscard]] std::filesystem::path run_checkpoints() const {
    return scratch_ / "run/checkpoints";
  }

  // Runs the reference and returns its exit status. Its output is shown.
  static int reference(const std::string& arguments) {
    return testing::run_in_shell(
        fmt::format("{} {} {}", kPython, MEGASCALE_FAMILIES_REFERENCE, arguments));
  }
  // Expects that the reference finds the results equal, and unequal after each of the changes.
  void expect_equal(const char* what, const std::filesystem::path& inputs,
                    const std::filesystem::path& results) const {
    const std::string arguments =
        fmt::format("{} '{}' '{}' '{}'", what, hf().string(), inputs.string(), results.string());
    EXPECT_EQ(reference(arguments), 0);
    for (const char* change : GetParam().changes)
      EXPECT_EQ(reference(fmt::format("{} --with '{}'", arguments, change)), 1) << change;
  }
  template <class T>
  std::filesystem::path write_values(const char* name, const std::vector<T>& values) const {
    return scratch_.write(
        name, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }

  // Losses of a training from the imported weights, and its metrics for the reference.
  struct Training {
    std::vector<double> losses;
    std::string metrics;
  };
  Training train(const std::vector<std::string>& settings, std::int64_t steps) {
    const auto corpus = scratch_ / "corpus";
    if (!std::filesystem::exists(corpus.string() + ".idx")) {
      IndexedDatasetWriter writer(corpus, TokenType::int32);
      writer.append(tokens_);
      writer.end_document();
      writer.finish();
    }
    std::vector<std::string> all{"data.data_path=" + corpus.string(),
                                 "data.split=1,0,0",
                                 "data.shuffle=false",
                                 "data.tokenizer=byte",
                                 fmt::format("model.seq_length={}", kLength),
                                 fmt::format("train.train_iters={}", kSteps),
                                 fmt::format("train.global_batch_size={}", kSequences),
                                 fmt::format("train.run_dir={}", (scratch_ / "run").string()),
                                 fmt::format("checkpoint.dir={}", run_checkpoints().string()),
                                 "train.threads_per_rank=1",
                                 "optimizer.lr=0.002",
                                 fmt::format("checkpoint.load={}", checkpoints_.string()),
                                 "checkpoint.start=weights"};
    all.insert(all.end(), settings.begin(), settings.end());
    const checkpoint::Opened opened = checkpoint::open_path(checkpoints_);
    Training training;
    train::TrainOptions options;
    options.on_step = [&](const train::StepMetrics& step, bool, double) {
      training.losses.push_back(step.loss);
      training.metrics += train::to_json_line(step) + "\n";
    };
    options.on_message = [](const std::string&) {};
    options.most_steps = steps;
    options.peak_flops = 1e9;  // nobody looks at the utilisation here
    std::filesystem::remove_all(scratch_ / "run");
    train::train(parse_config(opened.state().config, "the checkpoint", all), options);
    return training;
  }

  testing::ScratchDirectory scratch_;
  std::filesystem::path checkpoints_;
  std::vector<std::int32_t> tokens_;
};

// A prompt at once, then token by token: keys and values come from the cache.
TEST_P(FamilyTest, LogitsAreThoseOfTheReference) {
  constexpr std::size_t kPrompt = 7, kTokens = 40;
  const checkpoint::Opened opened = checkpoint::open_path(checkpoints_);
  engine::Inference model(
      parse_config(opened.state().config, "the checkpoint", GetParam().settings), nullptr);
  train::load_parts(opened, model.state());
  const std::vector<std::int32_t> ids(tokens_.begin(), tokens_.begin() + kTokens);
  std::vector<float> logits;
  for (std::size_t at = 0; at < kTokens;) {
    const std::size_t count = at == 0 ? kPrompt : 1;
    const auto row = model.feed(std::span(ids).subspan(at, count));
    logits.insert(logits.end(), row.begin(), row.end());
    at += count;
  }
  expect_equal("logits", write_values("ids", ids), write_values("logits", logits));
}

TEST_P(FamilyTest, TrainingIsThatOfTheReference) {
  const Training training = train({"train.micro_batch_size=2"}, kSteps);
  ASSERT_EQ(training.losses.size(), static_cast<std::size_t>(kSteps));
  expect_equal("train", scratch_ / "corpus.bin", scratch_.write("metrics", training.metrics));
}

TEST_P(FamilyTest, LayoutsTrainAsOneRank) {
  constexpr std::int64_t kFew = 4;
  const std::vector<double> one = train({}, kFew).losses;
  std::vector<std::vector<std::string>> layouts{
      {"parallel.tensor_model_parallel_size=2"},
      {"parallel.pipeline_model_parallel_size=2"},
      {"parallel.pipeline_model_parallel_size=2", "parallel.virtual_pipeline_size=2",
       "parallel.pipeline_schedule=interleaved", "train.micro_batch_size=1"},
      {"parallel.context_parallel_size=2"},
      {"parallel.world_size=2", "parallel.zero_stage=2"},
      {"parallel.tensor_model_parallel_size=2", "parallel.context_parallel_size=2",
       "recompute.granularity=full", "overlap.tensor_pieces=2"}};
  if (GetParam().has_experts) {
    layouts.push_back({"parallel.world_size=2", "parallel.expert_model_parallel_size=2"});
    layouts.push_back({"parallel.context_parallel_size=2", "parallel.expert_model_parallel_size=2",
                       "moe.token_dispatcher_type=allgather"});
  }
  for (const auto& layout : layouts) {
    const std::vector<double> losses = train(layout, kFew).losses;
    ASSERT_EQ(losses.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i)
      EXPECT_NEAR(losses[i], one[i], 1e-5 * one[i]) << layout.front() << ", step " << i;
  }
}

// Goal: an import and an export give back every file, byte for byte.
TEST_P(FamilyTest, ExportGivesBackTheImportedFiles) {
  const auto exported = scratch_ / "exported";
  huggingface::export_model(checkpoint::open_path(checkpoints_), exported);
  std::vector<std::string> names, again;
  for (const auto& entry : std::filesystem::directory_iterator(hf())) {
    names.push_back(entry.path().filename().string());
    EXPECT_TRUE(read_text(entry.path()) == read_text(exported / names.back())) << names.back();
  }
  for (const auto& entry : std::filesystem::directory_iterator(exported))
    again.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  std::sort(again.begin(), again.end());
  EXPECT_EQ(again, names);
}

// After training the form is the same: files, types, names, and all keys of config.json.
TEST_P(FamilyTest, ExportAfterTrainingHasTheFormOfTheImport) {
  (void)train({}, 2);
  const auto exported = scratch_ / "exported";
  huggingface::export_model(checkpoint::open_path(run_checkpoints()), exported);
  for (const auto& entry : std::filesystem::directory_iterator(hf())) {
    const auto name = entry.path().filename();
    ASSERT_TRUE(std::filesystem::exists(exported / name)) << name;
    const std::string before = read_text(entry.path()), after = read_text(exported / name);
    EXPECT_EQ(before.size(), after.size()) << name;
    EXPECT_EQ(before == after, name.extension() != ".safetensors") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FamilyTest,
    ::testing::Values(
        FamilyCase{"llama", {"rope_scaling=null"}},
        FamilyCase{"mistral", {"sliding_window=9", "sliding_window=null"}},
        FamilyCase{"qwen2", {"_biases=false", "max_window_layers=1"}},
        FamilyCase{"qwen3", {"_head_norms=false"}}, FamilyCase{"smollm", {"rope_theta=700"}},
        FamilyCase{"linear", {"rope_scaling=null"}},
        FamilyCase{"dynamic", {"rope_scaling=null"}, {"model.max_position_embeddings=40"}},
        FamilyCase{"yarn",
                   {R"(rope_scaling={"rope_type": "linear", "factor": 4.0})",
                    R"(rope_scaling={"rope_type": "yarn", "factor": 4.0, "beta_fast": 8.0,
                        "original_max_position_embeddings": 32, "attention_factor": 1.0})"}},
        FamilyCase{"phi3", {"sliding_window=9", "partial_rotary_factor=1.0"}},
        FamilyCase{"longrope",
                   {"rope_scaling=null", "max_position_embeddings=128",
                    "original_max_position_embeddings=20"},
                   {"model.max_position_embeddings=40"}},
        FamilyCase{"olmo2", {"_head_norms=false"}},
        FamilyCase{"olmo3",
                   {"sliding_window=9", "_head_norms=false", "rope_scaling=null",
                    R"(layer_types=["sliding_attention", "sliding_attention", "full_attention",
                        "sliding_attention"])"}},
        FamilyCase{"gpt_neox",
                   {"rotary_pct=0.25", "use_parallel_residual=false", R"(hidden_act="gelu_new")"}},
        FamilyCase{"gemma2",
                   {"attn_logit_softcapping=null", "final_logit_softcapping=null",
                    "query_pre_attn_scalar=16", "sliding_window=9", "_scaled_embedding=false"}},
        FamilyCase{"gemma3",
                   {"rope_local_base_freq=500.0", "sliding_window_pattern=2", "rope_scaling=null",
                    "_head_norms=false"}},
        FamilyCase{"mixtral", {"num_experts_per_tok=3"}, {}, true},
        FamilyCase{"qwen2_moe", {"_shared_experts=false", "norm_topk_prob=true"}, {}, true},
        FamilyCase{"qwen3_moe", {"norm_topk_prob=false"}, {}, true},
        FamilyCase{"olmoe", {"norm_topk_prob=true", "_head_norms=false"}, {}, true},
        FamilyCase{"deepseek", {"_shared_experts=false", "norm_topk_prob=true"}, {}, true},
        FamilyCase{"dots1",
                   {"_choice_bias=false", "routed_scaling_factor=1.0", "norm_topk_prob=false",
                    "_head_norms=false", "sliding_window=9"},
                   {},
                   true},
        FamilyCase{"grouped", {"_groups=false", "topk_group=2", "_choice_bias=false"}, {}, true},
        FamilyCase{"glm4_moe",
                   {"_choice_bias=false", "_biases=false", "_head_norms=false",
                    "partial_rotary_factor=1.0", "_shared_experts=false"},
                   {},
                   true},
        FamilyCase{"deepseek_v2",
                   {"_interleaved=false", "_latent_norms=false", "_shared_experts=false",
                    "norm_topk_prob=true", "routed_scaling_factor=1.0",
                    R"(rope_scaling={"type": "yarn", "factor": 4.0, "beta_fast": 8.0, "mscale": 0.5,
                        "mscale_all_dim": 0.5, "original_max_position_embeddings": 16})"},
                   {},
                   true},
        FamilyCase{"grouped_v2", {"_groups=false", R"(topk_method="greedy")"}, {}, true},
        FamilyCase{"deepseek_v3",
                   {"_interleaved=false", "_latent_norms=false", "_choice_bias=false",
                    "_groups=false", "_shared_experts=false", "routed_scaling_factor=1.0",
                    R"(rope_scaling={"type": "yarn", "factor": 4.0, "beta_fast": 8.0, "mscale": 0.9,
                        "mscale_all_dim": 0.9, "original_max_position_embeddings": 16})",
                    R"(rope_scaling={"type": "yarn", "factor": 4.0, "beta_fast": 8.0,
                        "original_max_position_embeddings": 16})"},
                   {},
                   true}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace megascale
