#ifndef MEGASCALE_TESTS_CONTROL_SECURE_LOG_LINES_H_
#define MEGASCALE_TESTS_CONTROL_SECURE_LOG_LINES_H_

#include <mutex>
#include <string>

#include "megascale/control/secure/limited_log.h"

namespace megascale::testing {

// Collects the lines of a log.
class LogLines {
 public:
  [[nodiscard]] secure::Log log() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      text_ += line + "\n";
    };
  }
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  [[nodiscard]] bool has(const std::string& part) const {
    return text().find(part) != std::string::npos;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CONTROL_SECURE_LOG_LINES_H_
