#ifndef MEGASCALE_CLI_MODEL_ARGUMENTS_H_
#define MEGASCALE_CLI_MODEL_ARGUMENTS_H_

#include <memory>
#include <optional>

#include "megascale/checkpoint/tokenizer_record.h"
#include "megascale/cli/command.h"
#include "megascale/data/dataset.h"
#include "megascale/engine/inference.h"

namespace megascale::cli {

// The arguments --checkpoint and --set of the commands that use a trained model.
struct ModelArguments {
  std::filesystem::path checkpoint;
  std::vector<std::string> overrides;
  // The most tokens that the key-value cache holds, for which memory is placed; 0: as many as the
  // model allows. Only for rotary positions: a table of learned positions cannot be shortened.
  std::int64_t context = 0;
  model::DecodeShape decode;  // sequences, tokens and rows of logits of a step
  // Whether --checkpoint is a positional argument CHECKPOINT instead.
  void add_to(Command& command, bool positional = false);
  // Adds --context, which is 4,096 if it is not given.
  void add_context_to(Command& command);
};

// A model with its weights, ready for inference.
struct LoadedModel {
  Config config;
  std::int64_t step = 0;                                 // step of the checkpoint
  std::filesystem::path path;                            // of the checkpoint
  std::optional<checkpoint::TokenizerRecord> tokenizer;  // that the checkpoint records
  std::unique_ptr<Dataset> data;  // the model reads from it, so it is destroyed later
  std::unique_ptr<engine::Inference> model;
};
// What a model is evaluated on: all of a data set, or a share of the sets that it was trained on. If
// both are empty, the model has no data.
struct EvaluationData {
  std::string prefix;  // of .bin and .idx
  std::optional<Split> split;
  [[nodiscard]] bool empty() const noexcept { return prefix.empty() && !split; }
};
// Opens the checkpoint and loads its weights. Throws Error.
LoadedModel load_model(const ModelArguments& arguments, const EvaluationData& data = {});

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_MODEL_ARGUMENTS_H_
