#ifndef MEGASCALE_TESTS_FUZZ_READS_BACK_H_
#define MEGASCALE_TESTS_FUZZ_READS_BACK_H_

#include <string_view>
#include <vector>

#include "megascale/base/error.h"

namespace megascale::fuzz {

// Whether `parse` takes the text; if so, its own text gives the same value again.
template <class Parse>
bool reads_back_as_text(std::string_view text, const Parse& parse) {
  // An allocation of the exact size, so that the address sanitizer sees a read past the end.
  const std::vector<char> exact(text.begin(), text.end());
  try {
    const auto value = parse(std::string_view(exact.data(), exact.size()));
    MEGASCALE_CHECK(parse(to_text(value)) == value, "what was read is written as it was");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input && !error.message().empty(),
                    "a refusal says why");
    return false;
  }
}

}  // namespace megascale::fuzz

#endif  // MEGASCALE_TESTS_FUZZ_READS_BACK_H_
