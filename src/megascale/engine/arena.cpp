// Gets host memory for arenas from the operating system. A size that cannot succeed is refused
// before the allocation, with an error that says what to change.
#include "megascale/engine/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdio>
#include <mutex>
#include <string>

#include "megascale/base/error.h"
#include "megascale/engine/memory_limit.h"

namespace megascale::engine {

namespace {

std::string needs(std::uint64_t nbytes, std::string_view what) {
  return fmt::format("the plan needs {} of {:.2f} GiB", what,
                     static_cast<double>(nbytes) / (1U << 30U));
}

[[noreturn]] void refuse(std::uint64_t nbytes, std::string_view what, std::string_view why) {
  throw Error(ErrorCode::out_of_memory,
              fmt::format("{}, {}; `megascale plan` shows what it is for (a smaller "
                          "train.micro_batch_size, [recompute] or parallel.zero_stage need less)",
                          needs(nbytes, what), why));
}

// Returns MemoryFit::yes or if_it_grows. The latter is said once per process.
MemoryFit require_fit(std::uint64_t nbytes, std::string_view what) {
  const MemoryVerdict verdict = judge_memory(nbytes, read_memory_limit());
  if (verdict.fit == MemoryFit::no) refuse(nbytes, what, verdict.why);
  if (verdict.fit == MemoryFit::if_it_grows) {
    static std::once_flag once;
    std::call_once(once, [&] {
      std::fputs(fmt::format("megascale: {}, {}: if it does not, the system kills this process\n",
                             needs(nbytes, what), verdict.why)
                     .c_str(),
                 stderr);
    });
  }
  return verdict.fit;
}

constexpr std::string_view kArena = "an arena";

}  // namespace

void require_memory(std::uint64_t nbytes, std::string_view what) {
  (void)require_fit(nbytes, what);
}

Arena::Arena(std::uint64_t nbytes, std::uint64_t used_nbytes) {
  const MemoryFit fit = require_fit(used_nbytes, kArena);
  // Without MAP_NORESERVE, Linux refuses sizes above the memory that the machine has now.
  const bool is_beyond = used_nbytes < nbytes || fit == MemoryFit::if_it_grows;
  const int reserve = is_beyond ? MAP_NORESERVE : 0;
  void* address =
      ::mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | reserve, -1, 0);
  if (address == MAP_FAILED) refuse(nbytes, kArena, "the system gives less");
  ::madvise(address, nbytes, MADV_HUGEPAGE);
  bytes_ = {static_cast<std::byte*>(address), nbytes};
}

Arena::~Arena() {
  if (owned_) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace megascale::engine
