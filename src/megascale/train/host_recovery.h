#ifndef MEGASCALE_TRAIN_HOST_RECOVERY_H_
#define MEGASCALE_TRAIN_HOST_RECOVERY_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "megascale/checkpoint/open.h"
#include "megascale/train/host_layout.h"

namespace megascale::train {

// Finds and completes a copy of the state that lies in the memory of several hosts (host_save.h), some
// of which may be new and have nothing. All ranks make the same calls.
class HostRecovery {
 public:
  struct Parts {
    comm::Coordination* coordination = nullptr;
    const HostLayout* hosts = nullptr;
    std::filesystem::path directory;                      // of copies, on this host
    checkpoint::Accept accept;                            // on rank 0; may be empty
    std::function<void(const std::string& message)> say;  // called on rank 0
  };
  // Looks for the newest copy of which every shard is good on some host. Reads and checks every byte
  // on each host. Throws Error if ranks are lost.
  explicit HostRecovery(Parts parts);
  // Returns its step, on all ranks; nothing if there is none.
  [[nodiscard]] std::optional<std::int64_t> step() const noexcept { return step_; }
  // Brings the shards to this host that its ranks need, and opens the copy. `needs` returns the files
  // that this rank reads. Throws the same Error on all ranks if a host that has a shard is too far from
  // one that needs it (Coordination::near), or if bytes are lost meanwhile.
  [[nodiscard]] checkpoint::Opened fetch(
      const std::function<std::set<std::string>(const checkpoint::Manifest&)>& needs);

 private:
  using Key = std::pair<std::int64_t, std::string>;  // step, generation
  [[nodiscard]] std::string survey() const;
  void choose(const std::vector<std::string>& surveys);
  [[nodiscard]] std::string schedule(const std::vector<std::string>& needs,
                                     const checkpoint::Manifest& manifest) const;
  void prepare(const std::string& manifest) const;

  Parts parts_;
  bool leads_;
  std::optional<std::int64_t> step_;
  std::string generation_;
  // On rank 0: the ranks that lead a host with a good file, by the file's number.
  std::map<std::size_t, std::vector<std::uint32_t>> holders_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_HOST_RECOVERY_H_
