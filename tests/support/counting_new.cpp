#include "support/counting_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::int64_t> allocations{0};
}

// The array and nothrow forms of the library call these. Aligned forms are not counted: nothing of
// ours uses them here.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace megascale::testing {
std::int64_t allocation_count() noexcept { return allocations; }
}  // namespace megascale::testing
