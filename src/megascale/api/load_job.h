#ifndef MEGASCALE_API_LOAD_JOB_H_
#define MEGASCALE_API_LOAD_JOB_H_

#include <functional>
#include <string>

#include "megascale/config/load.h"

// How a job finds the values that nobody gives: keys of [model] from a checkpoint.
namespace megascale::api {

using OnNote = std::function<void(const std::string&)>;

// For a job that is only planned: the checkpoint that checkpoint.load names, if it can be read here;
// otherwise `on_note` gets the reason, since a plan may be made on another machine than the training.
[[nodiscard]] FindModel model_to_plan(OnNote on_note);
// For a training: the checkpoint that it would start from. It throws the errors of
// train::open_start_point(). Damaged checkpoints are reported when the training opens them.
[[nodiscard]] FindModel model_to_train();

}  // namespace megascale::api

#endif  // MEGASCALE_API_LOAD_JOB_H_
