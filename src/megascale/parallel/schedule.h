#ifndef MEGASCALE_PARALLEL_SCHEDULE_H_
#define MEGASCALE_PARALLEL_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"

// A pipeline schedule as data: for each stage, the order of its work. It holds no times and no
// communication. replay.h computes times, stage_events.h adds sends and receives, and
// schedule_file.h reads a schedule from a file.
//
// A stage holds `chunks` chunks (virtual stages). Chunk c of stage i is global chunk c * stages +
// i. The model is divided into stages * chunks global chunks, in order. For each micro-batch, work
// depends on other work as follows:
//   forward in global chunk g            needs the forward in g - 1
//   backward in global chunk g           needs the backward in g + 1 and the forward in g
//   weight gradient in global chunk g    needs the backward in g
//
// All types are values without shared state; all functions may be called from any thread.
namespace megascale::parallel {

enum class Work : std::uint8_t {
  forward,
  // Input gradients. Also the weight gradients, unless the schedule splits them off.
  backward,
  // Weight gradients that were split off the backward; only in schedules that do so.
  weight_gradient,
};
constexpr std::size_t kWorkKinds = 3;

struct ScheduleItem {
  Work work = Work::forward;
  std::uint16_t chunk = 0;  // chunk of this stage
  std::uint16_t micro_batch = 0;
  friend bool operator==(const ScheduleItem&, const ScheduleItem&) = default;
};
// Returns, for instance, "F3/1": the forward of micro-batch 3 in chunk 1. B is a backward, W a
// weight gradient.
[[nodiscard]] std::string to_string(const ScheduleItem& item);

struct Schedule {
  std::string name;
  std::uint32_t stages = 1;
  std::uint32_t chunks = 1;  // chunks of one stage
  std::uint32_t micro_batches = 1;
  bool splits_weight_gradients = false;
  // For each stage: its items in the order of execution.
  std::vector<std::vector<ScheduleItem>> items;
  friend bool operator==(const Schedule&, const Schedule&) = default;

  [[nodiscard]] std::uint32_t global_chunk(std::uint32_t stage,
                                           std::uint32_t chunk) const noexcept {
    return chunk * stages + stage;
  }
  [[nodiscard]] std::uint32_t global_chunks() const noexcept { return stages * chunks; }
};

// Upper bound for stages x chunks x micro_batches. A replay takes about 100 bytes for each.
constexpr std::uint64_t kLargestSchedule = 1ULL << 24U;
// Returns what is wrong with the sizes of a schedule: one of them is 0 or above 65,536, or their
// product exceeds kLargestSchedule. Empty if the sizes are valid.
[[nodiscard]] std::string size_problem(std::uint64_t stages, std::uint64_t chunks,
                                       std::uint64_t micro_batches);

// The functions below build schedules. They throw Error (bad_usage) if the sizes have a
// size_problem(). Backwards run in micro-batch order in every schedule. Weight gradients are thus
// added in the same order, and all schedules give the same bits.
//
// In the comments, p is the number of stages, m of micro-batches, v of chunks of a stage, and i is
// a stage. "In flight" is the number of micro-batches of a chunk whose activations the stage holds
// (replay.h). "Idle" is the share of time in which stages do nothing, if all stages take the same
// time.
//
// GPipe: all forwards, then all backwards. Idle (p-1)/(m+p-1); m in flight. Source: Huang et al.
// 2019, "GPipe".
[[nodiscard]] Schedule gpipe(std::uint32_t stages, std::uint32_t micro_batches);

// 1F1B: p-1-i forwards on stage i, then one forward and one backward in turn. Idle as GPipe; min(m,
// p-i) in flight on stage i. Source: Narayanan et al. 2019, 2021 ("PipeDream-Flush").
[[nodiscard]] Schedule one_forward_one_backward(std::uint32_t stages, std::uint32_t micro_batches);

// Interleaved 1F1B: micro-batches run in groups of p, and each group passes through all chunks of
// the stage. Stage i first runs 2(p-1-i) + (v-1)p forwards, then one forward and one backward in
// turn. Idle (p-1)/(v m+p-1); min(v m, 2(p-1-i) + (v-1)p + 1) in flight on stage i. With one chunk
// it equals 1F1B. Also throws Error (bad_usage) if chunks > 1 and micro_batches is not a multiple
// of stages. Source: Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU
// Clusters Using Megatron-LM".
[[nodiscard]] Schedule interleaved(std::uint32_t stages, std::uint32_t chunks,
                                   std::uint32_t micro_batches);

// ZB-H1: 1F1B with weight gradients split off the backward. Stage i delays i of them, and runs them
// while the pipeline drains, when it would otherwise be idle. Let F, B and W be the durations of
// forward, backward and weight gradient. With m >= p, and W not longer than F and B, a stage idles
// for (p-1)(F+B-W); in 1F1B it idles for (p-1)(F+B+W). With m < p it idles for (p-1)(F+B) - (m-1)W.
// min(m, p) are in flight on every stage until their weight gradients are done; in 1F1B that many
// are in flight only on the first stage. Source: Qi et al. 2024, "Zero Bubble Pipeline
// Parallelism", arXiv 2401.10241.
[[nodiscard]] Schedule zero_bubble_h1(std::uint32_t stages, std::uint32_t micro_batches);

// Returns the schedule of a name: "gpipe", "1f1b", "interleaved" or "zb-h1". Only interleaved takes
// more than one chunk. A name with a '/' or a '.' is a file (schedule_file.h), whose sizes must
// equal the given ones. Throws Error: bad_usage for an unknown name or wrong sizes; bad_input or io
// for the file.
[[nodiscard]] Schedule schedule_by_name(std::string_view name, std::uint32_t stages,
                                        std::uint32_t chunks, std::uint32_t micro_batches);

// Returns the schedule of a resolved, valid configuration: parallel.pipeline_schedule with its
// pipeline_model_parallel_size, virtual_pipeline_size and number of micro-batches. Throws as
// schedule_by_name().
[[nodiscard]] Schedule schedule_of(const Config& config);

// A defect of a schedule, and the item where it is.
struct ScheduleProblem {
  static constexpr std::size_t kNoItem = static_cast<std::size_t>(-1);
  std::uint32_t stage = 0;
  std::size_t item = kNoItem;  // index in items[stage]; kNoItem: the stage as a whole
  std::string message;         // names the item, if there is one, but not stage and index
};
// Returns, for instance, "stage 0, item 2: B0/0 never starts (deadlock): ...".
[[nodiscard]] std::string to_string(const ScheduleProblem& problem);

// Returns all defects of a schedule; empty if it is valid. In a valid schedule:
//   every stage has each (chunk, micro-batch) exactly once in each kind of work;
//   on its stage, forward stands before backward, and backward before weight gradient;
//   the backwards of a chunk stand in micro-batch order, and so do its weight gradients (a backward
//   contains gradients of norms and of the head even if weight gradients are split off);
//   the schedule completes.
// Completion is checked only if everything else is right. For each stage that stops, the defect
// names the item that never starts and what it waits for. Memory and time grow with the number of
// items, not with the sizes that the schedule claims.
[[nodiscard]] std::vector<ScheduleProblem> validate(const Schedule& schedule);

// Throws one Error (bad_input) that lists all defects of a schedule, if there are any.
void require_valid(const Schedule& schedule);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_SCHEDULE_H_
