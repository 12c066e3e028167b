#ifndef MEGASCALE_LAUNCH_SPAWN_H_
#define MEGASCALE_LAUNCH_SPAWN_H_

#include <signal.h>
#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "megascale/base/files.h"

namespace megascale::launch {

// How a child process differs from this one.
struct Spawn {
  std::span<const std::string> arguments;  // the command line, with the program's name
  char* const* environment = nullptr;      // ends with null; null: the environment of this process
  const sigset_t* blocked = nullptr;       // its blocked signals; null: those of this thread
  int out = -1, err = -1;                  // descriptors for stdout and stderr; -1: this process's
  int kept = -1;             // a descriptor that it keeps, by the same number; -1: none
  bool leads_group = false;  // it leads a process group of its own, so it gets no Ctrl-C
  const char* program = "/proc/self/exe";
};
// Starts a process and returns its id. The child is killed when the thread that called this ends,
// so call it on a thread that lives as long as the process. Throws Error (io) if no process can be
// made; a program that cannot be executed ends with exit code 127.
[[nodiscard]] pid_t spawn(const Spawn& how);

// Returns a descriptor that becomes readable when the process ends (pidfd_open()). Throws Error (io).
[[nodiscard]] FileHandle watch_process(pid_t process);

// Returns the command line of this process.
[[nodiscard]] std::vector<std::string> own_command_line();

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_SPAWN_H_
