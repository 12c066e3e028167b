#ifndef MEGASCALE_CONFIG_LOAD_H_
#define MEGASCALE_CONFIG_LOAD_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/config/config.h"

// From text to a valid, resolved Config and back. Precedence: defaults < model.type < file <
// overrides, and of two overrides of one key the later. In keys and sections `-` and `_` are alike.
namespace megascale {

// Reads `file` and applies `overrides` ("section.key=value": a TOML value; strings need no quotes,
// lists may be written a,b,c). Throws one Error (bad_usage) that holds all errors, one per line,
// each with file, line and key: broken TOML, unknown sections and keys with the nearest known name,
// wrong types, values out of range, and every rule of validate(). A key with an error of its own
// takes no part in rules between keys.
[[nodiscard]] Config load_config(const std::filesystem::path& file,
                                 std::span<const std::string> overrides = {});
// The same for a text; `file_name` is for messages only.
[[nodiscard]] Config parse_config(std::string_view text, std::string_view file_name,
                                  std::span<const std::string> overrides = {});

// All errors of a configuration, in the order of docs/configuration.md; empty when it is valid.
// Needs no devices and opens no files. Works on resolved and unresolved configurations alike.
[[nodiscard]] std::vector<Error> validate(const Config& config);

// Every key with its value. parse_config(to_toml(c)) == resolve(c) for every valid c.
[[nodiscard]] std::string to_toml(const Config& config);

// docs/configuration.md, written from the table of keys.
[[nodiscard]] std::string configuration_reference();

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_LOAD_H_
