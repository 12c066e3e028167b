#ifndef MEGASCALE_OBSERVE_DECLINE_H_
#define MEGASCALE_OBSERVE_DECLINE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/observe/metrics_history.h"

// Finds out whether the steps of a run have become slower, and why. The utilization falls as
// steps become longer, since the FLOPs of a step do not change. MegaScale (arXiv 2402.15627), section
// 5.1, tells of the case that is hardest to see: computation takes as long as before, and transfers
// start at more and more different times, since some rank starts them late. All functions are pure.
namespace megascale::observe {

// The time of a step by cause, in seconds; NaN: not known.
struct StepParts {
  std::int64_t step = 0;
  double seconds = 0;
  double exposed_comm = 0, bubble = 0, data_wait = 0;
  double compute = 0;  // tasks of the compute lane
  double launch = 0;   // transfers could start and had not (RankStep::late_transfers())
};
// Of the lines of metrics.jsonl. They do not tell compute and launch.
[[nodiscard]] std::vector<StepParts> parts_of(std::span<const MetricsRow> rows);

enum class DeclineCause : std::uint8_t {
  compute,       // tasks of the compute lane take longer
  exposed_comm,  // bytes move for longer while nothing computes
  launch,        // transfers start late on some rank, and their partners wait
  bubble,        // waiting for partners, which start their transfers in time
  data_wait,     // batches come late
  other          // none of these: the host does other things, or the records do not tell
};
[[nodiscard]] std::string_view to_string(DeclineCause cause) noexcept;

struct Decline {
  std::int64_t until_step = 0;  // the end of the fastest time of the run
  double before = 0, now = 0;   // median seconds of a step, then and in the last steps
  DeclineCause cause = DeclineCause::other;
  double cause_seconds = 0;  // by which the cause's time has grown
  // The utilization relative to that of the fastest time, 0 to 1.
  [[nodiscard]] double remaining() const noexcept { return before / now; }
};

struct DeclineOptions {
  std::size_t window = 32;  // steps of which medians are taken
  double share = 0.03;      // by which a step must be longer
};
// Compares the last steps with the fastest time of the run. Returns nothing if they are not longer by
// `share` and by 5 robust standard deviations of the fastest time, or if there are fewer than two
// windows. `steps` is in the order of the steps.
[[nodiscard]] std::optional<Decline> find_decline(std::span<const StepParts> steps,
                                                  const DeclineOptions& options = {});

// Returns one clause: "steps take 6.0 % longer than until step 320: ..., +1.2 ms".
[[nodiscard]] std::string to_string(const Decline& decline);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_DECLINE_H_
