// Loads the configuration that a command line describes. Overrides come from three sources; a later
// one wins: the launcher's number of ranks, --set, --ranks. If a launcher started the ranks, their
// number is fixed, and the command line may only repeat it.
#include <fmt/format.h>

#include "megascale/api/load_job.h"
#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/comm/process/process_rank.h"
#include "megascale/study/forecast/dispatch_choice.h"

namespace megascale::cli {
namespace {

// Returns whether this process speaks for its job.
bool is_first_process() {
  const auto process = comm::ProcessLaunch::from_environment();
  return !process || process->environment.rank == 0;
}

// Chooses the way of dispatch if it is open; the first process of a job says how.
void choose_dispatch(Config& config) {
  const std::string chosen = study::choose_dispatch(config);
  if (!chosen.empty() && is_first_process()) say("megascale: " + chosen);
}

}  // namespace

void ConfigArguments::add_to(Command& command) {
  command.option("CONFIG", file, "configuration file (TOML)").required();
  command.option("--set", overrides, "override: section.key=value (may be repeated)");
  command.option("--ranks", ranks, "ranks of this job (parallel.world_size)").positive();
}

Config ConfigArguments::load(std::uint32_t launched) const {
  return load_on(launched, api::model_to_plan([](const std::string& note) { say(note); })).config;
}

void say_full_batch(const Config& config) {
  if (config.train.rampup_batch_size.empty()) return;
  say(fmt::format(
      "note: with train.rampup_batch_size, steps of {} sequences are looked at, the last "
      "size",
      config.train.global_batch_size));
}

LoadedConfig ConfigArguments::load_for_training(std::uint32_t launched) const {
  LoadedConfig loaded = load_on(launched, api::model_to_train());
  if (loaded.config.overlap.fused_pairs && is_first_process()) {
    say("megascale: overlap.fused_pairs has no effect on a run: there is no kernel that computes a "
        "transfer and a product together. Their tasks run one after the other, with the same bits");
  }
  return loaded;
}

LoadedConfig ConfigArguments::load_on(std::uint32_t launched, const FindModel& find_model) const {
  const auto require_launched = [&](std::int64_t wanted) {
    if (launched == 0 || wanted == launched) return;
    throw Error(ErrorCode::bad_usage,
                fmt::format("the command line asks for {} ranks, but the launcher started {} "
                            "processes: leave out --ranks (or --set parallel.world_size), or start "
                            "as many",
                            wanted, launched));
  };
  if (ranks > 0) require_launched(ranks);
  std::vector<std::string> all;
  // It wins over the file. A different number on the command line is an error.
  if (launched > 0) all.push_back(fmt::format("parallel.world_size={}", launched));
  all.insert(all.end(), overrides.begin(), overrides.end());
  if (ranks > 0) all.push_back(fmt::format("parallel.world_size={}", ranks));
  LoadedConfig loaded = load_config_on_model(file, all, find_model);
  require_launched(loaded.config.parallel.world_size);
  if (!keeps_dispatch_open) choose_dispatch(loaded.config);
  return loaded;
}

}  // namespace megascale::cli
