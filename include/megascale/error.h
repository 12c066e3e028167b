#ifndef MEGASCALE_ERROR_H_
#define MEGASCALE_ERROR_H_

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

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

}  // namespace megascale

#endif  // MEGASCALE_ERROR_H_
