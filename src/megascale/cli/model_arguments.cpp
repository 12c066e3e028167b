// Loads a model for inference from a checkpoint. The checkpoint holds its configuration, so no
// configuration file is needed.
#include "megascale/cli/model_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/config/load.h"
#include "megascale/train/checkpointing.h"
#include "megascale/train/start_point.h"

namespace megascale::cli {

void ModelArguments::add_to(Command& command, bool positional) {
  command
      .option(positional ? "CHECKPOINT" : "--checkpoint", checkpoint,
              "a checkpoint, or a directory of checkpoints: the newest intact one is used")
      .required();
  command.option("--set", overrides, "override: section.key=value (may be repeated)");
}

void ModelArguments::add_context_to(Command& command) {
  context = 4096;
  command
      .option(
          "--context", context,
          "most tokens that the model sees at once, if its positions are rotary; more need more "
          "memory")
      .positive()
      .shows_default();
}

LoadedModel load_model(const ModelArguments& arguments, const EvaluationData& data) {
  const auto report = [](const Error& error) { say("checkpoint passed over: " + error.message()); };
  const checkpoint::Opened opened = checkpoint::open_path(arguments.checkpoint, report);
  std::vector<std::string> overrides = arguments.overrides;
  if (!data.prefix.empty()) {
    // A separate validation set is read completely and in order; it is not split or shuffled.
    overrides.push_back(fmt::format("data.data_path={}", data.prefix));
    overrides.emplace_back("data.data_weights=[]");
    overrides.push_back(fmt::format("data.valid_data_path={}", data.prefix));
  }
  const LoadedConfig given =
      parse_config_on_model(opened.state().config, opened.path().string(), overrides);
  train::require_same_model(given.config, given.places, opened);
  LoadedModel loaded{.config = given.config,
                     .step = opened.state().step,
                     .path = opened.path(),
                     .tokenizer = opened.state().tokenizer,
                     .data = nullptr,
                     .model = nullptr};
  ModelConfig& model = loaded.config.model;
  // An evaluation caches no keys and values.
  const std::int64_t context = data.empty() ? arguments.context : 1;
  if (context > 0 && model.position_embedding == PositionEmbedding::rope)
    model.max_position_embeddings = std::min(model.max_position_embeddings, context);
  if (!data.empty()) {
    // One rank reads all samples of a batch, however many ranks have trained.
    loaded.config.parallel = ParallelConfig{};
    loaded.data = std::make_unique<Dataset>(
        open_dataset(loaded.config, data.split.value_or(Split::validation)));
  }
  loaded.model =
      std::make_unique<engine::Inference>(loaded.config, loaded.data.get(), arguments.decode);
  // The checkpoint may also hold the optimizer's moments, which inference does not load.
  train::require_known_tensors(opened, train::tensor_names(loaded.model->layout()));
  train::load_parts(opened, loaded.model->state());
  return loaded;
}

}  // namespace megascale::cli
