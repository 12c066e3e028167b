#ifndef MEGASCALE_PARALLEL_STAGE_EVENTS_H_
#define MEGASCALE_PARALLEL_STAGE_EVENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/parallel/replay.h"
#include "megascale/parallel/schedule.h"

// A schedule with its sends and receives, in an order that every stage can issue.
namespace megascale::parallel {

// One tensor between two stages: an activation to the next global chunk (forward) or a gradient to
// the previous one (backward). Next and previous go around the end: the output of the last stage's
// chunk c goes to chunk c + 1 of stage 0.
struct Transfer {
  std::uint32_t from = 0, to = 0;  // stages; never equal: chunks of one stage need no transfer
  ScheduleItem producer;           // of `from`
  ScheduleItem consumer;           // of `to`
  Ticks produced = 0;              // when the producer ends in the unit replay
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

// All transfers of a valid schedule in one total order: by the time they are produced when every
// duration is 1 and transfers take 0, then by the producing stage (a stage ends one item at a
// time). Throws as replay().
[[nodiscard]] std::vector<Transfer> transfers(const Schedule& schedule);

struct StageEvent {
  enum class Kind : std::uint8_t {
    work,
    send_forward,      // to stage (i + 1) mod stages
    receive_forward,   // from stage (i - 1) mod stages
    send_backward,     // to stage (i - 1) mod stages
    receive_backward,  // from stage (i + 1) mod stages
  };
  Kind kind = Kind::work;
  ScheduleItem item;  // of this stage: the work, the producer of a send, the consumer of a receive
  friend bool operator==(const StageEvent&, const StageEvent&) = default;
};
[[nodiscard]] std::string to_string(const StageEvent& event);

// For each stage its items in their order, with its sends and receives between them.
// - The transfers of a stage stand in the order of transfers(). So two stages meet the transfers
//   that they share in the same order, whichever communicators carry them (NCCL's rule for calls in
//   issue order), and a pipeline that blocks on every event still completes.
// - A send stands after its producer, with nothing but receives that the order puts before it in
//   between.
// - A receive stands as late as the order allows: directly before its consumer, or before another
//   transfer. What is received early lies in memory for longer.
// The order never asks for a receive after its consumer: what a stage consumes was produced before
// the consumer ended, and so before anything that the consumer or a later item produces.
// With one stage there are no transfers. Throws as replay().
//
// Joined: a forward and the backward that follows it stand together, with the transfers of both
// before and behind, as Megatron-LM's interleaved schedule has them where transfers stop
// computation. Its stages then do a pair each between two exchanges; alone, a forward would wait
// for a neighbour's backward. A schedule that does not complete that way keeps its transfers apart.
enum class Exchanges : std::uint8_t { apart, joined };
[[nodiscard]] std::vector<std::vector<StageEvent>> events(const Schedule& schedule,
                                                          Exchanges exchanges = Exchanges::apart);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_STAGE_EVENTS_H_
