#ifndef MEGASCALE_STUDY_FORECAST_DISPATCH_CHOICE_H_
#define MEGASCALE_STUDY_FORECAST_DISPATCH_CHOICE_H_

#include <string>

#include "megascale/config/config.h"
#include "megascale/simulate/cluster.h"

// The way of dispatch that moe.token_dispatcher_type = "auto" means on a described machine
// (MegaScale-MoE, arXiv 2505.11432, section 3, which switches by the same comparison).
namespace megascale::study {

// Bytes of a row on its way to an expert; with fp8_communication it has a float32 scale.
[[nodiscard]] double dispatched_row_nbytes(const ModelConfig& model) noexcept;

// Seconds of the transfers of one layer and micro-batch in the forward, to the experts and back: of
// rows and of counts, for a rank with the mean of rows. Choices and weights, a hundredth of the bytes
// of rows, are left out.
struct DispatchTimes {
  double alltoall = 0, allgather = 0;
  [[nodiscard]] bool gathers() const noexcept { return allgather < alltoall; }
};
// `config` must be resolved and valid.
[[nodiscard]] DispatchTimes dispatch_times(const Config& config, const simulate::Cluster& cluster);

// Replaces "auto" in `config`, which must be resolved and valid, by the way that takes less time at the
// rates of moe.token_dispatcher_rates. Returns what was chosen and by which numbers, for people; an
// empty text if nothing was: the type is given, no rank sends tokens, or no file is named. Reads the
// file. Throws Error (bad_usage) if the file is bad, or if the choice breaks a rule.
[[nodiscard]] std::string choose_dispatch(Config& config);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_DISPATCH_CHOICE_H_
