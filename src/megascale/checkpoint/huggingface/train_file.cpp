// Writes the configuration by hand and not with to_toml(), since a file that people edit should hold
// the keys that they need and not every key.
#include "megascale/checkpoint/huggingface/train_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/config/fields.h"

namespace megascale::checkpoint::huggingface {
namespace {

// A training on short texts fits where one at a model's longest context does not.
constexpr std::int64_t kSequenceMax = 1024;

}  // namespace

std::string train_file(const Config& config, const std::filesystem::path& checkpoints) {
  const std::filesystem::path directory =
      (std::filesystem::absolute(checkpoints) / "").lexically_normal().parent_path();
  Config wanted = config;
  wanted.model.seq_length = std::min(config.model.seq_length, kSequenceMax);
  wanted.checkpoint.load = directory.string();
  wanted.checkpoint.start = CheckpointStart::weights;
  wanted.train.run_dir = (directory.parent_path() / "tuned").string();
  const auto line = [&](const char* section, const char* key) {
    return fmt::format("{} = {}\n", key, toml_value(*find_field(section, key), wanted));
  };
  std::string text =
      "# A training from the weights of an imported model. Set data_path to the prefix that\n"
      "# `megascale prepare` wrote with the tokenizer below, then: megascale train THIS_FILE\n\n"
      "[model]  # as imported: keys that are left out come from the checkpoint\n";
  for (const Field& field : config_fields()) {
    if (field.section == "model") text += line("model", std::string(field.key).c_str());
  }
  text += "\n[data]\n# data_path = \"corpora/my\"\n" + line("data", "tokenizer");
  text += "\n[train]\n" + line("train", "run_dir") +
          "train_iters = 1000\nmicro_batch_size = 1\nglobal_batch_size = 16\n"
          "eval_interval = 100\nlog_interval = 10\n";
  text += "\n[optimizer]\nlr = 2e-5\nmin_lr = 2e-6\nlr_warmup_iters = 50\n";
  text += "\n[checkpoint]\n" + line("checkpoint", "load") + line("checkpoint", "start") +
          "interval = 200\n";
  return text;
}

WrittenTrainFile write_train_file(const Config& config, const std::filesystem::path& checkpoints) {
  const std::string text = train_file(config, checkpoints);
  WrittenTrainFile written{.path = checkpoints / "train.toml"};
  if (std::filesystem::exists(written.path) && read_text(written.path) != text) {
    for (int number = 1; written.former.empty() || std::filesystem::exists(written.former);
         ++number)
      written.former = checkpoints / fmt::format("train.toml.{}", number);
    std::error_code error;
    std::filesystem::rename(written.path, written.former, error);
    if (error) {
      throw Error(ErrorCode::io, fmt::format("cannot rename {} to {}: {}", written.path.string(),
                                             written.former.string(), error.message()));
    }
  }
  write_text_atomically(written.path, text);
  return written;
}

}  // namespace megascale::checkpoint::huggingface
