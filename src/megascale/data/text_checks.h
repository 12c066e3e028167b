#ifndef MEGASCALE_DATA_TEXT_CHECKS_H_
#define MEGASCALE_DATA_TEXT_CHECKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/data/tokenizer.h"

namespace megascale {

inline constexpr std::string_view kNoReservedByte =
    "text without the tokenizer's end-of-document byte";

// Returns the message "PLACE: byte OFFSET: expected EXPECTED, found 0x..".
[[nodiscard]] std::string wrong_byte(std::string_view place, std::uint64_t offset,
                                     std::string_view expected, char found);

// Returns what is wrong with the first byte of `text` that is not UTF-8 or that the tokenizer
// reserves, or nothing. `offset` is the place of `text` in the input `name`.
[[nodiscard]] std::optional<std::string> find_wrong_byte(std::string_view text,
                                                         const Tokenizer& tokenizer,
                                                         std::string_view name,
                                                         std::uint64_t offset);

}  // namespace megascale

#endif  // MEGASCALE_DATA_TEXT_CHECKS_H_
