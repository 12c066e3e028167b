// The shipped configurations of published models have the published numbers of parameters.
#include <gtest/gtest.h>

#include "megascale/config/load.h"
#include "megascale/model/gpt.h"

namespace megascale::model {
namespace {

struct Published {
  const char* name;
  const char* config;
  std::int64_t parameters;
};

class PublishedShapesTest : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedShapesTest, ParametersAreThePublishedNumber) {
  const std::filesystem::path file =
      std::filesystem::path(MEGASCALE_SOURCE_DIR) / "configs" / GetParam().config;
  const Config config = load_config(file);
  EXPECT_TRUE(validate(config).empty());
  const graph::Program program = build_gpt(config, {.mode = Mode::evaluate});
  std::int64_t parameters = 0;
  for (const graph::Parameter& parameter : program.parameters) {
    graph::Shape shape = program.tensor(parameter.tensor).shape;
    if (parameter.logical_rows != 0) shape[0] = graph::Dim(parameter.logical_rows);
    parameters += graph::numel(shape);
  }
  EXPECT_EQ(parameters, GetParam().parameters);
}

// Sources: the model cards, and the sizes of the weights, of the publishers.
INSTANTIATE_TEST_SUITE_P(
    All, PublishedShapesTest,
    ::testing::Values(Published{"Llama", "llama3.1-8b.toml", 8'030'261'248},
                      Published{"Mistral", "mistral-7b.toml", 7'241'732'096},
                      Published{"Qwen2", "qwen2.5-7b.toml", 7'615'616'512},
                      Published{"Qwen3", "qwen3-8b.toml", 8'190'735'360},
                      Published{"Qwen2Moe", "qwen1.5-moe-a2.7b.toml", 14'315'784'192},
                      Published{"SmolLm2", "smollm2-135m.toml", 134'515'008},
                      Published{"Phi3", "phi-3-mini.toml", 3'821'079'552},
                      Published{"Olmo2", "olmo2-1b.toml", 1'484'916'736},
                      Published{"Olmo3", "olmo3-7b.toml", 7'298'011'136},
                      Published{"Pythia", "pythia-1.4b.toml", 1'414'647'808},
                      Published{"Gemma2", "gemma2-2b.toml", 2'614'341'888},
                      Published{"Gemma3", "gemma3-1b.toml", 999'885'952},
                      Published{"Olmoe", "olmoe-1b-7b.toml", 6'919'161'856},
                      Published{"DeepSeekMoe", "deepseek-moe-16b.toml", 16'375'728'128},
                      Published{"DeepSeekV2Lite", "deepseek-v2-lite.toml", 15'706'484'224},
                      Published{"DeepSeekV2", "deepseek-v2.toml", 235'741'434'880},
                      Published{"DeepSeekV3", "deepseek-v3.toml", 671'026'419'200}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace megascale::model
