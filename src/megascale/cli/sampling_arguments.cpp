#include "megascale/cli/sampling_arguments.h"

namespace megascale::cli {

void add_sampling_to(Command& command, generate::SamplerOptions& sampler) {
  command.option("--temperature", sampler.temperature, "0: always the most likely token")
      .at_least_zero()
      .shows_default();
  command.option("--top-k", sampler.top_k, "sample only from this many most likely tokens (0: all)")
      .at_least_zero()
      .shows_default();
  command
      .option("--top-p", sampler.top_p,
              "sample from the most likely tokens that have this probability together")
      .from_0_to_1()
      .shows_default();
  command.option("--seed", sampler.seed, "seed of the sampling").shows_default();
}

}  // namespace megascale::cli
