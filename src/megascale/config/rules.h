#ifndef MEGASCALE_CONFIG_RULES_H_
#define MEGASCALE_CONFIG_RULES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"

// The table of rules between keys. validate() checks them, and docs/configuration.md lists them.
namespace megascale {

struct Rule {
  std::vector<std::string_view> keys;  // "section.key" of every key that `holds` depends on
  std::string_view law;                // completes the sentence "expected ..."
  // True if the rule is satisfied. Takes a resolved configuration in which each of `keys` is in
  // range.
  bool (*holds)(const Config&);
  // Ends the message: the key that helps, if that is not plain from the law. May be empty.
  std::string_view advice = {};
};
// Returns all rules. They live as long as the process.
[[nodiscard]] std::span<const Rule> config_rules();

// One error of a configuration, without the place in a file or override that the value came from.
struct Violation {
  std::vector<std::string> keys;  // the keys that are involved; messages name the first
  std::string message;            // "expected ..., found ..."
};
// Returns all violations: values out of range first, in the order of the table of keys, then rules.
// `broken` names keys whose value could not be read; neither their range nor rules that use them
// are checked.
[[nodiscard]] std::vector<Violation> find_violations(const Config& config,
                                                     std::span<const std::string> broken = {});

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_RULES_H_
