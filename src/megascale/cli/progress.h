#ifndef MEGASCALE_CLI_PROGRESS_H_
#define MEGASCALE_CLI_PROGRESS_H_

#include <cstdint>
#include <string>

#include "megascale/train/metrics.h"

namespace megascale::cli {

// Shows the progress of a training on stderr: a line of text at the log interval, and on a terminal
// also a progress bar below the lines, which every step updates. For one thread at a time.
class Progress {
 public:
  // `terminal`: stderr is a terminal, so a bar is shown.
  explicit Progress(bool terminal) : terminal_(terminal) {}
  // Reports a step. `log`: also write its line of text. `eta_seconds`: estimated time to the end.
  void step(const train::StepMetrics& metrics, bool log, std::int64_t train_iters,
            double eta_seconds);
  // Writes a line above the bar.
  void message(const std::string& text);
  // Removes the bar.
  void finish();

 private:
  void line(const std::string& text);
  bool terminal_;
  std::string bar_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_PROGRESS_H_
