#ifndef MEGASCALE_CLI_MODEL_ARGUMENTS_H_
#define MEGASCALE_CLI_MODEL_ARGUMENTS_H_

#include <memory>

#include "megascale/cli/command.h"
#include "megascale/data/dataset.h"
#include "megascale/engine/inference.h"

namespace megascale::cli {

// --checkpoint DIR and --set, and the model that they name.
struct ModelArguments {
  std::filesystem::path checkpoint;
  std::vector<std::string> overrides;
  void add_to(Command& command);
};

struct LoadedModel {
  Config config;
  std::int64_t step = 0;
  std::unique_ptr<Dataset> data;  // before the model, which reads from it
  std::unique_ptr<engine::Inference> model;
};
// `data_path` empty: no data. Throws Error.
LoadedModel load_model(const ModelArguments& arguments, const std::string& data_path = {});

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_MODEL_ARGUMENTS_H_
