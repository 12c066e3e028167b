#include "engine/allocation_log.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace megascale::testing {
namespace {

constexpr std::size_t kDepth = 24;
struct Trace {
  std::array<void*, kDepth> frames{};
  int depth = 0;
};
constexpr std::size_t kTraces = 8;

std::atomic<bool> logging{false};
std::atomic<std::int64_t> our_count{0}, our_nbytes{0}, library_count{0}, library_nbytes{0}, live{0},
    peak{0};
std::array<Trace, kTraces> traces;
const void* own_base = nullptr;
thread_local bool inside = false;  // the log's own calls

bool is_language_library(const char* name) {
  const std::string_view path(name);
  return path.find("libstdc++") != path.npos || path.find("libc.so") != path.npos ||
         path.find("ld-linux") != path.npos || path.find("libgcc_s") != path.npos;
}

// Whether the nearest caller that is neither this file nor a language library is in this binary.
bool is_ours(const Trace& trace) {
  for (int i = 0; i < trace.depth; ++i) {
    Dl_info info{};
    if (::dladdr(trace.frames[i], &info) == 0) return false;  // generated code: oneDNN's
    const char* symbol = info.dli_sname == nullptr ? "" : info.dli_sname;
    if (std::strstr(symbol, "allocation_log") != nullptr) continue;
    if (info.dli_fbase == own_base) {
      // The replaced functions themselves.
      static constexpr std::array kReplaced{"malloc",   "calloc",        "realloc",        "free",
                                            "memalign", "aligned_alloc", "posix_memalign", "mmap"};
      bool replaced = false;
      for (const char* name : kReplaced) replaced = replaced || std::strcmp(symbol, name) == 0;
      if (!replaced) return true;
      continue;
    }
    if (!is_language_library(info.dli_fname)) return false;
  }
  return true;  // nobody else is known
}

}  // namespace

void allocation_log_grow(std::int64_t nbytes) {
  const std::int64_t now = live.fetch_add(nbytes) + nbytes;
  std::int64_t most = peak.load();
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
}

[[gnu::noinline]] void allocation_log_note(std::size_t nbytes) {
  if (!logging.load(std::memory_order_relaxed) || inside) return;
  inside = true;
  Trace trace;
  trace.depth = ::backtrace(trace.frames.data(), kDepth);
  allocation_log_grow(static_cast<std::int64_t>(nbytes));
  const bool ours = is_ours(trace);
  const std::int64_t number = (ours ? our_count : library_count).fetch_add(1);
  (ours ? our_nbytes : library_nbytes).fetch_add(static_cast<std::int64_t>(nbytes));
  if (ours && number < static_cast<std::int64_t>(kTraces))
    traces[static_cast<std::size_t>(number)] = trace;
  inside = false;
}

void allocation_log_free(void* memory) {
  if (memory != nullptr && logging.load(std::memory_order_relaxed))
    allocation_log_grow(-static_cast<std::int64_t>(::malloc_usable_size(memory)));
}

void* allocation_log_new(void* memory) {
  if (memory != nullptr && logging.load(std::memory_order_relaxed))
    allocation_log_note(::malloc_usable_size(memory));
  return memory;
}

void start_allocation_log() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<void*>(&start_allocation_log), &info);
  own_base = info.dli_fbase;
  std::array<void*, 4> warm;
  (void)::backtrace(warm.data(), 4);  // loads the unwinder
  for (auto* counter : {&our_count, &our_nbytes, &library_count, &library_nbytes, &live, &peak})
    counter->store(0);
  logging.store(true);
}

AllocationSummary stop_allocation_log() {
  logging.store(false);
  AllocationSummary summary{.ours = {our_count, our_nbytes},
                            .libraries = {library_count, library_nbytes},
                            .peak_live = peak};
  for (std::size_t i = 0; i < kTraces && static_cast<std::int64_t>(i) < our_count; ++i) {
    char** names = ::backtrace_symbols(traces[i].frames.data(), traces[i].depth);
    for (int f = 0; f < traces[i].depth; ++f) summary.callers += std::string(names[f]) + "\n";
    summary.callers += "\n";
    __libc_free(names);
  }
  return summary;
}

}  // namespace megascale::testing

using megascale::testing::allocation_log_free;
using megascale::testing::allocation_log_new;

extern "C" {
void* malloc(std::size_t size) { return allocation_log_new(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) {
  return allocation_log_new(__libc_calloc(count, size));
}
void* realloc(void* memory, std::size_t size) {
  allocation_log_free(memory);
  return allocation_log_new(__libc_realloc(memory, size));
}
void free(void* memory) {
  allocation_log_free(memory);
  __libc_free(memory);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return allocation_log_new(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocation_log_new(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = allocation_log_new(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* address, std::size_t size, int protection, int flags, int fd, off_t offset) {
  auto* memory =
      reinterpret_cast<void*>(::syscall(SYS_mmap, address, size, protection, flags, fd, offset));
  if (memory != MAP_FAILED) megascale::testing::allocation_log_note(size);
  return memory;
}
int munmap(void* address, std::size_t size) {
  const auto result = static_cast<int>(::syscall(SYS_munmap, address, size));
  if (result == 0 && megascale::testing::logging)
    megascale::testing::allocation_log_grow(-static_cast<std::int64_t>(size));
  return result;
}
}
