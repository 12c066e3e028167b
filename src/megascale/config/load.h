#ifndef MEGASCALE_CONFIG_LOAD_H_
#define MEGASCALE_CONFIG_LOAD_H_

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/config/config.h"

// Reads a configuration from TOML text and overrides, checks it, and writes it back. The precedence
// is defaults < defaults of model.type < file < overrides. If two overrides set the same key, the
// later one counts. In names of keys and sections, `-` and `_` are equivalent. Any thread may call
// these functions.
namespace megascale {

// Reads `file`, applies `overrides`, and returns a valid, resolved configuration. An override is
// "section.key=value" with a TOML value; strings need no quotes, and lists may be written a,b,c.
// Throws one Error (bad_usage) that holds all errors, one per line, each with file, line and key.
// Errors are: broken TOML, unknown sections and keys (with the nearest known name), wrong types,
// values out of range, and every violated rule of validate(). If a key has an error of its own,
// rules that use it are not checked.
[[nodiscard]] Config load_config(const std::filesystem::path& file,
                                 std::span<const std::string> overrides = {});
// The same for a text instead of a file. `file_name` is used in messages only.
[[nodiscard]] Config parse_config(std::string_view text, std::string_view file_name,
                                  std::span<const std::string> overrides = {});

// The keys that the file and the overrides give, by full name, each with the place that decided its
// value: "my.toml:4" or "--set model.num_layers=2". Other keys have defaults.
using ConfigPlaces = std::map<std::string, std::string, std::less<>>;
struct LoadedConfig {
  Config config;  // valid and resolved
  ConfigPlaces places;
};
// The values of a checkpoint for keys that a job does not give.
struct CheckpointDefaults {
  ModelConfig model;
  bool split_each_set = true;  // of [data]; a run that goes on keeps its samples
};
// Returns the values of the checkpoint that a job starts from, or nothing if there is none. Gets the
// configuration as it is given: resolved, but not checked against ranges and rules.
using FindModel = std::function<std::optional<CheckpointDefaults>(const Config& given)>;
// Like load_config() and parse_config(), for a job that may start from a checkpoint, and with the
// places of the values. Keys of [model] and data.split_each_set that neither the file nor an override
// gives come from what `find_model` returns; it may be empty. With rotary positions max_position_embeddings
// grows to a larger seq_length. Also throw what `find_model` throws.
[[nodiscard]] LoadedConfig load_config_on_model(const std::filesystem::path& file,
                                                std::span<const std::string> overrides,
                                                const FindModel& find_model);
[[nodiscard]] LoadedConfig parse_config_on_model(std::string_view text, std::string_view file_name,
                                                 std::span<const std::string> overrides,
                                                 const FindModel& find_model = {});
// Returns the values that a TOML text gives, resolved but not checked against ranges and rules, and
// their places. It reads configurations in checkpoints, which rules of later versions may refuse.
// Throws Error (bad_usage) for broken TOML, unknown keys and wrong types.
[[nodiscard]] LoadedConfig read_values(std::string_view text, std::string_view file_name);

// Returns all errors of a configuration, in the order of docs/configuration.md. The result is empty
// if the configuration is valid. Needs no devices and opens no files. Accepts resolved and
// unresolved configurations.
[[nodiscard]] std::vector<Error> validate(const Config& config);

// Returns every key with its value as TOML. parse_config(to_toml(c)) == resolve(c) for every valid
// c.
[[nodiscard]] std::string to_toml(const Config& config);

// Returns the text of docs/configuration.md, written from the table of keys and the rules.
[[nodiscard]] std::string configuration_reference();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_LOAD_H_
