#ifndef MEGASCALE_LAUNCH_EXECUTOR_REPORT_H_
#define MEGASCALE_LAUNCH_EXECUTOR_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// A rank that an executor has started tells it when its state is loaded, and where its copies of the
// state in memory are. The executor passes it the
// writing end of a pipe, whose number is in an environment variable.
namespace megascale::launch {

inline constexpr const char* kReportVariable = "MEGASCALE_EXECUTOR_REPORT";
// The highest number of steps of a state that the rank may load. Not set: there is no limit.
inline constexpr const char* kLoadLimitVariable = "MEGASCALE_LOAD_AT_MOST";

// The side of the rank.
class ExecutorReport {
 public:
  // Returns nothing if no executor has started this process. Call it before other threads exist.
  [[nodiscard]] static std::optional<ExecutorReport> from_environment();
  // Returns the epoch of the attempt (MEGASCALE_RESTART_COUNT + 1); 0 if it is not known.
  [[nodiscard]] static std::int64_t epoch();
  // The state is loaded or initialized and holds `step` steps; the first step is next.
  void resumed(std::int64_t step) const noexcept;
  // The directory of the copies in memory.
  void copies(std::string_view directory) const noexcept;
  // What kLoadLimitVariable says.
  [[nodiscard]] const std::optional<std::int64_t>& load_at_most() const noexcept {
    return load_at_most_;
  }

 private:
  explicit ExecutorReport(int descriptor);
  void write(std::string_view word, std::string_view value) const noexcept;
  int descriptor_;
  std::optional<std::int64_t> load_at_most_;
};

// The side of the executor: returns the step of a line that resumed() has written, without its line
// end; nothing if it is another line.
[[nodiscard]] std::optional<std::int64_t> resumed_step_in(std::string_view line);
// Likewise for copies().
[[nodiscard]] std::optional<std::string> copies_in(std::string_view line);

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_EXECUTOR_REPORT_H_
