#ifndef MEGASCALE_CLI_PROGRESS_H_
#define MEGASCALE_CLI_PROGRESS_H_

#include <cstdint>
#include <string>

#include "megascale/train/metrics.h"

namespace megascale::cli {

// What a person sees of a run, on stderr: plain lines at the log interval, and on a terminal a bar
// below them that moves with every step.
class Progress {
 public:
  explicit Progress(bool terminal) : terminal_(terminal) {}
  void step(const train::StepMetrics& metrics, bool log, std::int64_t train_iters,
            double eta_seconds);
  void message(const std::string& text);
  // Takes the bar away.
  void finish();

 private:
  void line(const std::string& text);
  bool terminal_;
  std::string bar_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_PROGRESS_H_
