#ifndef MEGASCALE_TESTS_TRAIN_PROCESS_FAULTS_H_
#define MEGASCALE_TESTS_TRAIN_PROCESS_FAULTS_H_

#include <cstdint>

// One rank's process is killed, or stopped, at a task drawn with `seed`; the others are watched.
// Internal to the tests of train/.
namespace megascale::testing {

// Goal: whenever a process is killed, all others end with an error that names its rank and what
// each was at; what was saved goes on to the bits of a straight run.
void kill_one_rank(std::uint64_t seed);
// Goal: whenever a process is stopped, the others say so within the time-out; a request to stop
// that comes meanwhile saves nothing, and what was saved goes on to the bits of a straight run.
void stop_one_rank(std::uint64_t seed);

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_PROCESS_FAULTS_H_
