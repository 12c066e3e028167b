#ifndef MEGASCALE_CONFIG_RULES_H_
#define MEGASCALE_CONFIG_RULES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"

// Rules between keys, as a table: validate() checks them and docs/configuration.md lists them.
namespace megascale {

struct Rule {
  std::vector<std::string_view> keys;  // "section.key"; everything that `holds` depends on
  std::string_view law;                // completes "expected ..."
  bool (*holds)(const Config&);        // of a resolved configuration whose `keys` are each in range
};
[[nodiscard]] std::span<const Rule> config_rules();

// One thing that is wrong with a configuration, before it is known where its values came from.
struct Violation {
  std::vector<std::string> keys;  // the first is the one to name
  std::string message;            // "expected ..., found ..."
};
// Ranges first, in the order of the table, then rules. Keys in `broken` (their text could not be
// read) take no part.
[[nodiscard]] std::vector<Violation> find_violations(const Config& config,
                                                     std::span<const std::string> broken = {});

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_RULES_H_
