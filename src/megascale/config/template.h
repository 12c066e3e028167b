#ifndef MEGASCALE_CONFIG_TEMPLATE_H_
#define MEGASCALE_CONFIG_TEMPLATE_H_

#include <string>
#include <string_view>
#include <vector>

namespace megascale {

// Returns the names that configuration_template() knows: every model.type, and variants of some.
[[nodiscard]] std::vector<std::string> template_families();
// Returns a configuration to begin with, as TOML: a small model of this family (empty: gpt2) over
// bytes, with every key, its meaning and its values. Keys that keep their default are commented out.
// Throws Error (bad_usage) if there is no such family.
[[nodiscard]] std::string configuration_template(std::string_view family);

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_TEMPLATE_H_
