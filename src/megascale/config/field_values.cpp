// Everything that depends on the type of a key's value: its description for messages, its range
// check, and its text as TOML. Every function visits the variant `Access`, so that a new type of
// value does not compile until all of them handle it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "megascale/base/utf8.h"
#include "megascale/config/fields.h"

namespace megascale {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// The accessors return mutable references. This file only reads through them.
Config& readable(const Config& config) { return const_cast<Config&>(config); }

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Returns the shortest text that reads back as the same double. A TOML float needs a point or an
// exponent.
std::string toml_real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string integer_type(std::int64_t min, std::int64_t max) {
  if (max == std::numeric_limits<std::int64_t>::max()) return fmt::format("integer >= {}", min);
  return fmt::format("integer from {} to {}", min, max);
}

std::string real_type(const RealAccess& real) {
  return fmt::format("number {} {} and {} {}", real.min_allowed ? ">=" : ">", real.min,
                     real.max_allowed ? "<=" : "<", real.max);
}

std::optional<std::string> text_error(std::string_view text, bool may_be_empty) {
  if (text.empty() && !may_be_empty) return "expected a string that is not empty, found \"\"";
  const std::size_t valid = valid_utf8_prefix(text);
  if (valid != text.size()) {
    return fmt::format("expected UTF-8, found another byte at position {}", valid);
  }
  return std::nullopt;
}

}  // namespace

std::string describe_type(const Field& field) {
  return std::visit(
      Overloaded{
          [](const IntegerAccess& a) {
            return integer_type(a.min, a.max) + (a.may_be_auto ? ", or \"auto\"" : "");
          },
          [](const RealAccess& a) { return real_type(a); },
          [](const BooleanAccess&) { return std::string("true or false"); },
          [](const StringAccess&) { return std::string("string"); },
          [](const EnumAccess& a) { return fmt::format("one of: {}", fmt::join(a.names(), ", ")); },
          [](const StringListAccess&) { return std::string("list of strings"); },
          [](const IntegerListAccess&) { return std::string("list of integers >= 0"); },
          [](const RealListAccess&) { return std::string("list of finite numbers > 0"); },
      },
      field.access);
}

std::optional<std::string> range_error(const Field& field, const Config& config) {
  Config& c = readable(config);
  const auto expected = [&](const auto& found) {
    return fmt::format("expected {}, found {}", describe_type(field), found);
  };
  return std::visit(
      Overloaded{
          [&](const IntegerAccess& a) -> std::optional<std::string> {
            const std::int64_t value = a.get(c);
            if (value >= a.min && value <= a.max) return std::nullopt;
            if (a.may_be_auto && value == CheckpointConfig::kAuto) return std::nullopt;
            return expected(value);
          },
          [&](const RealAccess& a) -> std::optional<std::string> {
            const double value = a.get(c);  // NaN fails every comparison, so it is out of range
            if ((a.min_allowed ? value >= a.min : value > a.min) &&
                (a.max_allowed ? value <= a.max : value < a.max)) {
              return std::nullopt;
            }
            return expected(value);
          },
          [](const BooleanAccess&) -> std::optional<std::string> { return std::nullopt; },
          [&](const StringAccess& a) { return text_error(a.get(c), a.may_be_empty); },
          [&](const EnumAccess& a) -> std::optional<std::string> {
            if (!a.get(config).empty()) return std::nullopt;
            return expected("a value without a name");
          },
          [&](const StringListAccess& a) -> std::optional<std::string> {
            for (const std::string& element : a.get(c)) {
              if (auto error = text_error(element, false)) return error;
            }
            return std::nullopt;
          },
          [&](const IntegerListAccess& a) -> std::optional<std::string> {
            for (const std::int64_t element : a.get(c)) {
              if (element < 0) return expected(element);
            }
            return std::nullopt;
          },
          [&](const RealListAccess& a) -> std::optional<std::string> {
            for (const double element : a.get(c)) {
              if (!(element > 0) || !std::isfinite(element)) return expected(element);
            }
            return std::nullopt;
          },
      },
      field.access);
}

std::string toml_value(const Field& field, const Config& config) {
  Config& c = readable(config);
  return std::visit(Overloaded{
                        [&](const IntegerAccess& a) {
                          const std::int64_t value = a.get(c);
                          const bool is_auto = a.may_be_auto && value == CheckpointConfig::kAuto;
                          return is_auto ? std::string("\"auto\"") : fmt::format("{}", value);
                        },
                        [&](const RealAccess& a) { return toml_real(a.get(c)); },
                        [&](const BooleanAccess& a) { return fmt::format("{}", a.get(c)); },
                        [&](const StringAccess& a) { return toml_string(a.get(c)); },
                        [&](const EnumAccess& a) { return toml_string(a.get(config)); },
                        [&](const StringListAccess& a) {
                          std::vector<std::string> quoted;
                          for (const std::string& element : a.get(c)) {
                            quoted.push_back(toml_string(element));
                          }
                          return fmt::format("[{}]", fmt::join(quoted, ", "));
                        },
                        [&](const IntegerListAccess& a) {
                          return fmt::format("[{}]", fmt::join(a.get(c), ", "));
                        },
                        [&](const RealListAccess& a) {
                          std::vector<std::string> elements;
                          for (const double element : a.get(c))
                            elements.push_back(toml_real(element));
                          return fmt::format("[{}]", fmt::join(elements, ", "));
                        },
                    },
                    field.access);
}

}  // namespace megascale
