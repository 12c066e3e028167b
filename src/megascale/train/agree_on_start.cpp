// Rank 0 chooses by names, manifests and headers. Then all ranks load, and compare the digests of the
// bytes meanwhile. If some are wrong, rank 0 chooses again without that checkpoint.
#include "megascale/train/agree_on_start.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "megascale/data/tokenizer_files.h"
#include "megascale/train/checkpointing.h"
#include "megascale/train/host_recovery.h"
#include "megascale/train/memory_copies.h"
#include "megascale/train/set_aside.h"

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
  require_known_tensors(start.opened, all_names(parts.plans->full()));
  for (const std::string& note : notes) options.on_message(note);
  if (start.opened.state().healthy()) return;
  options.on_message(fmt::format(
      "note: {} was saved after {} steps in a row without an update: its run had diverged",
      start.opened.path().string(), start.opened.state().skipped_in_a_row));
}

struct FoundStart {
  std::optional<StartPoint> point;
  bool is_on_hosts = false;  // the copy that HostRecovery has found
};

// Returns the newest copy in memory if it is newer than the newest checkpoint on the disk, judged by
// the names there: then the disk is not read at all. `on_hosts` is the step of the copy that several
// hosts have together; then there are no others.
FoundStart find_start(const Config& config, const OwnedPlaces& places, bool has_hosts,
                      std::optional<std::int64_t> on_hosts, const OnMessage& on_message) {
  std::optional<checkpoint::Opened> copy;
  if (!has_hosts) copy = open_newest_copy(places.copies, on_message, places.accept);
  const std::optional<std::int64_t> step = copy ? std::optional(copy->state().step) : on_hosts;
  const auto take_copy = [&] {
    if (!copy) return FoundStart{.point = std::nullopt, .is_on_hosts = true};
    return FoundStart{.point = StartPoint{.opened = std::move(*copy)}};
  };
  const auto on_disk = checkpoint::list(checkpoint_directory(config)).checkpoints;
  if (step && (on_disk.empty() || *step > on_disk.front().step)) return take_copy();
  FoundStart found;
  try {
    found.point = open_start_point(config, on_message, places.accept);
  } catch (const Error& error) {
    if (!step || error.code() == ErrorCode::unsupported) throw;
    on_message("checkpoints on the disk passed over: " + error.message());
  }
  // The newest one on the disk may have been passed over.
  const auto& point = found.point;
  if (step && (!point || point->weights_only || *step > point->opened.state().step))
    return take_copy();
  return found;
}

// Agrees on the start, as agree_on_start() says.
class Agreement {
 public:
  Agreement(const JobParts& parts, comm::Coordination& coordination, const StartCalls& calls)
      : parts_(parts),
        coordination_(coordination),
        calls_(calls),
        leads_(coordination.rank() == 0) {
    start_.tokenizer = parts.tokenizer.record;
  }

  AgreedStart reach(const std::filesystem::path& memory) {
    if (leads_) guard([&] { places_ = calls_.take_directory(); });
    start_.hosts = find_hosts(coordination_, memory, places_.copies.filename().string());
    start_.copies = memory / start_.hosts.name;
    set_aside();
    std::optional<HostRecovery> recovery;
    if (start_.hosts.count > 1) {
      recovery.emplace(HostRecovery::Parts{.coordination = &coordination_,
                                           .hosts = &start_.hosts,
                                           .directory = start_.copies,
                                           .accept = places_.accept,
                                           .say = parts_.options->on_message});
    }
    bool is_on_hosts = choose(recovery ? recovery->step() : std::nullopt);
    if (is_on_hosts && !fetch(*recovery)) is_on_hosts = choose(std::nullopt);
    while (start_.point) {
      const auto problem = calls_.load(*start_.point, is_on_hosts);
      if (!problem) break;
      damaged_.emplace(start_.point->opened.path(), *problem);
      start_.point.reset();
      is_on_hosts = choose(std::nullopt);
    }
    finish();
    return std::move(start_);
  }

 private:
  // Rank 0 does it on the disk too; the first rank of each host for the copies there.
  void set_aside() {
    const auto most = parts_.options->load_at_most;
    if (!most || !start_.hosts.leads(coordination_.rank())) return;
    const auto checkpoints =
        leads_ ? checkpoint_directory(*parts_.config) : std::filesystem::path();
    guard([&] {
      set_aside_later(checkpoints, start_.copies, *most, [&](const std::string& message) {
        if (leads_) parts_.options->on_message(message);
      });
    });
  }
  // Makes the other ranks throw the Error too.
  template <class F>
  void guard(const F& action) {
    try {
      action();
    } catch (const Error& error) {
      coordination_.abort(error);
      throw;
    }
  }
  void check() {
    take_kept_tokenizer(start_, parts_);
    if (start_.point) check_start(*start_.point, parts_, start_.tokenizer);
  }
  // Sets the copy that the hosts have. Returns false, on all ranks, if that fails.
  bool fetch(HostRecovery& recovery) {
    try {
      start_.point = StartPoint{.opened = recovery.fetch(calls_.needs)};
    } catch (const Error& error) {  // the same on all ranks
      if (leads_) parts_.options->on_message("copies in memory passed over: " + error.message());
      return false;
    }
    if (leads_) guard([&] { check(); });
    return true;
  }
  // Sets the checkpoint that rank 0 has chosen. Returns true, on all ranks, if it is the copy that the
  // hosts have.
  bool choose(std::optional<std::int64_t> on_hosts) {
    // Messages: empty (no checkpoint), one of the first two words and the path, or the last one.
    constexpr std::string_view kResume = "resume ", kWeights = "weights ", kHosts = "hosts";
    std::string message;
    if (leads_) {
      guard([&] {
        FoundStart found = find_start(*parts_.config, without_damaged(), start_.hosts.count > 1,
                                      on_hosts, [&](const std::string& line) { say_once(line); });
        if (found.is_on_hosts) {
          message = kHosts;
          return;
        }
        start_.point = std::move(found.point);
        check();
        if (start_.point) {
          message = std::string(start_.point->weights_only ? kWeights : kResume)
                        .append(start_.point->opened.path().string());
        }
      });
    }
    message = coordination_.broadcast(message, "which checkpoint to go on from");
    if (message == kHosts) return true;
    if (leads_ || message.empty()) return false;
    const bool weights_only = message.starts_with(kWeights);
    start_.point = StartPoint{
        .opened = checkpoint::Opened(message.substr((weights_only ? kWeights : kResume).size()),
                                     checkpoint::Check::manifest),
        .weights_only = weights_only};
    return false;
  }
  // The places, with the checkpoints refused that could not be loaded.
  [[nodiscard]] OwnedPlaces without_damaged() const {
    OwnedPlaces places = places_;
    places.accept = [this](const checkpoint::Manifest& manifest,
                           const std::filesystem::path& path) {
      if (const auto found = damaged_.find(path); found != damaged_.end())
        throw Error(found->second);
      if (places_.accept) places_.accept(manifest, path);
    };
    return places;
  }
  // A second choice finds again what the first one has said.
  void say_once(const std::string& line) {
    if (said_.insert(line).second) parts_.options->on_message(line);
  }
  // No rank goes on, and is seen to, before what was passed over has lost its name.
  void finish() {
    if (leads_ && start_.point && !start_.point->weights_only) {
      guard([&] {
        set_aside_passed_over(checkpoint_directory(*parts_.config),
                              start_.point->opened.state().step, parts_.options->on_message);
      });
    }
    (void)coordination_.broadcast("", "that all ranks have loaded their state");
  }

  const JobParts& parts_;
  comm::Coordination& coordination_;
  const StartCalls& calls_;
  bool leads_;
  OwnedPlaces places_;  // on rank 0
  std::map<std::filesystem::path, Error> damaged_;
  std::set<std::string> said_;  // on rank 0
  AgreedStart start_;
};

}  // namespace

AgreedStart agree_on_start(const JobParts& parts, comm::Coordination& coordination,
                           const std::filesystem::path& memory, const StartCalls& calls) {
  return Agreement(parts, coordination, calls).reach(memory);
}

}  // namespace megascale::train
