#ifndef MEGASCALE_GRAPH_ATTRIBUTES_H_
#define MEGASCALE_GRAPH_ATTRIBUTES_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "megascale/graph/attribute_names.h"

// The constants of an op, such as the number of heads or the epsilon of a norm.
namespace megascale::graph {

using AttributeValue = std::variant<std::int64_t, double, std::vector<double>>;

// The attributes of one op by name (attribute_names.h). All kinds share this form, so plans can be
// dumped, digested and read back without knowledge of the kinds. It is a bug to read an absent
// attribute without a default, or with another type. A value type: copies are independent.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string_view, AttributeValue>> values) {
    for (const auto& [name, value] : values) set(name, value);
  }
  // Return the value of an integer attribute; the second form returns `absent` if there is none.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t absent) const;
  // Return the value of a float64 attribute; the second form returns `absent` if there is none.
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name, double absent) const;
  [[nodiscard]] const std::vector<double>& reals(std::string_view name) const;
  void set(std::string_view name, AttributeValue value) {
    values_[std::string(name)] = std::move(value);
  }
  [[nodiscard]] const std::map<std::string, AttributeValue, std::less<>>& values() const noexcept {
    return values_;
  }

 private:
  std::map<std::string, AttributeValue, std::less<>> values_;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_ATTRIBUTES_H_
