#ifndef MEGASCALE_CLI_SHORT_SPINS_H_
#define MEGASCALE_CLI_SHORT_SPINS_H_

namespace megascale::cli {

// Lets waiting threads of OpenMP sleep soon, for commands that run kernels.
//
// Problem  libgomp's threads wait for each other at the begin and end of every parallel region. By
//          default they poll for some milliseconds. If another program takes the core of one thread,
//          the others poll until the operating system gives it back, and hold their cores
//          meanwhile: steps take ten times as long, one thread alone would be faster.
// Idea     A shorter poll (GOMP_SPINCOUNT), after which the thread sleeps and gives its core away.
//          libgomp reads the variable while it is loaded, so the program starts itself once more
//          with it. Nothing happens if the user has set GOMP_SPINCOUNT or OMP_WAIT_POLICY.
// Call it in main() before anything is done. `argv` is main()'s. If the second start fails, the
// program goes on as it is. See docs/decisions/0021-short-spins.md.
void start_with_short_spins(int argc, char** argv) noexcept;

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_SHORT_SPINS_H_
