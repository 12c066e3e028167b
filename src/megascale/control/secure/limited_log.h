#ifndef MEGASCALE_CONTROL_SECURE_LIMITED_LOG_H_
#define MEGASCALE_CONTROL_SECURE_LIMITED_LOG_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace megascale::secure {

// Takes a message for the log. Any thread may call it.
using Log = std::function<void(const std::string&)>;

// A log that strangers cannot flood: at most `most` lines in each period; then one line says how many
// were left out. Any thread may call it.
class LimitedLog {
 public:
  explicit LimitedLog(Log log, int most = 20,
                      std::chrono::milliseconds period = std::chrono::seconds(10));
  void operator()(const std::string& line);

 private:
  Log log_;
  int most_;
  std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point began_{};
  int lines_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_LIMITED_LOG_H_
