#ifndef MEGASCALE_DATA_PART_QUEUE_H_
#define MEGASCALE_DATA_PART_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace megascale {

// Runs a pipeline of three stages with several equal threads: each thread reads the next part, works
// on it, and hands over the result. Reading happens in order, one thread at a time; so does taking
// over the results. The work in between happens at the same time. The bytes that are read and not
// taken over are bounded.
template <class Part, class Work>
class PartQueue {
 public:
  struct Stages {
    // Returns the next part, or nothing at the end.
    std::function<std::optional<Part>()> read;
    std::function<Work(Part)> work;
    // Takes over the results, in the order of their parts. Returns false to end the reading.
    std::function<bool(Work)> take;
    std::function<std::size_t(const Part&)> nbytes;  // that count against the bound
  };
  PartQueue(Stages stages, std::size_t nbytes_max)
      : stages_(std::move(stages)), nbytes_max_(nbytes_max) {}

  // Works until the end, or until a stage has thrown. Every thread calls it once.
  void run() noexcept {
    try {
      while (step()) {
      }
    } catch (...) {
      const std::lock_guard lock(take_mutex_);
      if (!failure_) failure_ = std::current_exception();
      ended_ = true;
      room_.notify_all();
    }
  }
  // Throws what a stage has thrown. Call it after all threads have returned.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool step() {
    std::unique_lock reading(read_mutex_);
    {
      // A thread that waits here holds no part. Those that do take over in the end, and make room.
      std::unique_lock lock(take_mutex_);
      room_.wait(lock, [&] { return ended_ || nbytes_ < nbytes_max_; });
      if (ended_) return false;
    }
    std::optional<Part> part = stages_.read();
    if (!part) {
      end();
      return false;
    }
    const std::uint64_t number = next_++;
    const std::size_t nbytes = stages_.nbytes(*part);
    {
      const std::lock_guard lock(take_mutex_);
      nbytes_ += nbytes;
    }
    reading.unlock();
    Work work = stages_.work(std::move(*part));
    hand_over(number, {nbytes, std::move(work)});
    return true;
  }

  struct Done {
    std::size_t nbytes;
    Work work;
  };
  void hand_over(std::uint64_t number, Done done) {
    const std::lock_guard lock(take_mutex_);
    done_.emplace(number, std::move(done));
    for (auto first = done_.begin(); first != done_.end() && first->first == taken_;
         first = done_.begin()) {
      nbytes_ -= first->second.nbytes;
      if (!drops_) {
        drops_ = true;  // if take() throws
        drops_ = !stages_.take(std::move(first->second.work));
        ended_ = ended_ || drops_;
      }
      done_.erase(first);
      ++taken_;
    }
    room_.notify_all();
  }
  void end() {
    const std::lock_guard lock(take_mutex_);
    ended_ = true;
    room_.notify_all();
  }

  Stages stages_;
  std::size_t nbytes_max_;
  std::mutex read_mutex_;   // of read() and next_; locked before take_mutex_
  std::uint64_t next_ = 0;  // number of the next part
  std::mutex take_mutex_;   // of all that follows
  std::condition_variable room_;
  std::map<std::uint64_t, Done> done_;  // results whose turn has not come
  std::uint64_t taken_ = 0;             // number of results that were taken over
  std::size_t nbytes_ = 0;              // of parts that are read and not taken over
  bool ended_ = false;                  // nothing more is read
  bool drops_ = false;                  // results are dropped: take() has failed or wants no more
  std::exception_ptr failure_;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_PART_QUEUE_H_
