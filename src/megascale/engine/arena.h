#ifndef MEGASCALE_ENGINE_ARENA_H_
#define MEGASCALE_ENGINE_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace megascale::engine {

// All memory of a rank, in one piece: zeroed, page-aligned, in huge pages where the system has
// them.
class Arena {
 public:
  // Throws Error (out_of_memory) that says how much was asked and how much the machine has.
  explicit Arena(std::uint64_t nbytes) : Arena(nbytes, nbytes) {}
  // Of which no more than `used_nbytes` will be touched: pages that nobody touches take no memory.
  Arena(std::uint64_t nbytes, std::uint64_t used_nbytes);
  // In memory that is there already, zeroed and page-aligned, and outlives it: peers in other
  // processes read it.
  explicit Arena(std::span<std::byte> memory) noexcept : bytes_(memory), owned_(false) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
  bool owned_ = true;
};

// Throws Error (out_of_memory) if the machine has less than `nbytes` of memory. `what` says in the
// error what they are for.
void require_memory(std::uint64_t nbytes, std::string_view what = "an arena");

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_ARENA_H_
