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

// The table of all configuration keys. Parsing, overrides, writing, documentation and hints all
// walk this table, so a new key needs one row in fields.cpp and a member in config.h.
namespace megascale {

// How to reach a key's value in a Config, and which values it may have; one type for each type of
// value.
struct IntegerAccess {
  std::int64_t& (*get)(Config&);
  std::int64_t min;
  std::int64_t max;
  bool may_be_auto = false;  // the text "auto" is a value too: CheckpointConfig::kAuto
};
struct RealAccess {
  double& (*get)(Config&);
  double min;
  double max;
  bool min_allowed;  // true: [min, ...; false: (min, ...
  bool max_allowed;  // true: ..., max]; false: ..., max)
};
struct BooleanAccess {
  bool& (*get)(Config&);
};
struct StringAccess {
  std::string& (*get)(Config&);
  bool may_be_empty;
};
struct EnumAccess {
  std::string_view (*get)(const Config&);  // empty: the value cannot be configured
  bool (*set)(Config&, std::string_view);  // false: the name is unknown, nothing is set
  std::vector<std::string> (*names)();
};
struct StringListAccess {
  std::vector<std::string>& (*get)(Config&);
};
struct IntegerListAccess {
  std::vector<std::int64_t>& (*get)(Config&);  // elements >= 0
};
struct RealListAccess {
  std::vector<double>& (*get)(Config&);  // elements > 0 and finite
};
using Access = std::variant<IntegerAccess, RealAccess, BooleanAccess, StringAccess, EnumAccess,
                            StringListAccess, IntegerListAccess, RealListAccess>;

// One configuration key: a row of the table.
struct Field {
  std::string_view section;
  std::string_view key;
  Access access;
  std::string_view meaning;  // for the documentation, with the unit
  // Names of this key in other engines, separated by spaces. They appear in hints ("here it is
  // model.num_layers") and are not accepted as keys.
  std::string_view also_known;
};

// Returns all rows. The rows of a section are contiguous, and sections are in the order of the
// documentation. The rows live as long as the process.
[[nodiscard]] std::span<const Field> config_fields();
// Returns the row of a key, or null if there is no such key.
[[nodiscard]] const Field* find_field(std::string_view section, std::string_view key);
// Returns "section.key".
[[nodiscard]] std::string full_name(const Field& field);
// Returns the type and range for messages: "integer >= 1", "one of: gelu, swiglu".
[[nodiscard]] std::string describe_type(const Field& field);
// Returns nothing if the field's value is in its range, otherwise "expected ..., found ...".
[[nodiscard]] std::optional<std::string> range_error(const Field& field, const Config& config);
// Returns the field's value as TOML.
[[nodiscard]] std::string toml_value(const Field& field, const Config& config);

// Sets the keys whose defaults depend on model.type.
void apply_model_type_defaults(ModelConfig& model);

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_FIELDS_H_
