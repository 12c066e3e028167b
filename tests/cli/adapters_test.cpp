// Adapters (LoRA) through the binary: trained, evaluated, merged, and as files of PEFT out and in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workspace.h"
#include "support/shell.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kGpt2{};
const std::vector<std::string> kLlama{"model.type=llama", "model.num_query_groups=1",
                                      "model.ffn_hidden_size=48"};
const std::vector<std::string> kMixtral{"model.type=mixtral", "model.ffn_hidden_size=48",
                                        "moe.num_experts=4"};
const std::vector<std::string> kQwen2Moe{
    "model.type=qwen2_moe",       "model.ffn_hidden_size=48",
    "moe.num_experts=4",          "moe.ffn_hidden_size=24",
    "moe.first_dense_layers=1",   "moe.shared_expert_intermediate_size=40",
    "moe.shared_expert_gate=true"};

class AdaptersTest : public ::testing::Test {
 protected:
  void train(const char* run, std::vector<std::string> set, const std::vector<std::string>& more) {
    set.insert(set.end(), more.begin(), more.end());
    const Finished done = space.train(run, set);
    ASSERT_EQ(done.exit_code, 0) << done;
  }
  [[nodiscard]] std::string checkpoints(const char* run) const {
    return (space / run / "checkpoints").string();
  }
  [[nodiscard]] double loss_of(const std::string& checkpoint) const {
    const Finished done =
        megascale({"eval", "--checkpoint", checkpoint, "--data", space.corpus(), "--set",
                   "train.micro_batch_size=2", "--set", "train.global_batch_size=4", "--json"});
    EXPECT_EQ(done.exit_code, 0) << done;
    return done.json().at("loss");
  }
  void run(const std::vector<std::string>& arguments) const {
    const Finished done = megascale(arguments);
    ASSERT_EQ(done.exit_code, 0) << done;
  }
  [[nodiscard]] static int python(const std::string& arguments) {
    return run_in_shell("/usr/bin/python3 " MEGASCALE_SOURCE_DIR "/tests/cli/peft_adapters.py " +
                        arguments);
  }
  [[nodiscard]] std::string path(const char* name) const { return (space / name).string(); }

  const Workspace space;
};

// Goal: what is trained is what is evaluated, merged, and read by PEFT.
TEST_F(AdaptersTest, AreTrainedMergedAndWrittenAsPeft) {
  for (const auto& [family, model] :
       {std::pair("gpt2", kGpt2), std::pair("llama", kLlama), std::pair("mixtral", kMixtral),
        std::pair("qwen2_moe", kQwen2Moe)}) {
    SCOPED_TRACE(family);
    const auto of = [&](const char* name) { return std::string(family) + "-" + name; };
    const std::string base = of("base"), tuned = of("tuned");
    train(base.c_str(), model, {"train.train_iters=4"});
    train(tuned.c_str(), {},
          {"checkpoint.load=" + checkpoints(base.c_str()), "checkpoint.start=weights",
           "lora.rank=4", "lora.alpha=6", "optimizer.lr=0.02", "train.train_iters=40",
           "model.type=" + std::string(family), "data.split=1,0,0"});
    EXPECT_LT(loss_of(checkpoints(tuned.c_str())), loss_of(checkpoints(base.c_str())) - 0.2);
    run({"generate", "--checkpoint", checkpoints(tuned.c_str()), "--prompt", "the king ",
         "--max-tokens", "4"});
    const std::string whole = path(of("whole").c_str()), peft = path(of("peft").c_str()),
                      merged = path(of("merged").c_str());
    run({"checkpoint", "export", checkpoints(base.c_str()), whole});
    run({"checkpoint", "export", checkpoints(tuned.c_str()), merged});
    run({"checkpoint", "export", checkpoints(tuned.c_str()), peft, "--adapters"});
    EXPECT_EQ(python("check " + whole + " " + peft + " " + merged), 0);
    // Back in: the same tensors, and the same function as the merged model.
    const std::string back = path(of("back").c_str()), plain = path(of("plain").c_str());
    run({"checkpoint", "import", whole, back, "--adapters", peft});
    run({"checkpoint", "import", merged, plain});
    EXPECT_EQ(loss_of(back), loss_of(checkpoints(tuned.c_str())));
    EXPECT_NEAR(loss_of(plain), loss_of(back), 1e-5);
    // It can be trained on.
    train(of("more").c_str(), {},
          {"checkpoint.load=" + back, "checkpoint.start=weights",
           "model.type=" + std::string(family), "train.train_iters=2"});
  }
}

// Goal: adapters that PEFT has made for some of the projections become ours without a change of the model.
TEST_F(AdaptersTest, OfPeftAreTakenForSomeProjections) {
  train("base", kLlama, {"train.train_iters=2"});
  run({"checkpoint", "export", checkpoints("base"), path("whole")});
  ASSERT_EQ(python("make " + path("whole") + " " + path("theirs") + " 3 5 q_proj v_proj down_proj"),
            0);
  run({"checkpoint", "import", path("whole"), path("ours"), "--adapters", path("theirs")});
  run({"checkpoint", "export", path("ours"), path("merged")});
  EXPECT_EQ(python("check " + path("whole") + " " + path("theirs") + " " + path("merged")), 0);
  const Finished inspected = megascale({"checkpoint", "inspect", path("ours"), "--json"});
  const auto tensors = inspected.json().at("tensors");
  EXPECT_EQ(tensors.at("layers.0.attention.qkv.lora_A.weight").at("shape"),
            nlohmann::json::array({6, 32}));
  EXPECT_FALSE(tensors.contains("layers.0.attention.output.lora_A.weight"));
}

// Goal: each expert gets the adapter of its own module; the third matrix, without one, stays as it is.
TEST_F(AdaptersTest, OfPeftAreTakenForExperts) {
  train("base", kMixtral, {"train.train_iters=2"});
  run({"checkpoint", "export", checkpoints("base"), path("whole")});
  ASSERT_EQ(python("make " + path("whole") + " " + path("theirs") + " 3 5 q_proj w1 w2"), 0);
  run({"checkpoint", "import", path("whole"), path("ours"), "--adapters", path("theirs")});
  run({"checkpoint", "export", path("ours"), path("merged")});
  EXPECT_EQ(python("check " + path("whole") + " " + path("theirs") + " " + path("merged")), 0);

  ASSERT_EQ(python("make " + path("whole") + " " + path("one") + " 3 5 experts.2.w1"), 0);
  const Finished refused = megascale(
      {"checkpoint", "import", path("whole"), path("refused"), "--adapters", path("one")});
  EXPECT_NE(refused.exit_code, 0) << refused;
  EXPECT_THAT(refused.err, HasSubstr("expected an adapter of "
                                     "\"layers.0.block_sparse_moe.experts.0.w1\""));
}

TEST_F(AdaptersTest, ThatDoNotFitAreRefused) {
  train("base", kLlama, {"train.train_iters=2"});
  train("other", kLlama, {"train.train_iters=2", "model.hidden_size=16"});
  run({"checkpoint", "export", checkpoints("base"), path("whole")});
  run({"checkpoint", "export", checkpoints("other"), path("narrow")});
  const auto refusal = [&](const std::string& adapters) {
    const Finished done =
        megascale({"checkpoint", "import", path("whole"), path("refused"), "--adapters", adapters});
    EXPECT_NE(done.exit_code, 0) << done;
    return done.err;
  };
  ASSERT_EQ(python("make " + path("narrow") + " " + path("narrow-peft") + " 2 4 q_proj"), 0);
  EXPECT_THAT(refusal(path("narrow-peft")), HasSubstr("these adapters are of another model"));
  ASSERT_EQ(python("make " + path("whole") + " " + path("wide-peft") + " 30 4 q_proj v_proj"), 0);
  EXPECT_THAT(refusal(path("wide-peft")), HasSubstr("rank not above the smallest extent"));
  ASSERT_EQ(python("make " + path("whole") + " " + path("embedding-peft") + " 2 4 embed_tokens"),
            0);
  EXPECT_THAT(refusal(path("embedding-peft")),
              HasSubstr("expected only adapters of the linear layers"));
  const Finished none =
      megascale({"checkpoint", "export", checkpoints("base"), path("none"), "--adapters"});
  EXPECT_NE(none.exit_code, 0);
  EXPECT_THAT(none.err, HasSubstr("expected a checkpoint with adapters"));
}

}  // namespace
}  // namespace megascale::testing
