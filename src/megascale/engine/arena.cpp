#include "megascale/engine/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "megascale/base/error.h"

namespace megascale::engine {

Arena::Arena(std::uint64_t nbytes) {
  // Linux hands out more than it has; a rank that is killed in its first step says nothing. Ask
  // before.
  const auto available = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  void* address = nbytes > available ? MAP_FAILED
                                     : ::mmap(nullptr, nbytes, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) {
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format(
            "the plan needs an arena of {:.2f} GiB, this machine has {:.2f} GiB of memory; "
            "`megascale plan` "
            "shows what it is for (smaller train.micro_batch_size or [recompute] needs less)",
            static_cast<double>(nbytes) / (1U << 30U),
            static_cast<double>(available) / (1U << 30U)));
  }
  ::madvise(address, nbytes, MADV_HUGEPAGE);
  bytes_ = {static_cast<std::byte*>(address), nbytes};
}

Arena::~Arena() { ::munmap(bytes_.data(), bytes_.size()); }

}  // namespace megascale::engine
