#ifndef MEGASCALE_CLI_INHERITED_SIGNALS_H_
#define MEGASCALE_CLI_INHERITED_SIGNALS_H_

namespace megascale::cli {

// Sets what the libraries of this program must not decide. Call it first in main().
// - SIGHUP is as the program's parent has set it: `nohup` lets a parent ignore it. UCX sets a
//   handler of its own while it is loaded.
// - SIGXFSZ is ignored: a file that would exceed `ulimit -f` is then an error of write() that names
//   the file, not the end of the process without a word.
void restore_signals() noexcept;

// Returns true if the signal is ignored by this process.
[[nodiscard]] bool is_ignored(int signal) noexcept;

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_INHERITED_SIGNALS_H_
