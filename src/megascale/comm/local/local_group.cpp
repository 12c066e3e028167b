// Communicators of ranks that are threads. Members meet at the steps of a transfer by counting
// arrivals in atomics that all members see, so polling takes no lock. A group that has failed
// reports `failed` to a member only when no other member is still copying from its memory.
#include "megascale/comm/local/local_group.h"

#include <algorithm>

#include "megascale/comm/transfer_parts.h"

namespace megascale::comm {

class LocalCommunicator final : public Communicator {
 public:
  LocalCommunicator(std::shared_ptr<LocalGroup> group, std::uint32_t index)
      : group_(std::move(group)), index_(index) {
    sources_.resize(group_->size());
  }
  [[nodiscard]] std::uint32_t size() const noexcept override {
    return static_cast<std::uint32_t>(group_->size());
  }
  [[nodiscard]] std::uint32_t my_index() const noexcept override { return index_; }

  void start(const Transfer& transfer) noexcept override {
    group_->parts_[index_] = transfer;
    step_ = 0;
    knows_sizes_ = !transfer.rule->counted;
    if (knows_sizes_) return arrive();
    mover().read_counts(transfer.counts);
    read_sizes();
  }

  Progress poll() noexcept override {
    if (group_->failed_.load()) return failed();
    if (!knows_sizes_ && !read_sizes()) return Progress::waiting;
    const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed);
    while (group_->all_arrived(step_, sequence)) {
      follow_the_others();
      if (cuda::Event* matched = part(index_).matched; matched != nullptr && step_ == 0)
        mover().record(*matched);
      if (step_ == LocalGroup::kSteps - 1) {
        sequence_.store(sequence + 1, std::memory_order_relaxed);
        return Progress::done;
      }
      if (!group_->begin_touching()) return failed();
      if (step_ == 0) first_half();
      if (step_ == 1) second_half();
      group_->end_touching();
      if (group_->failed_.load()) return failed();
      ++step_;
      arrive();
    }
    return step_ == 0 ? Progress::waiting : Progress::moving;
  }

  void abort(const Error& error) noexcept override { group_->fail(error); }

  [[nodiscard]] bool marks_match() const noexcept override { return mover().records_events(); }

  [[nodiscard]] Error error() const override {
    const std::lock_guard lock(group_->error_mutex_);
    return group_->error_.value_or(Error(ErrorCode::failed, "no error"));
  }

  [[nodiscard]] Awaited awaited() const override {
    // The number of steps that a member has reached when it has started this transfer.
    const std::uint64_t start = sequence_.load(std::memory_order_relaxed) * LocalGroup::kSteps + 1;
    const std::uint64_t needed =
        std::max(start, group_->reached_[index_].load(std::memory_order_relaxed));
    Awaited awaited{.members = {}, .started = needed % LocalGroup::kSteps != 1};
    for (std::uint32_t m = 0; m < size(); ++m) {
      if (group_->reached_[m].load(std::memory_order_relaxed) < needed)
        awaited.members.push_back(m);
    }
    return awaited;
  }

 private:
  friend class LocalGroup;
  [[nodiscard]] LocalMover& mover() const noexcept { return *group_->movers_[index_]; }
  void arrive() noexcept {
    mover().arrive(step_);
    group_->arrive(index_, step_);
  }
  // For an all_to_all_v: reads and checks this member's counts, then arrives at step 0. Returns
  // false if the counts are not on the host yet, or if they are wrong; then the group has failed.
  bool read_sizes() noexcept {
    const auto counts = mover().counts();
    if (!counts) {
      // The device gives no sign when it has copied the counts, so this thread must poll again.
      group_->wakeups_[index_]->notify();
      return false;
    }
    Transfer& mine = group_->parts_[index_];
    std::optional<Error> error;
    if (*counts) {
      mine.counts = **counts;
      error = table(index_).read(mine);
    } else {
      error = counts->error();
    }
    if (error) {
      group_->fail(*error);
      return false;
    }
    knows_sizes_ = true;
    arrive();
    return true;
  }
  [[nodiscard]] BlockTable& table(std::size_t member) const noexcept {
    return group_->tables_[member];
  }
  // Compares this member's block sizes with those of each peer. The first difference found by any
  // member fails the group.
  [[nodiscard]] std::optional<Error> compare_sizes() const {
    const BlockTable& mine = table(index_);
    for (std::uint32_t m = 0; m < size(); ++m) {
      const BlockTable& theirs = table(m);
      if (theirs.rows_to(index_) != mine.rows_from(m))
        return mine.disagreement(m, theirs.rows_to(index_), index_, mine.rows_from(m));
      if (mine.rows_to(m) != theirs.rows_from(index_))
        return mine.disagreement(index_, mine.rows_to(m), m, theirs.rows_from(index_));
    }
    return std::nullopt;
  }
  void move_blocks() noexcept {
    if (const auto error = compare_sizes()) return group_->fail(*error);
    for (std::uint32_t m = 0; m < size(); ++m)
      copy(table(index_).receive_block(m), table(m).send_block(index_));
  }
  // All members have arrived at the step. Orders this member's further work behind the work that
  // the others did before the step.
  void follow_the_others() noexcept {
    for (std::size_t m = 0; m < size(); ++m) {
      if (m != index_) mover().follow(*group_->movers_[m], step_);
    }
  }
  // Returns `moving` while another member may still be copying from this one's memory.
  [[nodiscard]] Progress failed() const noexcept {
    return group_->touching_.load() == 0 ? Progress::failed : Progress::moving;
  }
  [[nodiscard]] const Transfer& part(std::size_t member) const noexcept {
    return group_->parts_[member];
  }
  [[nodiscard]] TransferParts parts_of(std::uint32_t member) const noexcept {
    return {part(member), member, size(), table(member)};
  }

  // Copies, or sums, from peers' memory. No member writes memory that a peer reads in this half.
  void first_half() noexcept {
    const TransferParts mine = parts_of(index_);
    if (mine.rule().counted) return move_blocks();
    if (mine.rule().sum) {
      const TransferParts::Part sum = mine.sum_part();
      for (std::uint32_t m = 0; m < size(); ++m)
        sources_[m] = parts_of(m).exposed().data() + sum.offset;
      return mover().sum(sum.room, sources_, mine.transfer().dtype);
    }
    fetch(mine);
  }

  // Only for an all_reduce: every member has summed its block, and this one copies the blocks of
  // the others.
  void second_half() noexcept {
    const TransferParts mine = parts_of(index_);
    if (mine.rule().sums_everything()) fetch(mine);
  }

  void fetch(const TransferParts& mine) noexcept {
    for (std::uint32_t m = 0; m < size(); ++m) {
      const TransferParts::Part part = mine.part_from(m);
      if (part.room.empty()) continue;
      copy(part.room, parts_of(m).exposed().subspan(part.offset, part.room.size()));
    }
  }

  void copy(std::span<std::byte> to, std::span<const std::byte> from) const noexcept {
    if (!from.empty() && to.data() != from.data()) mover().copy(to, from);
  }

  std::shared_ptr<LocalGroup> group_;
  std::uint32_t index_;
  std::atomic<std::uint64_t> sequence_{0};  // of its transfers; any thread reads it in awaited()
  std::size_t step_ = 0;
  bool knows_sizes_ = true;
  std::vector<const std::byte*> sources_;
};

LocalGroup::LocalGroup(std::vector<Wakeup*> wakeups, std::vector<std::uint32_t> ranks)
    : wakeups_(std::move(wakeups)),
      movers_(wakeups_.size()),
      parts_(wakeups_.size()),
      reached_(wakeups_.size()) {
  for (auto& mover : movers_) mover = std::make_unique<HostMover>();
  ranks = ranks_or_numbers(std::move(ranks), size());
  for (std::uint32_t m = 0; m < size(); ++m) tables_.emplace_back(ranks, m);
  for (auto& arrivals : arrivals_) arrivals.store(0, std::memory_order_relaxed);
}

std::vector<std::unique_ptr<Communicator>> LocalGroup::make(std::vector<Wakeup*> wakeups,
                                                            std::vector<std::uint32_t> ranks) {
  const auto group = std::make_shared<LocalGroup>(std::move(wakeups), std::move(ranks));
  std::vector<std::unique_ptr<Communicator>> ends;
  for (std::uint32_t i = 0; i < group->size(); ++i)
    ends.push_back(std::make_unique<LocalCommunicator>(group, i));
  return ends;
}

void LocalGroup::set_mover(Communicator& end, std::unique_ptr<LocalMover> mover) {
  auto& local = static_cast<LocalCommunicator&>(end);
  MEGASCALE_CHECK(local.group_->reached_[local.index_].load(std::memory_order_relaxed) == 0,
                  "peers may still wait for events of the mover before");
  local.group_->movers_[local.index_] = std::move(mover);
}

void LocalGroup::arrive(std::size_t member, std::size_t step) noexcept {
  reached_[member].fetch_add(1, std::memory_order_relaxed);
  arrivals_[step].fetch_add(1, std::memory_order_acq_rel);
  for (Wakeup* wakeup : wakeups_) wakeup->notify();
}

bool LocalGroup::all_arrived(std::size_t step, std::uint64_t sequence) const noexcept {
  return arrivals_[step].load(std::memory_order_acquire) >= (sequence + 1) * size();
}

void LocalGroup::fail(const Error& error) noexcept {
  {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = error;
  }
  failed_.store(true);
  for (Wakeup* wakeup : wakeups_) wakeup->notify();
}

// The two atomics are accessed with sequential consistency. So either this member sees the failure,
// or a member that reads touching_ after the failure sees that this member is touching memory.
bool LocalGroup::begin_touching() noexcept {
  touching_.fetch_add(1);
  if (!failed_.load()) return true;
  end_touching();
  return false;
}

void LocalGroup::end_touching() noexcept {
  touching_.fetch_sub(1);
  if (!failed_.load()) return;
  for (Wakeup* wakeup : wakeups_) wakeup->notify();
}

}  // namespace megascale::comm
