#ifndef MEGASCALE_TESTS_SUPPORT_COUNTING_NEW_H_
#define MEGASCALE_TESTS_SUPPORT_COUNTING_NEW_H_

#include <cstdint>

namespace megascale::testing {

// How often operator new ran in this process, on any thread. A test that uses it adds
// support/counting_new.cpp to its sources, which replaces operator new and delete of the whole
// binary.
[[nodiscard]] std::int64_t allocation_count() noexcept;

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_COUNTING_NEW_H_
