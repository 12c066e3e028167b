#ifndef MEGASCALE_CONFIG_LOAD_H_
#define MEGASCALE_CONFIG_LOAD_H_

#include <filesystem>
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
