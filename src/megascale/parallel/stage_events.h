#ifndef MEGASCALE_PARALLEL_STAGE_EVENTS_H_
#define MEGASCALE_PARALLEL_STAGE_EVENTS_H_

#include <cstdint>
#include <vector>

#include "megascale/parallel/replay.h"
#include "megascale/parallel/schedule.h"

// Adds sends and receives to a schedule, in an order in which every stage can issue them without a
// deadlock. All types are values; all functions may be called from any thread.
namespace megascale::parallel {

// A tensor that one stage sends to another: an activation to the next global chunk (forward), or a
// gradient to the previous one (backward). Stages form a ring: the output of chunk c of the last
// stage goes to chunk c + 1 of stage 0.
struct Transfer {
  std::uint32_t from = 0, to = 0;  // stages; different, as chunks of one stage need no transfer
  ScheduleItem producer;           // item of stage `from`
  ScheduleItem consumer;           // item of stage `to`
  Ticks produced = 0;              // end of the producer in the replay of transfers()
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

// Returns all transfers of a valid schedule in one total order. The first criterion is the time
// when the producer ends, in a replay with the default Durations. The second is the producing
// stage; it decides, since a stage ends one item at a time. Throws as replay().
[[nodiscard]] std::vector<Transfer> transfers(const Schedule& schedule);

// One entry of a stage's order: an item of work, a send or a receive.
struct StageEvent {
  enum class Kind : std::uint8_t {
    work,
    send_forward,      // to stage (i + 1) mod stages
    receive_forward,   // from stage (i - 1) mod stages
    send_backward,     // to stage (i - 1) mod stages
    receive_backward,  // from stage (i + 1) mod stages
  };
  Kind kind = Kind::work;
  // An item of this stage: the work itself, the producer of a send, or the consumer of a receive.
  ScheduleItem item;
  friend bool operator==(const StageEvent&, const StageEvent&) = default;
};

// How events() places transfers among the items of a stage.
//   apart     Each transfer stands by itself between items.
//   joined    A forward and the backward that follows it stand together; the transfers of both
//             stand before and after the pair. Megatron-LM's interleaved schedule does so if
//             transfers are not overlapped with computation. Each stage then computes a whole
//             pair between two exchanges. If the transfers stood apart, a forward would wait
//             for a neighbour's backward. A schedule that would not complete with pairs keeps
//             its transfers apart.
//   prompt    Like apart, but a receive stands where the replay has the tensor: before the first item
//             that starts when the tensor is made or later. If transfers are not overlapped, a
//             sender stands still until the receiver takes the tensor. Where weight gradients are
//             split off, a stage has work between the time when a neighbour has made a gradient and
//             the backward that needs it, and a receive before that backward would hold up the
//             neighbour meanwhile.
enum class Exchanges : std::uint8_t { apart, joined, prompt };
// Returns for each stage its items, with its sends and receives between them. With one stage there
// are no transfers. Throws as replay().
// - The transfers of a stage stand in the order of transfers(). Two stages therefore meet the
//   transfers that they share in the same order, whichever communicators carry them (NCCL requires
//   equal issue order). A pipeline that blocks on every event still completes.
// - A send stands after its producer. Only receives that precede it in the total order may stand
//   between the two.
// - A receive stands as late as the order allows (unless prompt): directly before its consumer, or
//   before another transfer. A tensor that is received early occupies memory for longer.
// The order never places a receive after its consumer. The received tensor was produced before the
// consumer ended, so its transfer precedes all transfers that the consumer or later items produce.
[[nodiscard]] std::vector<std::vector<StageEvent>> events(const Schedule& schedule,
                                                          Exchanges exchanges = Exchanges::apart);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_STAGE_EVENTS_H_
