#ifndef MEGASCALE_TRAIN_AGREE_ON_START_H_
#define MEGASCALE_TRAIN_AGREE_ON_START_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "megascale/comm/coordination.h"
#include "megascale/train/host_layout.h"
#include "megascale/train/rank_trainer.h"
#include "megascale/train/start_point.h"

namespace megascale::train {

// Where this run may start from, as the owner of its directory knows it.
struct OwnedPlaces {
  std::filesystem::path copies;  // memory_directory()
  // Throws Error for a checkpoint or copy of this directory that must not be used. May be empty.
  checkpoint::Accept accept;
};

struct AgreedStart {
  std::optional<StartPoint> point;  // absent: a fresh start
  // The tokenizer for the next checkpoints: that of the data, or, if its files cannot be read, the
  // same one as the checkpoint has kept it. Absent if it is not known.
  std::optional<checkpoint::TokenizerRecord> tokenizer;
  HostLayout hosts;
  std::filesystem::path copies;  // the directory of copies on this host
};

// What agree_on_start() asks its caller to do.
struct StartCalls {
  // Rank 0 calls it once. It makes this process the owner of the run directory.
  std::function<OwnedPlaces()> take_directory;
  // Returns the files of a copy on several hosts that this rank reads.
  std::function<std::set<std::string>(const checkpoint::Manifest&)> needs;
  // Loads the state; all ranks call it together. `is_on_host`: the bytes that this rank needs are in
  // the memory of its host, and were checked. Returns, on all ranks, why the checkpoint must not be
  // used; nothing if all ranks have loaded it.
  std::function<std::optional<Error>(const StartPoint&, bool is_on_host)> load;
};

// Agrees with the other ranks on the checkpoint to start from, and loads it. `memory` is that of this
// rank's host. Rank 0 finds the checkpoint, checks that this run goes on from it, and sends its path to
// the other ranks. If it is damaged, they try the next older one. A copy in memory counts as a
// checkpoint if it is newer than all others. If the ranks are on several hosts, the copy may be on any
// of them (HostRecovery). Checkpoints that were passed over are set aside (set_aside_passed_over()).
// Throws the Error of rank 0 on all ranks.
[[nodiscard]] AgreedStart agree_on_start(const JobParts& parts, comm::Coordination& coordination,
                                         const std::filesystem::path& memory,
                                         const StartCalls& calls);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_AGREE_ON_START_H_
