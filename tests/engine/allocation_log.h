#ifndef MEGASCALE_TESTS_ENGINE_ALLOCATION_LOG_H_
#define MEGASCALE_TESTS_ENGINE_ALLOCATION_LOG_H_

#include <cstdint>
#include <string>

// Every allocation of this process, on any thread: malloc and its relatives (so operator new too)
// and mmap, told apart by who asked. allocation_log.cpp replaces these functions in the whole
// binary.
namespace megascale::testing {

struct Asked {
  std::int64_t count = 0, nbytes = 0;
};
struct AllocationSummary {
  Asked ours;       // the nearest caller outside the C and C++ libraries is in this binary
  Asked libraries;  // it is in another one: oneDNN, OpenMP
  std::int64_t peak_live = 0;  // bytes: most of allocated minus freed since the start of the log
  std::string callers;         // of ours, the first ones, as backtraces
};

// Between these two calls allocations are logged. The log allocates nothing itself.
void start_allocation_log();
[[nodiscard]] AllocationSummary stop_allocation_log();

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_ENGINE_ALLOCATION_LOG_H_
