// Every step of a save ends with an exchange of messages (agreement.h).
#include "megascale/train/joint_save.h"

#include <fmt/format.h>

#include <utility>

#include "megascale/base/clock.h"
#include "megascale/train/agreement.h"
#include "megascale/train/finite_state.h"
#include "megascale/train/host_save.h"

namespace megascale::train {
namespace {

// One save, on one rank.
class Saving {
 public:
  Saving(comm::Coordination& coordination, const JointSave& save, const checkpoint::RunState& state)
      : coordination_(coordination),
        save_(save),
        state_(state),
        options_(save_options(coordination, save)),
        about_(fmt::format("saving the checkpoint of step {}", state.step)),
        leads_(coordination.rank() == 0) {}

  JointSaveReport run(std::span<const checkpoint::Piece> pieces) {
    const std::int64_t begin_ns = monotonic_ns();
    begin(pieces);
    commit(pieces);
    const std::int64_t committed_ns = monotonic_ns();
    read_back();
    joint_.written_seconds = static_cast<double>(committed_ns - begin_ns) * 1e-9;
    joint_.read_back_seconds = static_cast<double>(monotonic_ns() - committed_ns) * 1e-9;
    joint_.notes = std::move(report_.notes);
    return std::move(joint_);
  }

 private:
  // All ranks learn where the files go.
  void begin(std::span<const checkpoint::Piece> pieces) {
    std::uint64_t nbytes = 0;
    for (const checkpoint::Piece& piece : pieces) nbytes += checkpoint::piece_nbytes(piece);
    const auto sizes = coordination_.gather(std::to_string(nbytes), about_);
    std::string begun;  // "GENERATION INTERVAL PATH"
    if (leads_) {
      begun = message_of([&] {
        for (const std::string& size : sizes) joint_.nbytes += std::stoull(size);
        if (save_.require_owner) options_.epoch = save_.require_owner();
        pending_ = checkpoint::begin_save(save_.directory, state_.step, joint_.nbytes, options_);
        return fmt::format("{} {} {}", pending_.generation, save_.next_interval,
                           pending_.partial.string());
      });
    }
    begun = coordination_.broadcast(begun, about_);
    require_success({&begun, 1});
    const std::size_t first = begun.find(' '), second = begun.find(' ', first + 1);
    joint_.next_interval = std::stoll(begun.substr(first + 1, second - first - 1));
    if (leads_) return;
    pending_.partial = begun.substr(second + 1);
    pending_.directory = pending_.partial.parent_path();
    pending_.generation = begun.substr(0, first);
    pending_.step = state_.step;
  }

  void commit(std::span<const checkpoint::Piece> pieces) {
    const std::string written = message_of([&] {
      require_finite(pieces);
      shards_ = checkpoint::write_shards(pending_, pieces, options_);
      return checkpoint::to_text(shards_);
    });
    std::vector<std::string> all;
    try {
      all = coordination_.gather(written, about_);
    } catch (const Error&) {  // a rank is lost
      if (leads_) checkpoint::abandon_save(pending_, options_);
      throw;
    }
    std::string outcome;
    if (leads_) {
      outcome = message_of([&] {
        require_success(all);
        std::vector<checkpoint::ShardFile> files;
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
          for (auto& file : checkpoint::parse_shards(all[rank], fmt::format("rank {}", rank)))
            files.push_back(std::move(file));
        }
        if (save_.require_owner) options_.epoch = save_.require_owner();
        report_ = checkpoint::commit_save(pending_, state_, std::move(files), options_);
        return std::string();
      });
      if (!outcome.empty()) checkpoint::abandon_save(pending_, options_);
    }
    outcome = coordination_.broadcast(outcome, about_);
    require_success({&outcome, 1});
  }

  // If a rank is lost meanwhile, the checkpoint stays committed and nothing is removed.
  void read_back() {
    const std::string found = message_of([&] {
      checkpoint::read_back_shards(pending_, shards_, options_);
      return std::string();
    });
    const auto all = coordination_.gather(found, about_);
    std::string outcome;
    if (leads_) {
      outcome = message_of([&] {
        require_success(all);
        return std::string();
      });
      if (outcome.empty()) {
        checkpoint::finish_save(pending_, state_, options_, report_);
      } else if (const auto failed = checkpoint::withdraw_save(pending_, options_);
                 !failed.empty()) {
        outcome += "; withdrawing it failed: " + failed;
      }
    }
    outcome = coordination_.broadcast(outcome, about_);
    require_success({&outcome, 1});
  }

  comm::Coordination& coordination_;
  const JointSave& save_;
  const checkpoint::RunState& state_;
  checkpoint::SaveOptions options_;
  std::string about_;
  bool leads_;
  checkpoint::PendingSave pending_;
  std::vector<checkpoint::ShardFile> shards_;  // of this rank
  checkpoint::SaveReport report_;
  JointSaveReport joint_;
};

}  // namespace

checkpoint::SaveOptions save_options(const comm::Coordination& coordination,
                                     const JointSave& save) {
  return {.rank = coordination.rank(),
          .world_size = coordination.world_size(),
          .attempt = save.attempt,
          .keep_last = save.keep_last,
          .before_action = save.before_action,
          .pace = save.pace};
}

JointSaveReport save_together(comm::Coordination& coordination, const JointSave& save,
                              const checkpoint::RunState& state,
                              std::span<const checkpoint::Piece> pieces) {
  if (save.hosts) return save_on_hosts(coordination, save, state, pieces);
  return Saving(coordination, save, state).run(pieces);
}

}  // namespace megascale::train
