#ifndef MEGASCALE_SIMULATE_ISLAND_H_
#define MEGASCALE_SIMULATE_ISLAND_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/simulate/jitter.h"
#include "megascale/simulate/job.h"
#include "megascale/simulate/rank_program.h"
#include "megascale/simulate/transfers.h"

// An island (islands.h): a set of ranks that is simulated by one thread at a time. It exchanges
// events with the network (network.h) only through the two structs below.
namespace megascale::simulate {

// Shares of a processor are counted in integers, so that their sum does not depend on the order of
// additions.
using ProcessorParts = std::int64_t;
inline constexpr double kPartsPerProcessor = 1e9;
// Returns the share of the processor that a transfer takes.
[[nodiscard]] ProcessorParts processor_parts(const OpCost& cost) noexcept;
// Returns a time of the simulation in the unit of records.
[[nodiscard]] inline std::int64_t island_nanoseconds(double seconds) noexcept {
  return std::llround(seconds * 1e9);
}

// Message to the network: a rank takes part in a transfer of a remote group from `time` on.
struct RemoteJoin {
  double time = 0;
  std::uint32_t group = 0, rank = 0;  // indices into Job::groups and Job::ranks
  std::uint32_t lane = 0;             // lane of the rank's program
  const OpCost* cost = nullptr;
};

// Message from the network: the bytes of a transfer begin to flow, which takes a share of the rank's
// processor, or they have all arrived, which gives it back. If `lane` is set, the transfer at the
// head of this lane is done.
struct NetworkEvent {
  static constexpr std::uint32_t kNoLane = ~0U;
  double time = 0;
  std::uint32_t rank = 0;  // place of the rank in its island
  std::uint32_t lane = kNoLane;
  ProcessorParts taken = 0;  // negative: given back
  double matched = 0;        // when the last member of the finished transfer joined
};

// A rank of an island and what it executes.
struct IslandRank {
  std::uint32_t rank = 0;  // index into Job::ranks
  const RankProgram* program = nullptr;
  // Receives the records of the last step; null if they are not wanted.
  std::vector<TaskRecord>* records = nullptr;
};

// Simulates the ranks of one island by the rules of event_engine.h. All times are seconds since the
// start.
class Island {
 public:
  // `is_remote` says for each group of the job whether the network simulates it. The job and the
  // programs must outlive the island.
  Island(const Job& job, const std::vector<bool>& is_remote, const std::vector<IslandRank>& ranks,
         std::uint32_t steps, const Jitter& jitter);

  // Starts all tasks that can start at time 0. Appends joins of remote groups to `joins`.
  void start(std::vector<RemoteJoin>& joins);
  // Queues an event. Events must come in the order of their times, none before the time up to which
  // the island has run.
  void receive(const NetworkEvent& event);
  // Runs all events before `horizon`. If times are equal, network events come first. Appends joins
  // of remote groups to `joins`.
  void run(double horizon, std::vector<RemoteJoin>& joins);
  // Returns the time of the next known event; infinite if there is none.
  [[nodiscard]] double next() const noexcept { return next_; }

  // Returns whether all ranks have done all steps.
  [[nodiscard]] bool is_done() const noexcept { return ranks_at_work_ == 0; }
  // For each step, when the last rank of the island had done it.
  [[nodiscard]] std::span<const double> step_ends() const noexcept { return step_ends_; }
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Lane {
    // Tasks done in steps of even and of odd number. Two counters are needed because the carried
    // tasks of a step run beside the next step.
    std::uint32_t done[2] = {};
    std::uint32_t step = 0;  // step of the lane's head
    // Index of the wait that was satisfied last; see TaskRecord.
    std::uint32_t last_wait = TaskRecord::kNoWait;
    std::uint32_t slot = kNone;  // the lane's slot; kNone if its tasks take no time
    bool running = false;        // the head has started
    double head = 0;             // when the current head became the head
    bool flows = false;          // the head is a transfer whose bytes flow, since flow_start
    double flow_start = 0;
  };
  // The unit of a fused pair (RankProgram::Pair) that a rank's compute lane runs.
  struct Unit {
    const RankProgram::Pair* pair = nullptr;  // null: none runs
    double start = 0;
    double tile_seconds = 0;  // of one of its tiles, at rate 1
    double tiles = 1;
    bool follows = false;     // the transfer that feeds it is not done
    ProcessorParts held = 0;  // taken for the transfer while its bytes do not flow
  };
  // The members of a group whose units still feed its transfer.
  struct Feed {
    std::uint32_t members = 0;
    double first_tile = 0;    // when the last of their first tiles is computed
    bool is_starved = false;  // all bytes but those of the last tile have arrived
  };
  struct Rank {
    const JobRank* job = nullptr;
    const RankProgram* program = nullptr;
    std::vector<TaskRecord>* records = nullptr;
    std::uint32_t index = 0;       // index into Job::ranks
    std::uint32_t first_lane = 0;  // index into lanes_
    std::uint32_t step = 0;
    std::uint32_t uncarried_left = 0;  // tasks of this step that must end before the next one
    std::uint32_t host = kNone;        // index into hosts_
    // Lane of the program that computes at a rate that changes.
    std::uint32_t compute_lane = kNone;
    Progress compute;    // the task that this lane computes
    double in_turn = 0;  // processor seconds since the time slice began
    Unit unit;
    ProcessorParts taken = 0;           // taken by transfers
    std::vector<std::uint32_t> groups;  // for each communicator: group of the island; kNone: remote
  };
  // A host whose processors several ranks share.
  struct Host {
    const HostProcessors* processors = nullptr;
    ProcessorParts demand = 0;    // wanted by computation and transfers together
    std::uint32_t computing = 0;  // number of ranks that compute
    double speed = 1;             // factor on the speed of what the ranks do with a processor
    std::vector<std::uint32_t> ranks;
  };
  // An activity with an end in ends_: a task of a lane, or the next event of a group's transfer.
  struct Slot {
    enum class Kind : std::uint8_t { task_done, bytes_flow, transfer_done } kind{};
    std::uint32_t rank = 0, lane = 0;  // used by task_done
    std::uint32_t group = 0;           // used by the other kinds
  };

  void add_rank(const Job& job, const IslandRank& made);
  void handle(std::uint32_t slot);
  void take(const NetworkEvent& event);
  void advance(std::uint32_t r);
  bool start_head(std::uint32_t r, std::uint32_t lane);
  void compute(std::uint32_t r, std::uint32_t lane, const OpCost& cost);
  [[nodiscard]] double seconds_of_turns(Rank& rank, double seconds, bool waited) const noexcept;
  [[nodiscard]] double jitter_of_head(std::uint32_t r, std::uint32_t lane) const noexcept;
  // Fused pairs: island_pairs.cpp.
  [[nodiscard]] const RankProgram::Pair* fused_pair(const Rank& rank,
                                                    const RankProgram::Task& task) const noexcept;
  [[nodiscard]] const OpCost& transfer_cost(const Rank& rank,
                                            const RankProgram::Pair& pair) const noexcept;
  [[nodiscard]] bool has_begun(const Rank& rank, const RankProgram::Pair& pair, std::uint32_t lane,
                               const RankProgram::Wait& wait) const noexcept;
  [[nodiscard]] bool is_head(const Rank& rank, std::uint32_t lane, std::uint32_t task,
                             std::uint32_t step) const noexcept;
  void start_unit(std::uint32_t r, std::uint32_t lane, const RankProgram::Pair& pair);
  bool end_unit(std::uint32_t r);
  void feed(std::uint32_t r, std::uint32_t group, const RankProgram::Pair& pair);
  void end_feeding(const Rank& rank);
  bool starve(std::uint32_t group);
  bool keeps_share(Rank& rank, const Transfers::Part& part);
  void release_unit(Rank& rank);
  void record_unit(const Rank& rank);
  void set_ends(std::span<const std::uint32_t> groups);
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
  std::vector<RankJitter> jitter_;  // for each rank; empty without jitter
  std::vector<Lane> lanes_;
  std::vector<Host> hosts_;
  Transfers transfers_;
  std::vector<Feed> feeds_;   // for each group
  std::vector<double> ends_;  // for each slot; kNever if nothing goes on
  std::vector<Slot> slots_;
  std::uint32_t first_group_slot_ = 0;  // slot of group 0; those of all other groups follow
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
