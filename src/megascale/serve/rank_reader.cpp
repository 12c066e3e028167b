#include "megascale/serve/rank_reader.h"

#include <algorithm>
#include <utility>

#include "megascale/serve/give_way.h"
#include "megascale/serve/step_store.h"

namespace megascale::serve {

using Clock = std::chrono::steady_clock;

RankReader::RankReader(RunDirectory run, const JobWorks& works)
    : run_(std::move(run)), works_(&works), history_(works), follower_(run_, works) {
  thread_ = std::thread([this] { follow(); });
}

RankReader::~RankReader() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool RankReader::is_fresh() const {
  return progress_.is_complete && Clock::now() - look_began_ < kRefresh;
}

void RankReader::begin() {
  const std::lock_guard lock(mutex_);
  if (is_fresh()) return;
  asked_ = true;
  changed_.notify_all();
}

void RankReader::visit(std::chrono::milliseconds patience, const Visit& visit) {
  std::unique_lock lock(mutex_);
  if (!is_fresh()) {
    asked_ = true;
    changed_.notify_all();
    if (progress_.is_complete && patience != kForever) patience = std::min(patience, kMostForNews);
    changed_.wait_for(lock, patience, [this, oldest = Clock::now() - kRefresh] {
      return progress_.is_complete && look_began_ >= oldest;
    });
  }
  visit(history_, progress_);
}

void RankReader::follow() {
  give_way();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return asked_ || stops_; });
    if (stops_) return;
    asked_ = false;
    const auto began = Clock::now();
    lock.unlock();
    look();
    lock.lock();
    look_began_ = began;
    progress_.is_complete = true;
    changed_.notify_all();
  }
}

void RankReader::look() {
  const std::vector<std::uint32_t>& rings = follower_.list();
  {
    const std::lock_guard lock(mutex_);
    if (is_first_) progress_.all = rings.size();
  }
  // The records of a step take a hundred times as many bytes as its numbers.
  const std::size_t ranks = rings.empty() ? works_->world_size() : rings.size();
  if (is_first_) read_stored(ranks);
  bool missed = false;
  for (const std::uint32_t rank : rings) {
    // Only this thread changes the history.
    const auto known = history_.ranks().find(rank);
    auto news =
        follower_.look(rank, known == history_.ranks().end() ? nullptr : &known->second.steps);
    const std::lock_guard lock(mutex_);
    if (stops_) return;
    if (is_first_) ++progress_.read;
    if (news) missed = history_.take(*std::move(news)) || missed;
  }
  is_first_ = false;
  if (missed) read_stored(ranks);
}

void RankReader::read_stored(std::size_t ranks) {
  const StoreFacts facts = store_facts(run_);
  if (facts.newest_step < 0) return;
  const auto first = facts.newest_step - static_cast<std::int64_t>(history_.most_steps(ranks));
  read_stored_steps(run_, first, [this](StoredStep&& stored) {
    const std::lock_guard lock(mutex_);
    history_.take(std::move(stored));
    return !stops_;
  });
}

}  // namespace megascale::serve
