#ifndef MEGASCALE_LAUNCH_RANK_ENVIRONMENT_H_
#define MEGASCALE_LAUNCH_RANK_ENVIRONMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/comm/store/address.h"
#include "megascale/comm/store/secret.h"

namespace megascale::launch {

// The environment of a rank that this process starts: that of this process, with the variables of a
// launcher (comm/bootstrap/launch_environment.h) replaced.
class RankEnvironment {
 public:
  struct Place {
    std::uint32_t rank = 0, world_size = 1;
    std::int64_t restarts = 0;                           // ranks of another number cannot join
    std::uint32_t local_rank = 0, local_world_size = 1;  // among the ranks of this host
  };
  // The place of a rank in a job that runs on this host only.
  [[nodiscard]] static Place on_one_host(std::uint32_t rank, std::uint32_t ranks) noexcept {
    return {.rank = rank, .world_size = ranks, .local_rank = rank, .local_world_size = ranks};
  }
  RankEnvironment(const Place& place, const comm::StoreAddress& store,
                  const comm::JobSecret& secret);
  // Replaces one more variable; an empty value removes it.
  void set(const char* name, std::string_view value);
  // For execve(). Valid until the next set().
  [[nodiscard]] char* const* get();

  // The name of the job within its store, which serves no other one.
  static constexpr std::string_view kJob = "local";

 private:
  std::vector<std::string> values_;
  std::vector<char*> pointers_;
};

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_RANK_ENVIRONMENT_H_
