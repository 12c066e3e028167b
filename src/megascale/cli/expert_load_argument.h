#ifndef MEGASCALE_CLI_EXPERT_LOAD_ARGUMENT_H_
#define MEGASCALE_CLI_EXPERT_LOAD_ARGUMENT_H_

#include <string>
#include <string_view>

#include "megascale/cli/command.h"
#include "megascale/config/config.h"
#include "megascale/study/forecast/expert_loads.h"

namespace megascale::cli {

// The option --expert-load of `plan`, `simulate`, `tune` and `ablate`.
class ExpertLoadArgument {
 public:
  // `effect` ends the help text: what the command does with the loads.
  void add_to(Command& command, std::string_view effect);
  [[nodiscard]] bool is_given() const noexcept { return !description_.empty(); }
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  // Returns the loads; even ones if the option is not given. `config` must be resolved. Throws Error
  // (bad_usage).
  [[nodiscard]] simulate::ExpertLoads loads(const Config& config) const {
    return study::expert_loads(description_, config);
  }

 private:
  std::string description_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_EXPERT_LOAD_ARGUMENT_H_
