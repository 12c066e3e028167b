// The settings as JSON.
#include "megascale/control/driver_settings.h"

#include "megascale/control/json_fields.h"

namespace megascale::control {

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
                      {"restarts_per_hour", settings.restarts_per_hour},
                      {"fruitless_attempts", settings.fruitless_attempts}});
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
  settings.restarts_per_hour = fields.at_least("restarts_per_hour", 0);
  settings.fruitless_attempts = fields.at_least("fruitless_attempts", 1);
  return settings;
}

}  // namespace megascale::control
