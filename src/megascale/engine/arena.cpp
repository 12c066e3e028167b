// Gets host memory for arenas from the operating system. Linux promises more memory than it has and
// kills a process without a message when it runs out. So a size above the machine's memory is
// refused before the allocation, with an error that says what to change.
#include "megascale/engine/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "megascale/base/error.h"

namespace megascale::engine {

namespace {

[[noreturn]] void refuse(std::uint64_t nbytes, std::uint64_t available, std::string_view what) {
  throw Error(ErrorCode::out_of_memory,
              fmt::format("the plan needs {} of {:.2f} GiB, this machine has {:.2f} GiB of "
                          "memory; `megascale plan` shows what it is for (smaller "
                          "train.micro_batch_size or [recompute] needs less)",
                          what, static_cast<double>(nbytes) / (1U << 30U),
                          static_cast<double>(available) / (1U << 30U)));
}

constexpr std::string_view kArena = "an arena";

std::uint64_t memory_of_machine() noexcept {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void require_memory(std::uint64_t nbytes, std::string_view what) {
  if (nbytes > memory_of_machine()) refuse(nbytes, memory_of_machine(), what);
}

Arena::Arena(std::uint64_t nbytes, std::uint64_t used_nbytes) {
  require_memory(used_nbytes, kArena);
  const int reserve = used_nbytes < nbytes ? MAP_NORESERVE : 0;
  void* address =
      ::mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | reserve, -1, 0);
  if (address == MAP_FAILED) refuse(nbytes, memory_of_machine(), kArena);
  ::madvise(address, nbytes, MADV_HUGEPAGE);
  bytes_ = {static_cast<std::byte*>(address), nbytes};
}

Arena::~Arena() {
  if (owned_) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace megascale::engine
