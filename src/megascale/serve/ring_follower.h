#ifndef MEGASCALE_SERVE_RING_FOLLOWER_H_
#define MEGASCALE_SERVE_RING_FOLLOWER_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "megascale/base/run_directory.h"
#include "megascale/serve/job_works.h"
#include "megascale/serve/rank_step_entry.h"

namespace megascale::serve {

// The content of a rank's ring that an earlier look has not seen.
struct RingNews {
  std::uint32_t rank = 0;
  std::uint32_t process_id = 0;
  bool is_new_process = false;  // the numbers of the process before it may have been lost with it
  std::string host;             // "" if the ring does not name it
  std::string problem;          // why its records cannot be used; "" if they can
  std::vector<std::pair<std::int64_t, RankStepEntry>> steps;  // ascending
  std::int64_t newest = -1;  // the last step that the ring holds completely, news or not; -1: none
};

// Follows the record rings of a run, and reduces every new step of a rank to a few numbers. A ring holds
// the last steps only, so steps are lost if looks are too rare. One thread at a time may use it.
class RingFollower {
 public:
  // `works` must outlive it. `only_host`: rings of other hosts have no news, and their steps are not reduced;
  // "": all hosts. A ring of another host is opened again after 2, 4, 8 and so on looks, at most kMostPause: a rank
  // may move to this host, but thousands of files of others must not be read at each look.
  RingFollower(RunDirectory run, const JobWorks& works, std::string only_host = "")
      : run_(std::move(run)), works_(&works), only_host_(std::move(only_host)) {}
  static constexpr std::uint32_t kMostPause = 256;
  // Lists the rings that exist now: the ranks, ascending. Call it before each round of looks. The names are
  // read again only if the time of their folder has changed. Two changes may have the same time: so they are
  // also read for kTick after a change was seen, and at every one of kLooksPerList calls, since some file
  // systems count seconds.
  [[nodiscard]] const std::vector<std::uint32_t>& list();
  static constexpr std::uint32_t kLooksPerList = 16;
  static constexpr std::chrono::milliseconds kTick{20};
  // Looks at one of them. Returns nothing if there is nothing new.
  // `known`: steps of the rank whose numbers are stored. At the first look, records are not read as far as
  // the ring's steps are these, which their times tell.
  [[nodiscard]] std::optional<RingNews> look(
      std::uint32_t rank, const std::map<std::int64_t, RankStepEntry>* known = nullptr);

 private:
  struct Seen {
    std::uint32_t process_id = 0;
    std::int64_t steps_done = -1;  // RingHead::steps_done
    std::int64_t newest = -1;      // the last step that was handed out
    bool is_elsewhere = false;     // the process is on another host than only_host_
    // Of a ring elsewhere: looks until it is opened again, and as many as were left out before.
    std::uint32_t left_out = 0, pause = 1;
  };
  void read(Seen& seen, RingNews& news) const;
  [[nodiscard]] std::span<const std::int64_t> kept(std::uint32_t rank) const;
  RunDirectory run_;
  const JobWorks* works_;
  std::string only_host_;
  std::map<std::uint32_t, Seen> seen_;
  std::vector<std::uint32_t> rings_;  // as listed
  std::map<std::uint32_t, std::vector<std::int64_t>>
      kept_;                                         // steps in files of their own, as listed
  std::filesystem::file_time_type folder_time_{};    // before they were listed
  std::chrono::steady_clock::time_point time_seen_;  // when it was first seen
  bool is_settled_ = false;                          // listed after its tick was over
  std::uint32_t looks_ = 0;                          // since they were listed
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RING_FOLLOWER_H_
