#ifndef MEGASCALE_CONFIG_FIELDS_H_
#define MEGASCALE_CONFIG_FIELDS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "megascale/config/config.h"

// The one table of configuration keys. Parsing, overrides, writing, documentation and hints all
// walk it, so a key that stands here is everywhere, and one that does not is nowhere.
namespace megascale {

struct IntegerAccess {
  std::int64_t& (*get)(Config&);
  std::int64_t min;
  std::int64_t max;
};
struct RealAccess {
  double& (*get)(Config&);
  double min;
  double max;
  bool min_allowed;  // [min or (min
  bool max_allowed;  // max] or max)
};
struct BooleanAccess {
  bool& (*get)(Config&);
};
struct StringAccess {
  std::string& (*get)(Config&);
  bool may_be_empty;
};
struct EnumAccess {
  std::string_view (*get)(const Config&);  // empty when the value has no name here
  bool (*set)(Config&, std::string_view);  // false when the name is unknown
  std::vector<std::string> (*names)();
};
struct StringListAccess {
  std::vector<std::string>& (*get)(Config&);
};
struct IntegerListAccess {
  std::vector<std::int64_t>& (*get)(Config&);  // elements >= 0
};
using Access = std::variant<IntegerAccess, RealAccess, BooleanAccess, StringAccess, EnumAccess,
                            StringListAccess, IntegerListAccess>;

struct Field {
  std::string_view section;
  std::string_view key;
  Access access;
  std::string_view meaning;  // one sentence, with the unit
  std::string_view
      also_known;  // names in other engines, separated by spaces: hints only, never accepted
};

// Sections are contiguous and in the order of the documentation.
[[nodiscard]] std::span<const Field> config_fields();
[[nodiscard]] const Field* find_field(std::string_view section, std::string_view key);
// "section.key"
[[nodiscard]] std::string full_name(const Field& field);
// "integer >= 1", "one of: gelu, swiglu"
[[nodiscard]] std::string describe_type(const Field& field);
// What is wrong with the field's own value, if anything: "expected ..., found ...".
[[nodiscard]] std::optional<std::string> range_error(const Field& field, const Config& config);
// The value as TOML.
[[nodiscard]] std::string toml_value(const Field& field, const Config& config);

// Sets the keys whose defaults depend on model.type.
void apply_model_type_defaults(ModelConfig& model);

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_FIELDS_H_
