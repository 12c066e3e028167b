#ifndef MEGASCALE_BASE_ERROR_H_
#define MEGASCALE_BASE_ERROR_H_

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

// The three kinds of failure and their mechanisms:
//   a bug (a broken invariant)          MEGASCALE_CHECK: prints where and why, then aborts; on in
//   release too this unit of work cannot go on      throw Error; add context on the way up the
//   direct caller branches on it    Result<T>
namespace megascale {

enum class ErrorCode : std::uint8_t {
  bad_usage,     // command line or configuration: exit code 2
  bad_input,     // a file of the user's is not what it should be
  corrupt_data,  // bytes that we wrote differ from what we wrote
  io,            // the operating system refused
  out_of_memory,
  peer_lost,
  timeout,
  unsupported,  // valid, but this build or device cannot do it
  failed,
};
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

// A failure as a value: what was expected, what was found, where, and what to do. Copyable, so that
// it can cross threads.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message);
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  // Appends "; while CONTEXT".
  void add_context(std::string_view context);
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
};

template <class T>
using Result = tl::expected<T, Error>;

// Several errors reported at once, one per line. `errors` must not be empty; the code is that of
// the first.
[[nodiscard]] Error join_errors(const std::vector<Error>& errors);

namespace detail {
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               std::string_view message) noexcept;
}  // namespace detail

}  // namespace megascale

// An invariant of the program. The message says what it means when it is broken.
#define MEGASCALE_CHECK(condition, message)                                         \
  do {                                                                              \
    if (!(condition)) [[unlikely]]                                                  \
      ::megascale::detail::check_failed(__FILE__, __LINE__, #condition, (message)); \
  } while (false)

#endif  // MEGASCALE_BASE_ERROR_H_
