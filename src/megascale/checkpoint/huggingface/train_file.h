#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_TRAIN_FILE_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_TRAIN_FILE_H_

#include <filesystem>
#include <string>

#include "megascale/config/config.h"

namespace megascale::checkpoint::huggingface {

// Returns a configuration, as TOML, that trains from the weights of an imported model: its shape and
// tokenizer, and defaults for a short training with a small learning rate. Only data.data_path is
// left for the user. `config` is Imported::config; `checkpoints` is the directory that the import
// wrote to. The run directory is "tuned" beside it.
[[nodiscard]] std::string train_file(const Config& config,
                                     const std::filesystem::path& checkpoints);

struct WrittenTrainFile {
  std::filesystem::path path;
  std::filesystem::path
      former;  // the name that a file with other content got; empty: there was none
};
// Writes train_file() to `checkpoints`. A file of that name with other content, which the user may
// have edited, is kept as "train.toml.1", ".2", ... Throws Error (io).
WrittenTrainFile write_train_file(const Config& config, const std::filesystem::path& checkpoints);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_TRAIN_FILE_H_
