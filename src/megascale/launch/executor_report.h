#ifndef MEGASCALE_LAUNCH_EXECUTOR_REPORT_H_
#define MEGASCALE_LAUNCH_EXECUTOR_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// A rank that an executor has started tells it when its state is loaded. The executor passes it the
// writing end of a pipe, whose number is in an environment variable.
namespace megascale::launch {

inline constexpr const char* kReportVariable = "MEGASCALE_EXECUTOR_REPORT";

// The side of the rank.
class ExecutorReport {
 public:
  // Returns nothing if no executor has started this process. Call it before other threads exist.
  [[nodiscard]] static std::optional<ExecutorReport> from_environment();
  // The state is loaded or initialized and holds `step` steps; the first step is next.
  void resumed(std::int64_t step) const noexcept;

 private:
  explicit ExecutorReport(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// The side of the executor: returns the step of a line that resumed() has written, without its line
// end; nothing if it is another line.
[[nodiscard]] std::optional<std::int64_t> resumed_step_in(std::string_view line);

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_EXECUTOR_REPORT_H_
