#ifndef MEGASCALE_ENGINE_ARENA_H_
#define MEGASCALE_ENGINE_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace megascale::engine {

// A block of host memory, zeroed and page-aligned, in huge pages if the system has them. A rank on
// the CPU has one for its whole arena.
class Arena {
 public:
  // Allocates `nbytes` bytes. Throws Error (out_of_memory) as require_memory(), and if the system
  // gives less.
  explicit Arena(std::uint64_t nbytes) : Arena(nbytes, nbytes) {}
  // Reserves `nbytes` of address space for data of at most `used_nbytes`. Only pages that are
  // written take memory, so only `used_nbytes` is checked as by require_memory().
  Arena(std::uint64_t nbytes, std::uint64_t used_nbytes);
  // Borrows `memory`, which must be zeroed and page-aligned and must outlive this object. Used for
  // memory that ranks in other processes also access.
  explicit Arena(std::span<std::byte> memory) noexcept : bytes_(memory), owned_(false) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
  bool owned_ = true;
};

// Throws Error (out_of_memory) if `nbytes` cannot succeed (MemoryFit::no in memory_limit.h): more
// than a control group allows, or than the machine has in total (free or not) and can get. Above
// what the machine has now, but not above what it can get, the first call in a process prints a
// warning to stderr. `what` names the purpose of the memory in both.
void require_memory(std::uint64_t nbytes, std::string_view what = "an arena");

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_ARENA_H_
