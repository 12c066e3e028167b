#ifndef MEGASCALE_ENGINE_THREAD_LIMIT_H_
#define MEGASCALE_ENGINE_THREAD_LIMIT_H_

#include <cstddef>

namespace megascale::engine {

// Threads of a rank beside those of its kernels: the progress thread, the host thread, those that
// write checkpoints and copies in memory, and the rank itself.
inline constexpr std::size_t kServersPerRank = 5;

// Checks that this process can start `count` more threads: starts them all and ends them again.
// Throws Error (failed), which names the limits of the system, if one cannot be started. Call it
// before a team of OpenMP starts, since OpenMP ends the process if it lacks a thread.
void require_threads(std::size_t count);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_THREAD_LIMIT_H_
