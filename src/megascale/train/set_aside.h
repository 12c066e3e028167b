#ifndef MEGASCALE_TRAIN_SET_ASIDE_H_
#define MEGASCALE_TRAIN_SET_ASIDE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace megascale::train {

// Sees to it that no state of more than `most_steps` steps is loaded, because later ones may be
// damaged: renames such checkpoints in `checkpoints` to "doubtful-NAME", which no resume looks at,
// and removes such copies in `copies`. Rank 0 calls it before it looks for a state. Throws Error
// (io): a state that cannot be set aside must not be loaded.
void set_aside_later(const std::filesystem::path& checkpoints, const std::filesystem::path& copies,
                     std::int64_t most_steps,
                     const std::function<void(const std::string&)>& on_message);

// A run goes on from the state of `step`, and the checkpoints of later steps were passed over: they
// are damaged, or must not be used. Renames them to "passed-over-NAME", so that readers do not take
// them for steps that this run has done. Rank 0 calls it. What cannot be renamed stays, and is said.
// Throws Error (io) if the directory cannot be listed.
void set_aside_passed_over(const std::filesystem::path& checkpoints, std::int64_t step,
                           const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_SET_ASIDE_H_
