#ifndef MEGASCALE_SERVE_RANK_READER_H_
#define MEGASCALE_SERVE_RANK_READER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "megascale/serve/rank_history.h"

namespace megascale::serve {

// Reads the records of a run on a thread of its own, of low priority, when somebody asks. A job of ten
// thousand ranks has a gigabyte of them, and nobody should wait for all of it: an answer can be made
// from what is read so far. Any thread may call the functions.
class RankReader {
 public:
  // Files are looked at again if the last look began so long ago.
  static constexpr std::chrono::milliseconds kRefresh{300};
  static constexpr std::chrono::milliseconds kForever = std::chrono::hours(24), kMostForNews{100};

  // `works` must outlive it.
  RankReader(RunDirectory run, const JobWorks& works);
  RankReader(const RankReader&) = delete;
  RankReader& operator=(const RankReader&) = delete;
  ~RankReader();  // waits until the thread has ended: it stops after the ring or row that it reads

  // Begins to read what is new, and returns at once.
  void begin();
  // How much of the first look at all rings is done.
  struct Progress {
    std::size_t read = 0, all = 0;  // rings
    bool is_complete = false;       // also the stored steps
  };
  using Visit = std::function<void(const RankHistory& ranks, const Progress& progress)>;
  // Calls `visit` once all that was recorded before the call is read, give or take kRefresh, or once
  // `patience` is over. After the first look that is kMostForNews: old numbers at once are worth more than
  // new ones later. With kForever it waits for the new ones. The thread waits meanwhile, as do other callers.
  void visit(std::chrono::milliseconds patience, const Visit& visit);

 private:
  void follow();
  void look();
  void read_stored(std::size_t ranks);
  [[nodiscard]] bool is_fresh() const;
  RunDirectory run_;
  const JobWorks* works_;
  std::mutex mutex_;  // guards all that follows, but for follower_
  std::condition_variable changed_;
  RankHistory history_;
  Progress progress_;
  bool asked_ = false, stops_ = false;
  std::chrono::steady_clock::time_point look_began_;  // of the last look that has ended
  RingFollower follower_;                             // of the thread
  bool is_first_ = true;                              // of the thread: it has not ended a look yet
  std::thread thread_;
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RANK_READER_H_
