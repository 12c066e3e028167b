// Forwards to CLI11, whose headers only this file and main.cpp include.
#include "megascale/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "megascale/base/numbers.h"
#include "megascale/cli/command.h"

namespace megascale::cli {
namespace {

template <class Value>
struct ElementOf {
  using type = Value;
};
template <class Value>
struct ElementOf<std::optional<Value>> {
  using type = Value;
};
template <class Value>
struct ElementOf<std::vector<Value>> {
  using type = Value;
};

// Reads a value with parse_number() and passes it on as plain digits. CLI11's own conversion takes
// "nan", cuts integers that are too large, and reads "010" as 8.
template <class Number>
CLI::Validator number() {
  const auto read = [](std::string& text) {
    const auto value = parse_number<Number>(text);
    if (value) {
      text = fmt::format("{}", *value);
      return std::string();
    }
    const std::string expected =
        std::is_floating_point_v<Number>
            ? "a finite number"
            : fmt::format("an integer from {} to {}", std::numeric_limits<Number>::min(),
                          std::numeric_limits<Number>::max());
    return fmt::format("expected {}, found {}", expected, text);
  };
  return {read, std::string()};
}

}  // namespace

namespace {

// Checks a number. CLI11's own checks print the bounds with all their digits, 309 for the largest
// double. A comparison with NaN is false, so no condition accepts it.
CLI::Validator number_that(bool (*fits)(double), const char* expected) {
  return {[=](std::string& text) -> std::string {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && fits(value)) return {};
            return fmt::format("expected {}, found {}", expected, text);
          },
          expected};
}

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}
Option Option::positive() {
  option_->check(number_that([](double value) { return value > 0; }, "a number above 0"));
  return *this;
}
Option Option::at_least_zero() {
  option_->check(number_that([](double value) { return value >= 0; }, "a number from 0 on"));
  return *this;
}
Option Option::between(std::int64_t low, std::int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}
Option Option::from_0_to_1() {
  option_->check(
      number_that([](double value) { return value >= 0 && value <= 1; }, "a number from 0 to 1"));
  return *this;
}
Option Option::one_of(std::vector<std::string> values) {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}
Option Option::separated_by_commas() {
  option_->delimiter(',');
  return *this;
}
Option Option::in_bytes() {
  option_->transform(CLI::AsSizeValue(false));
  return *this;
}
Option Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Command Command::subcommand(const char* name, const char* what) {
  return Command(*app_->add_subcommand(name, what), *actions_, *json_);
}
void Command::needs_subcommand() { app_->require_subcommand(1); }
template <class Value>
Option Command::option(const char* name, Value& value, const char* what) {
  CLI::Option* option = app_->add_option(name, value, what);
  using Number = typename ElementOf<Value>::type;
  // Option::in_bytes() is put before this, so it may still read "64k".
  if constexpr (std::is_arithmetic_v<Number>) option->transform(number<Number>());
  return Option(option);
}
void Command::flag(const char* name, bool& value, const char* what) {
  app_->add_flag(name, value, what);
}
void Command::does(Action action) { actions_->emplace_back(app_, std::move(action)); }

template Option Command::option(const char*, double&, const char*);
template Option Command::option(const char*, std::int64_t&, const char*);
template Option Command::option(const char*, std::uint32_t&, const char*);
template Option Command::option(const char*, std::uint64_t&, const char*);
template Option Command::option(const char*, std::optional<double>&, const char*);
template Option Command::option(const char*, std::optional<std::uint32_t>&, const char*);
template Option Command::option(const char*, std::optional<std::int64_t>&, const char*);
template Option Command::option(const char*, std::filesystem::path&, const char*);
template Option Command::option(const char*, std::string&, const char*);
template Option Command::option(const char*, std::vector<std::filesystem::path>&, const char*);
template Option Command::option(const char*, std::vector<std::string>&, const char*);
template Option Command::option(const char*, std::vector<std::int64_t>&, const char*);
template Option Command::option(const char*, std::vector<std::uint64_t>&, const char*);

}  // namespace megascale::cli
