#ifndef MEGASCALE_TESTS_SUPPORT_JOB_H_
#define MEGASCALE_TESTS_SUPPORT_JOB_H_

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/comm/local/local_group.h"
#include "megascale/comm/ucx/ucx_worker.h"
#include "megascale/runtime/lane_runner.h"
#include "support/plan_writer.h"

namespace megascale::testing {

// What ranks as threads communicate over: each other's memory, or a UCX worker each as processes
// have.
enum class Over { local, ucx };

// A job of ranks as threads: every rank has an arena, a lane runner and one plan (or several, bound
// in order).
class Job {
 public:
  using Delay = std::function<void(std::uint32_t rank, std::uint32_t task)>;

  // One writer per rank; what they hold must be right.
  explicit Job(const std::vector<PlanWriter>& writers, Delay delay = {},
               const runtime::LaneRunner::Options& common = {}, Over over = Over::local)
      : Job(std::vector<std::vector<PlanWriter>>{writers}, std::move(delay), common, over) {}
  // plans[p][rank]; `common`: of all runners, less what belongs to one rank
  Job(const std::vector<std::vector<PlanWriter>>& plans, Delay delay,
      const runtime::LaneRunner::Options& common = {}, Over over = Over::local)
      : ranks_(plans.front().size()) {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      std::uint64_t nbytes = 64;
      for (const auto& writers : plans) nbytes = std::max(nbytes, writers[r].tables.arena_nbytes);
      if (over == Over::ucx) {
        ranks_[r].memory = std::make_shared<comm::SharedFile>(nbytes);
        ranks_[r].worker.emplace(
            ranks_[r].wakeup,
            comm::UcxOptions{.rank = r, .memory = ranks_[r].memory, .transports = "posix,self"});
      } else {
        ranks_[r].arena.resize((nbytes + 63) / 64);
      }
    }
    std::map<std::string, std::vector<std::unique_ptr<comm::Communicator>>> groups;
    for (const auto& writers : plans) {
      verifications_.push_back(std::make_unique<plan::Verification>());
      std::vector<plan::RankPlan> rank_plans;
      for (std::uint32_t r = 0; r < ranks_.size(); ++r)
        rank_plans.push_back(writers[r].rank_plan(r));
      *verifications_.back() = plan::verify(std::move(rank_plans));
      if (!verifications_.back()->ok())
        throw Error(ErrorCode::failed, verifications_.back()->violations[0].message);
      for (const PlanWriter& writer : writers) {
        for (const auto& [key, members] : writer.keys) {
          if (groups.contains(key)) continue;
          groups[key] = make_group(key, members);
        }
      }
    }
    for (auto& [key, ends] : groups) ends_.push_back(std::move(ends));
    std::map<std::string, std::size_t> group_number;
    for (const auto& [key, ends] : groups) group_number.emplace(key, group_number.size());
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      Rank& rank = ranks_[r];
      runtime::LaneRunner::Options options = common;
      if (delay) options.before_task = [delay, r](std::uint32_t task) { delay(r, task); };
      if (rank.worker) options.events = &*rank.worker;
      rank.runner.emplace(rank.wakeup, std::move(options));
      for (std::size_t p = 0; p < plans.size(); ++p) {
        const PlanWriter& writer = plans[p][r];
        runtime::BoundPlan bound{.plan = &verifications_[p]->plans[r],
                                 .arena = rank.bytes(),
                                 .functions = {},
                                 .communicators = {}};
        rank.functions.insert(rank.functions.end(), writer.functions.begin(),
                              writer.functions.end());
        for (const auto& function : writer.functions) bound.functions.push_back(function.get());
        for (const plan::CommunicatorBinding& binding :
             verifications_[p]->plans[r].binding().communicators) {
          bound.communicators.push_back(
              ends_[group_number.at(binding.key)][binding.my_index].get());
        }
        rank.runner->bind(std::move(bound));
      }
    }
  }

  ~Job() {
    // Threads first, then what they touch; a group's ends notify the wake-ups of all ranks.
    for (Rank& rank : ranks_) rank.runner.reset();
    ends_.clear();
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Runs a step of a plan on all ranks at once; by rank what it threw. `then` is called on every
  // rank's thread when its step is over.
  std::vector<std::optional<Error>> try_step(std::size_t plan = 0,
                                             std::span<std::vector<TaskRecord>> records = {},
                                             const std::function<void(std::uint32_t)>& then = {}) {
    std::vector<std::optional<Error>> errors(ranks_.size());
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      threads.emplace_back([&, r] {
        try {
          ranks_[r].runner->run_step(
              plan, records.empty() ? std::span<TaskRecord>{} : std::span(records[r]));
        } catch (const Error& error) {
          errors[r] = error;
        }
        if (then) then(static_cast<std::uint32_t>(r));
      });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
  }
  // The same, where nothing may go wrong.
  void step(std::size_t plan = 0, std::span<std::vector<TaskRecord>> records = {}) {
    for (const auto& error : try_step(plan, records)) {
      if (error) throw *error;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return ranks_.size(); }
  [[nodiscard]] std::span<std::byte> arena(std::size_t rank) noexcept {
    return ranks_[rank].bytes();
  }
  [[nodiscard]] runtime::LaneRunner& runner(std::size_t rank) noexcept {
    return *ranks_[rank].runner;
  }
  void destroy_runner(std::size_t rank) noexcept { ranks_[rank].runner.reset(); }
  [[nodiscard]] const plan::StepPlan& plan(std::size_t rank, std::size_t number = 0) const {
    return verifications_[number]->plans[rank].plan();
  }
  void fill_arenas(std::byte value) {
    for (Rank& rank : ranks_) std::fill(rank.bytes().begin(), rank.bytes().end(), value);
  }

 private:
  std::vector<std::unique_ptr<comm::Communicator>> make_group(
      const std::string& key, const std::vector<std::uint32_t>& members) {
    std::vector<Wakeup*> wakeups;
    std::vector<std::vector<std::byte>> addresses;
    for (const std::uint32_t member : members) {
      wakeups.push_back(&ranks_[member].wakeup);
      if (ranks_[member].worker) addresses.push_back(ranks_[member].worker->address());
    }
    if (addresses.empty()) return comm::LocalGroup::make(wakeups);
    std::vector<std::unique_ptr<comm::Communicator>> ends;
    for (std::uint32_t m = 0; m < members.size(); ++m)
      ends.push_back(ranks_[members[m]].worker->make_group(addresses, m, key));
    return ends;
  }

  struct alignas(64) Line {
    std::array<std::byte, 64> bytes{};
  };
  struct Rank {
    Wakeup wakeup;
    std::vector<Line> arena;
    std::shared_ptr<comm::SharedFile> memory;  // in place of the arena
    std::optional<comm::UcxWorker> worker;
    std::vector<std::shared_ptr<TaskFunction>> functions;
    std::optional<runtime::LaneRunner> runner;
    std::span<std::byte> bytes() noexcept {
      if (memory) return memory->bytes();
      return {reinterpret_cast<std::byte*>(arena.data()), arena.size() * sizeof(Line)};
    }
  };
  std::vector<std::unique_ptr<plan::Verification>> verifications_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<std::unique_ptr<comm::Communicator>>> ends_;  // by group, by member
};

// Delays that a seed draws for every (rank, task): most are nothing or a yield, some a short sleep.
inline void random_delay(std::uint64_t seed, std::uint32_t rank, std::uint32_t task) {
  std::uint64_t x =
      seed * 0x9e37'79b9'7f4a'7c15U + rank * 0xbf58'476d'1ce4'e5b9U + task * 0x94d0'49bb'1331'11ebU;
  x ^= x >> 31U;
  x *= 0xd6e8'feb8'6659'fd93U;
  x ^= x >> 29U;
  const auto kind = x % 8;
  if (kind < 4) return;
  if (kind < 7) {
    for (std::uint64_t i = 0; i < x / 8 % 4; ++i) std::this_thread::yield();
    return;
  }
  std::this_thread::sleep_for(std::chrono::microseconds(x / 8 % 120));
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_JOB_H_
