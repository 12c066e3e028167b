// Looks up the attributes of an op. An absent name or a wrong type is a bug of the caller.
#include "megascale/graph/attributes.h"

#include "megascale/base/error.h"

namespace megascale::graph {

std::int64_t Attributes::integer(std::string_view name) const {
  const auto found = values_.find(name);
  MEGASCALE_CHECK(found != values_.end(), name);
  return std::get<std::int64_t>(found->second);
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t absent) const {
  const auto found = values_.find(name);
  return found == values_.end() ? absent : std::get<std::int64_t>(found->second);
}

double Attributes::real(std::string_view name) const {
  const auto found = values_.find(name);
  MEGASCALE_CHECK(found != values_.end(), name);
  return std::get<double>(found->second);
}

double Attributes::real(std::string_view name, double absent) const {
  const auto found = values_.find(name);
  return found == values_.end() ? absent : std::get<double>(found->second);
}

const std::vector<double>& Attributes::reals(std::string_view name) const {
  const auto found = values_.find(name);
  MEGASCALE_CHECK(found != values_.end(), name);
  return std::get<std::vector<double>>(found->second);
}

}  // namespace megascale::graph
