// Coordination of ranks that are threads: every call is one meeting, in which each rank leaves its
// message and reads those of all ranks. A condition variable wakes the waiting ranks.
#include "megascale/comm/local/local_coordination.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>

namespace megascale::comm {
namespace {

// One meeting per call. No rank leaves a meeting before all ranks have come, and no rank enters the
// next one before all have left.
class Meeting {
 public:
  explicit Meeting(std::uint32_t size) : messages_(size), bytes_(size) {}

  // Leaves this rank's message, waits for all ranks, and returns their messages by rank.
  std::vector<std::string> meet(std::uint32_t rank, std::string message) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return !leaving_; });
    messages_[rank] = std::move(message);
    if (++present_ == messages_.size()) {
      leaving_ = true;
      changed_.notify_all();
    }
    wait(lock, [&] { return leaving_; });
    std::vector<std::string> all = messages_;
    if (--present_ == 0) {
      leaving_ = false;
      changed_.notify_all();
    }
    return all;
  }

  // Leaves this rank's bytes, waits for all ranks, and takes the bytes of the rank `from`. All ranks
  // take before the first one leaves, and they copy under the lock: so after an abort nobody reads
  // the bytes of a rank that has left.
  void exchange(std::uint32_t rank, std::uint32_t from, std::span<const std::byte> send,
                std::span<std::byte> receive) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return !leaving_; });
    bytes_[rank] = send;
    if (++present_ == bytes_.size()) {
      leaving_ = true;
      changed_.notify_all();
    }
    wait(lock, [&] { return leaving_; });
    MEGASCALE_CHECK(bytes_[from].size() == receive.size(), "ranks shift blocks of one size");
    if (!receive.empty()) std::memcpy(receive.data(), bytes_[from].data(), receive.size());
    if (--present_ == 0) {
      leaving_ = false;
      changed_.notify_all();
    }
    wait(lock, [&] { return !leaving_; });
  }

  void abort(const Error& error) noexcept {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    changed_.notify_all();
  }

 private:
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, Condition&& condition) {
    changed_.wait(lock, [&] { return error_ || condition(); });
    if (error_) throw Error(*error_);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> messages_;
  std::vector<std::span<const std::byte>> bytes_;
  std::size_t present_ = 0;
  bool leaving_ = false;
  std::optional<Error> error_;
};

class LocalCoordination final : public Coordination {
 public:
  LocalCoordination(std::shared_ptr<Meeting> meeting, std::uint32_t rank, std::uint32_t size)
      : meeting_(std::move(meeting)), rank_(rank), size_(size) {}
  [[nodiscard]] std::uint32_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::uint32_t world_size() const noexcept override { return size_; }
  std::string broadcast(std::string message, std::string_view) override {
    return meeting_->meet(rank_, std::move(message))[0];
  }
  bool any(bool mine, std::string_view) override {
    const auto all = meeting_->meet(rank_, mine ? "yes" : "");
    return std::any_of(all.begin(), all.end(), [](const std::string& one) { return !one.empty(); });
  }
  std::vector<std::string> gather(std::string message, std::string_view) override {
    auto all = meeting_->meet(rank_, std::move(message));
    if (rank_ != 0) all.clear();
    return all;
  }
  [[nodiscard]] Near near() const noexcept override { return {.first = 0, .count = size_}; }
  void shift(std::span<const std::byte> send, std::span<std::byte> receive, std::uint32_t offset,
             std::string_view) override {
    meeting_->exchange(rank_, (rank_ + offset) % size_, send, receive);
  }
  void abort(const Error& error) noexcept override { meeting_->abort(error); }

 private:
  std::shared_ptr<Meeting> meeting_;
  std::uint32_t rank_, size_;
};

}  // namespace

std::vector<std::unique_ptr<Coordination>> make_local_coordination(std::uint32_t world_size) {
  const auto meeting = std::make_shared<Meeting>(world_size);
  std::vector<std::unique_ptr<Coordination>> ends;
  for (std::uint32_t rank = 0; rank < world_size; ++rank) {
    ends.push_back(std::make_unique<LocalCoordination>(meeting, rank, world_size));
  }
  return ends;
}

}  // namespace megascale::comm
