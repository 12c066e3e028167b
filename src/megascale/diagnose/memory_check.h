#ifndef MEGASCALE_DIAGNOSE_MEMORY_CHECK_H_
#define MEGASCALE_DIAGNOSE_MEMORY_CHECK_H_

#include <cstdint>

#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

// Measures the bandwidth from the cores of every memory node to the memory of every node (STREAM
// triad); with more than four nodes, to the own node and the next one. Also tells the size of the
// memory. Fails if less than `least_free_nbytes` of memory are free. Throws Error.
void check_memory(std::uint64_t least_free_nbytes, CheckReport& report);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_MEMORY_CHECK_H_
