#ifndef MEGASCALE_TRAIN_START_POINT_H_
#define MEGASCALE_TRAIN_START_POINT_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "megascale/checkpoint/open.h"
#include "megascale/config/load.h"

// The checkpoint that a run starts from, and what it fixes. A checkpoint is the authority on its
// model: a configuration may leave keys of [model] out, but may not contradict them.
namespace megascale::train {

// Returns the directory of a run's checkpoints: checkpoint.dir, or RUN_DIR/checkpoints if that is
// empty.
[[nodiscard]] std::filesystem::path checkpoint_directory(const Config& config);

struct StartPoint {
  checkpoint::Opened opened;
  // true: the run begins anew with these weights (checkpoint.start); false: it goes on with the
  // whole state.
  bool weights_only = false;
};
using OnMessage = std::function<void(const std::string&)>;
// Opens the checkpoint that a run starts from: the newest good one of the run's own directory, with
// its whole state. If that holds none, it is the one that checkpoint.load names, which must then be
// good. Digests are compared when it is read (Check::on_read). `accept` may refuse a checkpoint. Returns
// nothing if the directory is empty and checkpoint.load is not set. Reports every skipped checkpoint to
// `on_message`. Throws the errors of checkpoint::open_newest() and open_path().
[[nodiscard]] std::optional<StartPoint> open_start_point(const Config& config,
                                                         const OnMessage& on_message,
                                                         const checkpoint::Accept& accept = {});

// Returns the configuration of the run that saved the checkpoint. Throws Error (bad_input), also if
// the tensors are not those of its model: then a plan of it could exhaust the memory.
[[nodiscard]] Config config_of(const checkpoint::Opened& opened);

// Throws Error (bad_usage) if `config` describes another model than the checkpoint. The message
// lists the keys with both values. `places` says where the values of `config` come from.
void require_same_model(const Config& config, const ConfigPlaces& places,
                        const checkpoint::Opened& opened);

// Checks that the run goes on as it was: the same model, data, batch, learning rates and optimizer,
// except for what checkpoint.allow_changes names. Of a checkpoint of step 0, or one of which only
// the weights are taken, only model and tokenizer count; the latter may also add adapters. `data_digest` is the content_digest() of
// the training data, `tokenizer` its tokenizer, if that is known. Returns a note for each allowed change. Throws Error (bad_usage) that lists all
// other changes with both values, and says what to do.
[[nodiscard]] std::vector<std::string> require_same_run(
    const Config& config, const ConfigPlaces& places, const StartPoint& start,
    const std::string& data_digest, const std::optional<checkpoint::TokenizerRecord>& tokenizer);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_START_POINT_H_
