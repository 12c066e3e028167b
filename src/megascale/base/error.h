#ifndef MEGASCALE_BASE_ERROR_H_
#define MEGASCALE_BASE_ERROR_H_

#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "megascale/error.h"  // IWYU pragma: export

// There are three kinds of failure, each with its mechanism:
//   a bug (a broken invariant)             MEGASCALE_CHECK prints where and why, then aborts;
//                                          it is active in release builds too
//   the current work cannot continue       throw Error; callers may add context on the way up
//   the direct caller decides what to do   return Result<T>
namespace megascale {

template <class T>
using Result = tl::expected<T, Error>;

// Returns one error with the messages of `errors`, one per line, and the code of the first.
// `errors` must not be empty.
[[nodiscard]] Error join_errors(const std::vector<Error>& errors);

namespace detail {
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               std::string_view message) noexcept;
}  // namespace detail

}  // namespace megascale

// Aborts the process with `message` if `condition` is false. Use it for invariants of the program
// only, never for wrong input. The message describes the broken state, such as "joining no errors".
#define MEGASCALE_CHECK(condition, message)                                         \
  do {                                                                              \
    if (!(condition)) [[unlikely]]                                                  \
      ::megascale::detail::check_failed(__FILE__, __LINE__, #condition, (message)); \
  } while (false)

#endif  // MEGASCALE_BASE_ERROR_H_
