#include "megascale/control/outcome_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "megascale/base/error.h"

namespace megascale::control {
namespace {

using Words = std::array<std::uint64_t, sizeof(StepOutcome) / sizeof(std::uint64_t)>;
// Records of earlier versions have so many; the other members keep their defaults.
constexpr std::array<std::size_t, 2> kWordsBefore{11, 13};

}  // namespace

std::string outcome_to_text(const StepOutcome& outcome) {
  return fmt::format("{:x}", fmt::join(std::bit_cast<Words>(outcome), " "));
}

StepOutcome outcome_from_text(std::string_view text) {
  auto words = std::bit_cast<Words>(StepOutcome{});
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (at == end && std::ranges::find(kWordsBefore, i) != kWordsBefore.end()) break;
    if (i > 0 && (at == end || *at++ != ' ')) at = nullptr;
    if (at == nullptr) break;
    const auto [behind, error] = std::from_chars(at, end, words[i], 16);
    at = error == std::errc() ? behind : nullptr;
    if (at == nullptr) break;
  }
  const auto outcome = std::bit_cast<StepOutcome>(words);
  if (at != end || outcome.step < 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the outcome of a step: expected {} hexadecimal numbers, found {:.100}",
                            words.size(), text));
  }
  return outcome;
}

std::uint64_t group_from_text(std::string_view text) {
  std::uint64_t group = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, group, 16);
  if (behind != end || error != std::errc()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("a group of ranks: expected a hexadecimal number, found {:.100}", text));
  }
  return group;
}

}  // namespace megascale::control
