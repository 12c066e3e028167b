// Rank 0 alone reads and checks the whole checkpoint. The other ranks check what they read from it.
#include "megascale/train/agree_on_start.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "megascale/data/tokenizer_files.h"
#include "megascale/train/checkpointing.h"
#include "megascale/train/memory_copies.h"

namespace megascale::train {
namespace {

TensorNames all_names(const job::JobPlan& job) {
  TensorNames names;
  for (const job::StagePlan& stage : job.stages) names.merge(tensor_names(stage.state));
  return names;
}

// If the tokenizer's files cannot be read, the next checkpoints get those that the checkpoint has.
void take_kept_tokenizer(AgreedStart& start, const JobParts& parts) {
  const std::string& note = parts.tokenizer.note;
  if (note.empty()) return;
  auto& ours = start.tokenizer;
  if (start.point && start.point->opened.state().tokenizer) {
    const auto& theirs = *start.point->opened.state().tokenizer;
    const std::filesystem::path path = start.point->opened.path();
    if (!theirs.files.empty() && (!ours || ours->fingerprint == theirs.fingerprint)) {
      ours = open_recorded_tokenizer((path / theirs.name).string()).record;
      parts.options->on_message(fmt::format("{}; those of {} are kept", note, path.string()));
      return;
    }
  }
  parts.options->on_message(note + "; checkpoints will lack them");
}

void check_start(const StartPoint& start, const JobParts& parts,
                 const std::optional<checkpoint::TokenizerRecord>& tokenizer) {
  static const ConfigPlaces kUnknown;
  const TrainOptions& options = *parts.options;
  const auto notes =
      require_same_run(*parts.config, options.places != nullptr ? *options.places : kUnknown, start,
                       parts.data_digest, tokenizer);
  require_known_tensors(start.opened, all_names(*parts.job));
  for (const std::string& note : notes) options.on_message(note);
  if (start.opened.state().healthy()) return;
  options.on_message(fmt::format(
      "note: {} was saved after {} steps in a row without an update: its run had diverged",
      start.opened.path().string(), start.opened.state().skipped_in_a_row));
}

// Returns the newest copy in memory if it is newer than the newest checkpoint on the disk, judged by
// the names there: then the disk is not read at all.
std::optional<StartPoint> find_start(const Config& config, const std::filesystem::path& copies,
                                     const OnMessage& on_message) {
  auto copy = open_newest_copy(copies, on_message);
  const auto on_disk = checkpoint::list(checkpoint_directory(config)).checkpoints;
  if (copy && (on_disk.empty() || copy->state().step > on_disk.front().step))
    return StartPoint{.opened = std::move(*copy)};
  std::optional<StartPoint> start;
  try {
    start = open_start_point(config, on_message);
  } catch (const Error& error) {
    if (!copy || error.code() == ErrorCode::unsupported) throw;
    on_message("checkpoints on the disk passed over: " + error.message());
  }
  // The newest one on the disk may have been passed over.
  if (copy && (!start || start->weights_only || copy->state().step > start->opened.state().step))
    return StartPoint{.opened = std::move(*copy)};
  return start;
}

}  // namespace

AgreedStart agree_on_start(const JobParts& parts, comm::Coordination& coordination,
                           const std::function<std::filesystem::path()>& take_directory) {
  // Messages: empty (no checkpoint), or one of these words and the path.
  constexpr std::string_view kResume = "resume ", kWeights = "weights ";
  AgreedStart start{.point = std::nullopt, .tokenizer = parts.tokenizer.record};
  std::string message;
  if (coordination.rank() == 0) {
    try {
      const std::filesystem::path copies = take_directory();
      start.point = find_start(*parts.config, copies, parts.options->on_message);
      take_kept_tokenizer(start, parts);
      if (start.point) {
        check_start(*start.point, parts, start.tokenizer);
        message = std::string(start.point->weights_only ? kWeights : kResume)
                      .append(start.point->opened.path().string());
      }
    } catch (const Error& error) {
      coordination.abort(error);
      throw;
    }
  }
  message = coordination.broadcast(message, "which checkpoint to go on from");
  if (coordination.rank() == 0 || message.empty()) return start;
  const bool weights_only = message.starts_with(kWeights);
  start.point = StartPoint{
      .opened = checkpoint::Opened(message.substr((weights_only ? kWeights : kResume).size()),
                                   checkpoint::Check::on_read),
      .weights_only = weights_only};
  return start;
}

}  // namespace megascale::train
