#ifndef MEGASCALE_CLI_SAMPLING_ARGUMENTS_H_
#define MEGASCALE_CLI_SAMPLING_ARGUMENTS_H_

#include "megascale/cli/command.h"
#include "megascale/generate/sampler.h"

namespace megascale::cli {

// Adds the options of sampling. `sampler` must live until the action has run.
void add_sampling_to(Command& command, generate::SamplerOptions& sampler);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_SAMPLING_ARGUMENTS_H_
