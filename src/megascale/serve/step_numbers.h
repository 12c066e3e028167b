#ifndef MEGASCALE_SERVE_STEP_NUMBERS_H_
#define MEGASCALE_SERVE_STEP_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/serve/rank_step_entry.h"

// The numbers of a rank's step as a row of floats of 4 bytes, in the byte order of the host. Their names
// are kept once for all rows of the same plan, so that a rank and step takes some hundred bytes. All
// functions are pure.
namespace megascale::serve {

struct StepNumbers {
  // One name a line, in the order of the numbers: "step", "phase.forward", "lane.data.busy", "op.linear",
  // "moving.0", "cores.needed", "worst.0.task". Numbers that are 0 may be left out.
  std::string names;
  std::string numbers;  // float32: seconds, and for tasks their number in the plan and their cause
};
[[nodiscard]] StepNumbers to_numbers(const RankStepEntry& entry);

// Names in a form that reads many rows fast.
class StepForm {
 public:
  // Names that this version does not know are skipped: a newer one may have more.
  explicit StepForm(std::string_view names);
  // Returns nothing if there are not as many numbers as names.
  [[nodiscard]] std::optional<RankStepEntry> read(std::string_view numbers) const;

 private:
  enum class Kind : std::uint8_t { unknown, time, phase, lane, moving, cores, worst, op };
  struct Place {
    Kind kind = Kind::unknown;
    std::size_t index = 0, part = 0;  // part: of a lane or a task
    std::string op;
  };
  [[nodiscard]] static Place place_of(std::string_view name);
  std::vector<Place> places_;
  std::size_t communicators_ = 0, worst_ = 0;
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_STEP_NUMBERS_H_
