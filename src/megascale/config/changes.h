#ifndef MEGASCALE_CONFIG_CHANGES_H_
#define MEGASCALE_CONFIG_CHANGES_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"

// Compares the configuration of a job with the one in the checkpoint that it starts from. All
// functions may be called from any thread.
namespace megascale {

// The part of a run that a changed key affects.
enum class ChangeKind : std::uint8_t {
  model,      // the function that the weights compute; never allowed
  tokenizer,  // what the ids of the data mean
  data,       // which samples come, and in which order
  batch,      // the number of samples of a step
  schedule,   // the learning rate of a step
  optimizer,  // the rule that updates the weights
  adapters,   // which adapters are trained; only a run that takes the weights alone may add some
};
[[nodiscard]] std::string_view to_string(ChangeKind kind) noexcept;
// The kinds that checkpoint.allow_changes may name.
inline constexpr std::array kAllowableChanges{ChangeKind::tokenizer, ChangeKind::data,
                                              ChangeKind::batch, ChangeKind::schedule,
                                              ChangeKind::optimizer};

struct ConfigChange {
  ChangeKind kind = ChangeKind::model;
  std::string key;          // "model.rotary_base"
  std::string now, before;  // values as TOML: of the job, of the checkpoint
};
// Returns the keys in which a job differs from its checkpoint, in the order of the table of keys.
// Keys that have no effect in both are left out, for instance data.seed without shuffling. So are
// keys that a run may change at any time, for instance its layout or its kernels. Both
// configurations must be resolved.
[[nodiscard]] std::vector<ConfigChange> find_changes(const Config& now, const Config& before);

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_CHANGES_H_
