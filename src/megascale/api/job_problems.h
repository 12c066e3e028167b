#ifndef MEGASCALE_API_JOB_PROBLEMS_H_
#define MEGASCALE_API_JOB_PROBLEMS_H_

#include <string>
#include <vector>

#include "megascale/api/load_job.h"
#include "megascale/config/load.h"

namespace megascale::api {

// Returns everything that prevents a job from being trained on this machine, all at once: plans,
// memory, kernels and devices that do not exist, datasets, the tokenizer, the run directory, and the
// checkpoint that it starts from. Empty: nothing. `on_note` gets what is no error.
[[nodiscard]] std::vector<std::string> job_problems(const LoadedConfig& loaded,
                                                    const OnNote& on_note);

}  // namespace megascale::api

#endif  // MEGASCALE_API_JOB_PROBLEMS_H_
