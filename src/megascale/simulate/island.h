#ifndef MEGASCALE_SIMULATE_ISLAND_H_
#define MEGASCALE_SIMULATE_ISLAND_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/simulate/jitter.h"
#include "megascale/simulate/job.h"
#include "megascale/simulate/rank_program.h"
#include "megascale/simulate/transfers.h"

namespace megascale::simulate {

// Shares of a processor are counted in whole parts, so that their sum is the same in any order.
using ProcessorParts = std::int64_t;
inline constexpr double kPartsPerProcessor = 1e9;
[[nodiscard]] ProcessorParts processor_parts(const OpCost& cost) noexcept;

// A rank takes part in a transfer of a remote group from now on.
struct RemoteJoin {
  double time = 0;
  std::uint32_t group = 0, rank = 0;  // indices into the job's
  std::uint32_t lane = 0;             // of the rank's program
  const OpCost* cost = nullptr;
};

// What the network does to a rank of an island: bytes begin or end to flow, which takes or gives
// back part of its processor; where `lane` is one, the transfer at its head is done.
struct NetworkEvent {
  static constexpr std::uint32_t kNoLane = ~0U;
  double time = 0;
  std::uint32_t rank = 0;  // of the island
  std::uint32_t lane = kNoLane;
  ProcessorParts taken = 0;
  double matched = 0;  // when the last member of a transfer that is done came to it
};

// A rank of an island, with what it executes.
struct IslandRank {
  std::uint32_t rank = 0;  // index into Job::ranks
  const RankProgram* program = nullptr;
  std::vector<TaskRecord>* records = nullptr;  // of the last step, where they are kept
};

// The ranks of one island in simulated time (event_engine.h says by which rules). All times are
// seconds since the start.
class Island {
 public:
  // `is_remote`: by group of the job. The job and the programs must outlive the
  // island.
  Island(const Job& job, const std::vector<bool>& is_remote, const std::vector<IslandRank>& ranks,
         std::uint32_t steps, const Jitter& jitter);

  // Starts what may start at time 0.
  void start(std::vector<RemoteJoin>& joins);
  // Events come in the order of their times, and none before what was run already.
  void receive(const NetworkEvent& event);
  // Runs until nothing is left before the horizon, network events first where times are equal.
  // Appends to `joins`.
  void run(double horizon, std::vector<RemoteJoin>& joins);
  // When the next thing happens that is known of now.
  [[nodiscard]] double next() const noexcept { return next_; }

  [[nodiscard]] bool is_done() const noexcept { return ranks_at_work_ == 0; }
  [[nodiscard]] std::span<const double> step_ends() const noexcept { return step_ends_; }
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Lane {
    std::uint32_t done[2] = {};  // tasks of the steps of either parity: a carried tail runs beside
                                 // the next step
    std::uint32_t step = 0;
    std::uint32_t last_wait = TaskRecord::kNoWait;
    std::uint32_t slot = kNone;  // where the lane computes
    bool running = false;        // the head has started
    double head = 0;             // when it became the head
  };
  struct Rank {
    const JobRank* job = nullptr;
    const RankProgram* program = nullptr;
    std::vector<TaskRecord>* records = nullptr;
    std::uint32_t index = 0;       // into Job::ranks
    std::uint32_t first_lane = 0;  // into lanes_
    std::uint32_t step = 0;
    std::uint32_t uncarried_left = 0;
    std::uint32_t host = kNone;          // into hosts_
    std::uint32_t compute_lane = kNone;  // of the program; computes at a rate that changes
    Progress compute;
    double in_turn = 0;                 // processor seconds since its turn began
    ProcessorParts taken = 0;           // by transfers
    std::vector<std::uint32_t> groups;  // by communicator: local group, or kNone: remote
  };
  // Ranks that share processors.
  struct Host {
    const HostProcessors* processors = nullptr;
    ProcessorParts demand = 0;
    std::uint32_t computing = 0;  // ranks
    double speed = 1;             // of what each rank does with a processor
    std::vector<std::uint32_t> ranks;
  };
  // What happens at an entry of ends_.
  struct Slot {
    enum class Kind : std::uint8_t { task_done, bytes_flow, transfer_done } kind{};
    std::uint32_t rank = 0, lane = 0;  // task_done
    std::uint32_t group = 0;
  };

  void add_rank(const Job& job, const IslandRank& made);
  void handle(std::uint32_t slot);
  void take(const NetworkEvent& event);
  void advance(std::uint32_t r);
  bool start_head(std::uint32_t r, std::uint32_t lane);
  void compute(std::uint32_t r, std::uint32_t lane, const OpCost& cost);
  [[nodiscard]] double seconds_of_turns(Rank& rank, double seconds, bool waited) const noexcept;
  [[nodiscard]] double jitter_of_head(std::uint32_t r, std::uint32_t lane) const noexcept;
  void join(std::uint32_t r, std::uint32_t lane, const RankProgram::Task& task);
  void start_flow(std::uint32_t group);
  void finish_transfer(std::uint32_t group);
  void take_processor(Rank& rank, ProcessorParts parts);
  void change_demand(std::uint32_t host, ProcessorParts more);
  void set_compute_rate(Rank& rank);
  [[nodiscard]] double compute_rate(const Rank& rank) const noexcept;
  void finish(std::uint32_t r, std::uint32_t lane);
  bool next_step(std::uint32_t r);
  void find_next() noexcept;
  [[nodiscard]] TaskRecord* record_of(const Rank& rank, std::uint32_t lane) noexcept;
  [[nodiscard]] std::span<Lane> lanes_of(const Rank& rank) noexcept {
    return std::span(lanes_).subspan(rank.first_lane, rank.program->lanes.size());
  }

  std::uint32_t steps_;
  std::vector<Rank> ranks_;
  std::vector<RankJitter> jitter_;  // by rank, or none at all
  std::vector<Lane> lanes_;
  std::vector<Host> hosts_;
  Transfers transfers_;
  std::vector<double> ends_;  // by slot, kNever where nothing goes on
  std::vector<Slot> slots_;
  std::uint32_t first_group_slot_ = 0;  // local groups follow each other from here
  std::vector<NetworkEvent> inbox_;
  std::vector<RemoteJoin>* joins_ = nullptr;
  std::uint32_t next_slot_ = 0;
  double next_ = kNever;
  double now_ = 0;
  std::uint32_t ranks_at_work_ = 0;
  std::uint64_t tasks_ = 0;
  std::vector<double> step_ends_;
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_ISLAND_H_
