#ifndef MEGASCALE_CONFIG_FIELD_ACCESS_H_
#define MEGASCALE_CONFIG_FIELD_ACCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/fields.h"

// Builders of the accessors in the table of keys (fields.cpp). They are functions without captures, made from
// pointers to members, so the table is constant data. A section is a member of Config, or a function that
// returns a part of one. Internal to this folder.
namespace megascale::field_access {

// A value of an enumeration and its name; a table of them is the last argument of choice().
template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};
template <class Enum>  // clang 14 does not deduce template arguments of aggregates by itself
EnumName(Enum, std::string_view)->EnumName<Enum>;

template <auto Section, auto Member>
auto& member(Config& config) {
  return std::invoke(Section, config).*Member;
}
template <auto Section, auto Member>
constexpr Access integer(std::int64_t min, std::int64_t max) {
  return IntegerAccess{&member<Section, Member>, min, max};
}
template <auto Section, auto Member>
constexpr Access integer_or_auto(std::int64_t min, std::int64_t max) {
  return IntegerAccess{&member<Section, Member>, min, max, true};
}
enum class Ends : std::uint8_t { closed, open_below, open_above };  // open: without that bound
template <auto Section, auto Member>
constexpr Access real(double min, double max, Ends ends = Ends::closed) {
  return RealAccess{&member<Section, Member>, min, max, ends != Ends::open_below,
                    ends != Ends::open_above};
}
template <auto Section, auto Member>
constexpr Access boolean() {
  return BooleanAccess{&member<Section, Member>};
}
template <auto Section, auto Member>
constexpr Access text(bool may_be_empty) {
  return StringAccess{&member<Section, Member>, may_be_empty};
}
template <auto Section, auto Member, const auto& Names>
constexpr Access choice() {
  return EnumAccess{[](const Config& config) {
                      for (const auto& [value, name] : Names) {
                        if (value == member<Section, Member>(const_cast<Config&>(config)))
                          return name;
                      }
                      return std::string_view{};
                    },
                    [](Config& config, std::string_view wanted) {
                      for (const auto& [value, name] : Names) {
                        if (name == wanted) {
                          member<Section, Member>(config) = value;
                          return true;
                        }
                      }
                      return false;
                    },
                    [] {
                      std::vector<std::string> names;
                      for (const auto& entry : Names) names.emplace_back(entry.name);
                      return names;
                    }};
}
template <auto Section, auto Member>
constexpr Access text_list() {
  return StringListAccess{&member<Section, Member>};
}
template <auto Section, auto Member>
constexpr Access integer_list() {
  return IntegerListAccess{&member<Section, Member>};
}
template <auto Section, auto Member>
constexpr Access real_list() {
  return RealListAccess{&member<Section, Member>};
}

}  // namespace megascale::field_access

#endif  // MEGASCALE_CONFIG_FIELD_ACCESS_H_
