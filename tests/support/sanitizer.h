#ifndef MEGASCALE_TESTS_SUPPORT_SANITIZER_H_
#define MEGASCALE_TESTS_SUPPORT_SANITIZER_H_

#include <string_view>

namespace megascale::testing {

inline constexpr std::string_view kAddressSanitizer = "the address sanitizer";
inline constexpr std::string_view kThreadSanitizer = "the thread sanitizer";
// Which sanitizer this is compiled with; empty: none. Libraries are not: they stay fast.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::string_view kSanitizer = kAddressSanitizer;
#elif defined(__SANITIZE_THREAD__)
constexpr std::string_view kSanitizer = kThreadSanitizer;
#else
constexpr std::string_view kSanitizer;
#endif

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_SANITIZER_H_
