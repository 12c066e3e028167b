#ifndef MEGASCALE_PARALLEL_SCHEDULE_H_
#define MEGASCALE_PARALLEL_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"

// A pipeline schedule as data: for each stage the order of its work. It holds no times and no
// communication: replay.h gives it times, stage_events.h its sends and receives, schedule_file.h
// reads it from a file.
//
// A stage holds `chunks` virtual stages. Chunk c of stage i is global chunk c * stages + i, and the
// model is cut into stages * chunks global chunks, in order. The forward of a micro-batch in global
// chunk g needs its forward in g - 1; the backward in g needs the backward in g + 1 and the forward
// in g; the weight gradient in g needs the backward in g.
//
// Threads: values without shared state.
namespace megascale::parallel {

enum class Work : std::uint8_t {
  forward,
  backward,         // input gradients, and the weight gradients too unless the schedule splits them
  weight_gradient,  // the deferred weight gradients; only in schedules that split
};
constexpr std::size_t kWorkKinds = 3;

struct ScheduleItem {
  Work work = Work::forward;
  std::uint16_t chunk = 0;  // of this stage
  std::uint16_t micro_batch = 0;
  friend bool operator==(const ScheduleItem&, const ScheduleItem&) = default;
};
// "F3/1": the forward of micro-batch 3 in chunk 1; B backward, W weight gradient.
[[nodiscard]] std::string to_string(const ScheduleItem& item);

struct Schedule {
  std::string name;
  std::uint32_t stages = 1;
  std::uint32_t chunks = 1;  // of one stage
  std::uint32_t micro_batches = 1;
  bool splits_weight_gradients = false;
  std::vector<std::vector<ScheduleItem>> items;  // [stage], in the order of execution
  friend bool operator==(const Schedule&, const Schedule&) = default;

  [[nodiscard]] std::uint32_t global_chunk(std::uint32_t stage,
                                           std::uint32_t chunk) const noexcept {
    return chunk * stages + stage;
  }
  [[nodiscard]] std::uint32_t global_chunks() const noexcept { return stages * chunks; }
};

// The largest stages x chunks x micro_batches: a replay takes about 100 bytes for each.
constexpr std::uint64_t kLargestSchedule = 1ULL << 24U;
// What is wrong with the sizes of a schedule: one is 0 or above 65,536, or the product exceeds
// kLargestSchedule. Empty when nothing is.
[[nodiscard]] std::string size_problem(std::uint64_t stages, std::uint64_t chunks,
                                       std::uint64_t micro_batches);

// The functions below throw Error (bad_usage) for sizes with a size_problem(). Backwards run in
// micro-batch order: weight gradients add up in the same order in every schedule, so that the bits
// are the same.
// "In flight" counts the micro-batches of a chunk whose activations a stage holds (replay.h).
//
// All forwards, then all backwards. Idle (p-1)/(m+p-1) of the time; m in flight.
// Source: Huang et al. 2019, "GPipe".
[[nodiscard]] Schedule gpipe(std::uint32_t stages, std::uint32_t micro_batches);

// p-1-i forwards on stage i, then one forward and one backward in turn. Idle as GPipe;
// min(m, p-i) in flight on stage i. Source: Narayanan et al. 2019, 2021 ("PipeDream-Flush").
[[nodiscard]] Schedule one_forward_one_backward(std::uint32_t stages, std::uint32_t micro_batches);

// Interleaved 1F1B: micro-batches in groups of p, each group through all chunks of the stage; after
// 2(p-1-i) + (v-1)p forwards on stage i one forward and one backward in turn. Idle (p-1)/(v m+p-1);
// min(v m, 2(p-1-i) + (v-1)p + 1) in flight on stage i. With one chunk it is 1F1B. Throws Error
// (bad_usage) when chunks > 1 and micro_batches is no multiple of stages.
// Source: Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters
// Using Megatron-LM".
[[nodiscard]] Schedule interleaved(std::uint32_t stages, std::uint32_t chunks,
                                   std::uint32_t micro_batches);

// ZB-H1: 1F1B whose weight gradients run apart; stage i keeps i of them back, which fill its wait
// for the pipeline to drain. With m >= p and W no longer than F and B it idles (p-1)(F+B-W), where
// 1F1B idles (p-1)(F+B+W); with m < p (p-1)(F+B) - (m-1)W. min(m, p) in flight on every stage (1F1B
// has that on its first), until the weight gradient is done.
// Source: Qi et al. 2024, "Zero Bubble Pipeline Parallelism", arXiv 2401.10241.
[[nodiscard]] Schedule zero_bubble_h1(std::uint32_t stages, std::uint32_t micro_batches);

// "gpipe", "1f1b", "interleaved" or "zb-h1"; a name with a '/' or a '.' is a file
// (schedule_file.h), whose sizes must be the given ones. Throws Error (bad_usage, bad_input; io for
// the file).
[[nodiscard]] Schedule schedule_by_name(std::string_view name, std::uint32_t stages,
                                        std::uint32_t chunks, std::uint32_t micro_batches);

// The schedule that a resolved, valid configuration asks for: parallel.pipeline_schedule at its
// pipeline_model_parallel_size, virtual_pipeline_size and number of micro-batches. Throws as
// schedule_by_name().
[[nodiscard]] Schedule schedule_of(const Config& config);

// What is wrong with a schedule, and at which item.
struct ScheduleProblem {
  static constexpr std::size_t kNoItem = static_cast<std::size_t>(-1);
  std::uint32_t stage = 0;
  std::size_t item = kNoItem;  // its index in items[stage]; kNoItem: the stage as a whole
  std::string message;         // names the item, where there is one, but not its place
};
[[nodiscard]] std::string to_string(const ScheduleProblem& problem);

// Empty when every stage has every (chunk, micro-batch) exactly once in each kind of work; on its
// stage forward comes before backward before weight gradient; the backwards of a chunk, and its
// weight gradients, come in micro-batch order (a backward has the gradients of norms and of the
// head in it even where they are split); and the whole completes: if not, one problem for each
// stage that stops, naming the item that never starts and what it waits for. Completion is judged
// only when all else is right. Memory and time go with the items, not with the sizes.
[[nodiscard]] std::vector<ScheduleProblem> validate(const Schedule& schedule);

// Throws one Error (bad_input) with all problems, if there are any.
void require_valid(const Schedule& schedule);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_SCHEDULE_H_
