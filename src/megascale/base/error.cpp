// Names of error codes, joining of errors, and the abort of a broken MEGASCALE_CHECK.
#include "megascale/base/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace megascale {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::bad_usage:
      return "bad usage";
    case ErrorCode::bad_input:
      return "bad input";
    case ErrorCode::corrupt_data:
      return "corrupt data";
    case ErrorCode::io:
      return "input/output error";
    case ErrorCode::out_of_memory:
      return "out of memory";
    case ErrorCode::peer_lost:
      return "peer lost";
    case ErrorCode::timeout:
      return "timeout";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::failed:
      return "failed";
  }
  return "unknown";
}

Error::Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

void Error::add_context(std::string_view context) {
  message_ += fmt::format("; while {}", context);
}

Error join_errors(const std::vector<Error>& errors) {
  MEGASCALE_CHECK(!errors.empty(), "joining no errors");
  std::string text;
  for (const Error& error : errors) {
    if (!text.empty()) text += '\n';
    text += error.message();
  }
  return Error(errors.front().code(), std::move(text));
}

namespace detail {
void check_failed(const char* file, int line, const char* condition,
                  std::string_view message) noexcept {
  std::fprintf(stderr, "megascale: bug at %s:%d: %.*s (broken: %s)\n", file, line,
               static_cast<int>(message.size()), message.data(), condition);
  std::abort();
}
}  // namespace detail

}  // namespace megascale
