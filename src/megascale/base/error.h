#ifndef MEGASCALE_BASE_ERROR_H_
#define MEGASCALE_BASE_ERROR_H_

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

// There are three kinds of failure, each with its mechanism:
//   a bug (a broken invariant)             MEGASCALE_CHECK prints where and why, then aborts;
//                                          it is active in release builds too
//   the current work cannot continue       throw Error; callers may add context on the way up
//   the direct caller decides what to do   return Result<T>
namespace megascale {

enum class ErrorCode : std::uint8_t {
  bad_usage,      // the command line or the configuration is wrong; the process exits with code 2
  bad_input,      // a file that the user provides has wrong content
  corrupt_data,   // a file that megascale wrote has changed since, or a message on its way
  io,             // the operating system refused an input or output operation
  out_of_memory,  // of the host or of a device
  peer_lost,      // another rank or process is gone
  timeout,        // an expected event did not happen in time
  unsupported,    // the request is valid, but this build or device cannot do it
  failed,         // any other failure
};
// Returns the code as words for a message, such as "bad input".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

// A failure as a value. The message says what was expected, what was found, where, and what to do.
// An Error can be copied, so it can be passed between threads.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message);
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  // Appends "; while CONTEXT" to the message, for instance "; while reading train.toml".
  void add_context(std::string_view context);
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
};

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
