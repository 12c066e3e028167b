#ifndef MEGASCALE_GRAPH_ATTRIBUTES_H_
#define MEGASCALE_GRAPH_ATTRIBUTES_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "megascale/graph/attribute_names.h"

namespace megascale::graph {

using AttributeValue = std::variant<std::int64_t, double>;

// The constants of an op by name (attribute_names.h). One form for all kinds, so that plans are
// dumped, digested and read back without knowing the kinds. Reading an absent name is a bug unless
// a default is given.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string_view, AttributeValue>> values) {
    for (const auto& [name, value] : values) set(name, value);
  }
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t absent) const;
  [[nodiscard]] double real(std::string_view name) const;
  void set(std::string_view name, AttributeValue value) { values_[std::string(name)] = value; }
  [[nodiscard]] const std::map<std::string, AttributeValue, std::less<>>& values() const noexcept {
    return values_;
  }

 private:
  std::map<std::string, AttributeValue, std::less<>> values_;
};

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_ATTRIBUTES_H_
