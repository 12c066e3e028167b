#include "megascale/api/load_job.h"

#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/train/start_point.h"

namespace megascale::api {
namespace {

CheckpointDefaults defaults_of(const checkpoint::Opened& opened, bool weights_only) {
  const Config config = train::config_of(opened);
  return {.model = config.model, .split_each_set = weights_only || config.data.split_each_set};
}

}  // namespace

FindModel model_to_plan(OnNote on_note) {
  return [on_note = std::move(on_note)](const Config& given) -> std::optional<CheckpointDefaults> {
    const std::string& load = given.checkpoint.load;
    if (load.empty()) return std::nullopt;
    try {
      return defaults_of(checkpoint::open_path(load, {}, checkpoint::Check::on_read),
                         given.checkpoint.start == CheckpointStart::weights);
    } catch (const Error& error) {
      on_note(
          fmt::format("note: keys of [model] that are not given have their defaults, because "
                      "checkpoint.load cannot be read here: {}",
                      error.message()));
      return std::nullopt;
    }
  };
}

FindModel model_to_train() {
  return [](const Config& given) -> std::optional<CheckpointDefaults> {
    const auto start = train::open_start_point(given, [](const std::string&) {});
    if (!start) return std::nullopt;
    return defaults_of(start->opened, start->weights_only);
  };
}

}  // namespace megascale::api
