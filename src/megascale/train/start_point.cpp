// Finds the checkpoint of a run and compares the run's configuration with the one in the manifest.
// The table of config/changes.cpp says which keys count; the content of the data counts by its
// digest, since paths may change.
#include "megascale/train/start_point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/base/numbers.h"
#include "megascale/base/run_directory.h"
#include "megascale/checkpoint/layout.h"
#include "megascale/config/changes.h"
#include "megascale/config/derived.h"

namespace megascale::train {
namespace {

// Returns a line for a message: where the value comes from, the key, and both values.
std::string line_of(const ConfigChange& change, const ConfigPlaces& places) {
  const auto place = places.find(change.key);
  if (place == places.end()) {
    return fmt::format(
        "{} = {} (not given: the default, or it follows from other keys), the "
        "checkpoint has {}",
        change.key, change.now, change.before);
  }
  return fmt::format("{}: {} = {}, the checkpoint has {}", place->second, change.key, change.now,
                     change.before);
}

bool is_of_model(const ConfigChange& change) {
  return change.kind == ChangeKind::model || change.kind == ChangeKind::adapters;
}

Error other_model(const std::vector<ConfigChange>& changes, const ConfigPlaces& places,
                  const checkpoint::Opened& opened) {
  std::string text = fmt::format("{}: expected the model of this checkpoint, found another model:",
                                 opened.path().string());
  for (const ConfigChange& change : changes) text += "\n  " + line_of(change, places);
  text +=
      "\nleave these keys out, and they come from the checkpoint; a run with another model needs "
      "another train.run_dir";
  if (changes.front().kind == ChangeKind::adapters) {
    text +=
        "; adapters can be added by a run with checkpoint.start = \"weights\" to a checkpoint that "
        "has "
        "none, and `megascale checkpoint export` merges adapters into the weights";
  }
  return {ErrorCode::bad_usage, text};
}

// Returns the number of layers that have tensors.
std::int64_t layers_in(const checkpoint::Opened& opened) {
  constexpr std::string_view kLayers = "layers.";
  std::int64_t layers = 0;
  for (const auto& [name, tensor] : opened.tensors()) {
    if (!name.starts_with(kLayers)) continue;
    const std::string_view rest = std::string_view(name).substr(kLayers.size());
    if (const auto layer = parse_number<std::int64_t>(rest.substr(0, rest.find('.'))))
      layers = std::max(layers, *layer + 1);
  }
  return layers;
}

// Checks the configuration of a checkpoint against its tensors, as far as a wrong number would make
// plans too large for any memory.
void require_plausible(const ModelConfig& model, const checkpoint::Opened& opened) {
  const std::int64_t layers = layers_in(opened);
  if (layers != model.num_layers) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected tensors of {} layers, as its configuration says, found "
                            "those of {}",
                            opened.path().string(), model.num_layers, layers));
  }
  const auto& shape = opened.tensor("embedding.word.weight").shape;
  const checkpoint::Extents expected{model.vocab_size, model.hidden_size};
  if (shape == expected) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: expected embedding.word.weight to be {}, as its configuration says, "
                          "found {}",
                          opened.path().string(), checkpoint::to_string(expected),
                          checkpoint::to_string(shape)));
}

// Returns the changes that only another run may have: those of the model, and of its adapters. `adds_adapters`:
// the run may have adapters if the checkpoint has none.
std::vector<ConfigChange> changes_of_model(const Config& config, const checkpoint::Opened& opened,
                                           bool adds_adapters) {
  const Config before = config_of(opened);
  const bool may_add = adds_adapters && !has_adapters(before.model);
  std::vector<ConfigChange> changes = find_changes(config, before);
  std::erase_if(changes, [&](const ConfigChange& change) {
    return !is_of_model(change) || (may_add && change.kind == ChangeKind::adapters);
  });
  return changes;
}

// The changes of a run since its checkpoint: those that are allowed, and those that are not.
class Changes {
 public:
  explicit Changes(const std::vector<std::string>& allowed) : allowed_(allowed) {}
  void add(ChangeKind kind, const std::string& line) {
    const std::string name(to_string(kind));
    if (contains(allowed_, name)) {
      notes_.push_back(fmt::format("allowed change of {}: {}", name, line));
      return;
    }
    refused_.push_back(fmt::format("{} ({})", line, name));
    if (!contains(kinds_, name)) kinds_.push_back(name);
  }
  // Throws Error (bad_usage) if a change is not allowed.
  void refuse(const StartPoint& start) const {
    if (refused_.empty()) return;
    const std::string path = start.opened.path().string();
    std::string advice = fmt::format("if they are meant, add --set checkpoint.allow_changes={}",
                                     fmt::join(kinds_, ","));
    if (contains(kinds_, std::string(to_string(ChangeKind::tokenizer))))
      advice += "; or prepare the data with the checkpoint's tokenizer";
    if (!start.weights_only) {
      advice += fmt::format(
          "; to begin anew with these weights, give another train.run_dir with checkpoint.load = "
          "\"{}\" and checkpoint.start = \"weights\"",
          path);
    }
    throw Error(ErrorCode::bad_usage,
                fmt::format("{}: expected the run to go on as before, found changes:\n  {}\n{}",
                            path, fmt::join(refused_, "\n  "), advice));
  }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  const std::vector<std::string>& allowed_;
  std::vector<std::string> notes_, refused_, kinds_;  // kinds: of the refused changes
};

}  // namespace

std::filesystem::path checkpoint_directory(const Config& config) {
  return config.checkpoint.dir.empty() ? RunDirectory(config.train.run_dir).checkpoints()
                                       : std::filesystem::path(config.checkpoint.dir);
}

std::optional<StartPoint> open_start_point(const Config& config, const OnMessage& on_message,
                                           const checkpoint::Accept& accept) {
  constexpr auto kCheck = checkpoint::Check::on_read;
  const auto report = [&](const Error& error) {
    on_message("checkpoint passed over: " + error.message());
  };
  if (auto own = checkpoint::open_newest(checkpoint_directory(config), report, kCheck, accept))
    return StartPoint{.opened = std::move(*own)};
  if (config.checkpoint.load.empty()) return std::nullopt;
  return StartPoint{.opened = checkpoint::open_path(config.checkpoint.load, report, kCheck, accept),
                    .weights_only = config.checkpoint.start == CheckpointStart::weights};
}

Config config_of(const checkpoint::Opened& opened) {
  LoadedConfig loaded;
  try {
    loaded =
        read_values(opened.state().config, (opened.path() / checkpoint::kManifestName).string());
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}; while reading the configuration in the checkpoint: it was written "
                            "by another version of this program, or changed",
                            error.message()));
  }
  // Version 0.1 had no such key and split several sets as one.
  if (!loaded.places.contains("data.split_each_set")) loaded.config.data.split_each_set = false;
  require_plausible(loaded.config.model, opened);
  return std::move(loaded.config);
}

void require_same_model(const Config& config, const ConfigPlaces& places,
                        const checkpoint::Opened& opened) {
  const auto changes = changes_of_model(config, opened, /*adds_adapters=*/false);
  if (!changes.empty()) throw other_model(changes, places, opened);
}

std::vector<std::string> require_same_run(
    const Config& config, const ConfigPlaces& places, const StartPoint& start,
    const std::string& data_digest, const std::optional<checkpoint::TokenizerRecord>& tokenizer) {
  const checkpoint::RunState& state = start.opened.state();
  const auto of_model = changes_of_model(config, start.opened, start.weights_only);
  if (!of_model.empty()) throw other_model(of_model, places, start.opened);
  Changes changes(config.checkpoint.allow_changes);
  if (state.tokenizer && tokenizer && state.tokenizer->fingerprint != tokenizer->fingerprint) {
    changes.add(ChangeKind::tokenizer,
                fmt::format("the data has ids of the tokenizer {}, the checkpoint has learnt those "
                            "of {}",
                            describe(*tokenizer), describe(*state.tokenizer)));
  }
  if (!start.weights_only && state.step > 0) {
    for (const ConfigChange& change : find_changes(config, config_of(start.opened)))
      changes.add(change.kind, line_of(change, places));
    if (!state.data_digest.empty() && state.data_digest != data_digest) {
      changes.add(
          ChangeKind::data,
          fmt::format("the content of data.data_path = {} has the digest {}, the checkpoint has {}",
                      config.data.data_path, data_digest, state.data_digest));
    }
  }
  changes.refuse(start);
  return changes.notes();
}

}  // namespace megascale::train
