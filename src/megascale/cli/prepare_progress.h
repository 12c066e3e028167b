#ifndef MEGASCALE_CLI_PREPARE_PROGRESS_H_
#define MEGASCALE_CLI_PREPARE_PROGRESS_H_

#include <cstdint>
#include <string>

#include "megascale/data/prepare.h"

namespace megascale::cli {

// Returns the state of a preparation as a line: bytes, share, tokens, rate, time that is left.
// `seconds`: since this process began.
[[nodiscard]] std::string to_line(const PrepareProgress& progress, double seconds);

// Shows that line on stderr: on a terminal in place, otherwise every ten seconds. One thread at a
// time.
class PrepareProgressLine {
 public:
  explicit PrepareProgressLine(bool terminal);
  void show(const PrepareProgress& progress);
  void message(const std::string& text);
  // Removes the line from the terminal.
  void finish();

 private:
  bool terminal_;
  std::int64_t begin_ns_, shown_ns_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_PREPARE_PROGRESS_H_
