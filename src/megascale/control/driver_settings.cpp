// The settings as JSON.
#include "megascale/control/driver_settings.h"

#include <algorithm>
#include <iterator>

#include "megascale/base/error.h"
#include "megascale/control/json_fields.h"

namespace megascale::control {

// The last `--ranks N` of `arguments` is that of `megascale submit`.
std::vector<std::string> arguments_for(const DriverSettings& settings, std::uint32_t world_size) {
  std::vector<std::string> arguments = settings.arguments;
  if (world_size == settings.world_size) return arguments;
  MEGASCALE_CHECK(!arguments.empty(), "a rank has a command line");
  const auto option = std::find(std::next(arguments.rbegin()), arguments.rend(), "--ranks");
  MEGASCALE_CHECK(option != arguments.rend(), "a job that may have fewer ranks names their number");
  *std::prev(option) = std::to_string(world_size);
  return arguments;
}

std::string to_text(const DriverSettings& settings) {
  return to_text(Json{{"world_size", settings.world_size},
                      {"arguments", settings.arguments},
                      {"acts", settings.acts},
                      {"heartbeat_seconds", settings.heartbeat_seconds},
                      {"lease_seconds", settings.lease_seconds},
                      {"frozen_seconds", settings.frozen_seconds},
                      {"frozen_multiple", settings.frozen_multiple},
                      {"start_seconds", settings.start_seconds},
                      {"grace_seconds", settings.grace_seconds},
                      {"backoff_seconds", settings.backoff_seconds},
                      {"loss_multiple", settings.loss_multiple},
                      {"loss_window", settings.loss_window},
                      {"slow_share", settings.slow_share},
                      {"restarts_per_hour", settings.restarts_per_hour},
                      {"fruitless_attempts", settings.fruitless_attempts},
                      {"checks", settings.checks},
                      {"check_least_share", settings.check_least_share},
                      {"block_bad_hosts", settings.block_bad_hosts},
                      {"hosts", settings.hosts},
                      {"wait_seconds", settings.wait_seconds},
                      {"fewer_hosts", settings.fewer_hosts},
                      {"fewer_after_seconds", settings.fewer_after_seconds},
                      {"directory", settings.directory},
                      {"run_dir", settings.run_dir},
                      {"checkpoints", settings.checkpoints},
                      {"session_key", settings.session_key}});
}

DriverSettings parse_driver_settings(std::string_view text) {
  const Parsed object = parse_object(text, "the settings of a driver");
  const Fields fields(object, "the settings of a driver");
  DriverSettings settings;
  settings.world_size = static_cast<std::uint32_t>(fields.integer("world_size", 1, 1 << 24));
  settings.arguments = fields.texts("arguments");
  settings.acts = fields.boolean("acts");
  settings.heartbeat_seconds = fields.real("heartbeat_seconds");
  settings.lease_seconds = fields.real("lease_seconds");
  settings.frozen_seconds = fields.real("frozen_seconds");
  settings.frozen_multiple = fields.real("frozen_multiple");
  settings.start_seconds = fields.real("start_seconds");
  settings.grace_seconds = fields.real("grace_seconds");
  settings.backoff_seconds = fields.real("backoff_seconds");
  // A record of an earlier version lacks these.
  if (object.contains("loss_multiple")) settings.loss_multiple = fields.real("loss_multiple");
  if (object.contains("slow_share")) settings.slow_share = fields.real("slow_share");
  if (object.contains("loss_window")) settings.loss_window = fields.at_least("loss_window", 1);
  settings.restarts_per_hour = fields.at_least("restarts_per_hour", 0);
  settings.fruitless_attempts = fields.at_least("fruitless_attempts", 1);
  settings.checks = fields.has("checks") && fields.boolean("checks");
  if (fields.has("check_least_share"))
    settings.check_least_share = fields.real("check_least_share");
  if (fields.has("block_bad_hosts")) settings.block_bad_hosts = fields.boolean("block_bad_hosts");
  settings.hosts = static_cast<std::uint32_t>(fields.integer_or("hosts", 1, 1 << 20, 1));
  if (fields.has("wait_seconds")) settings.wait_seconds = fields.real("wait_seconds");
  if (fields.has("fewer_hosts")) {
    for (const std::int64_t hosts : fields.integers("fewer_hosts", 1))
      settings.fewer_hosts.push_back(static_cast<std::uint32_t>(hosts));
  }
  if (fields.has("fewer_after_seconds"))
    settings.fewer_after_seconds = fields.real("fewer_after_seconds");
  settings.directory = fields.text_or("directory", {});
  settings.run_dir = fields.text_or("run_dir", {});
  settings.checkpoints = fields.text_or("checkpoints", {});
  settings.session_key = fields.text_or("session_key", {});
  return settings;
}

}  // namespace megascale::control
