#ifndef MEGASCALE_CHECKPOINT_ALIGNED_BUFFER_H_
#define MEGASCALE_CHECKPOINT_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

// Memory for reads and writes past the page cache (O_DIRECT), which need aligned addresses, offsets
// and sizes.
namespace megascale::checkpoint {

// The largest alignment that common disks ask for, in bytes.
inline constexpr std::uint64_t kDirectAlignment = 4096;
// The bytes of one read or write. Larger ones were not faster.
inline constexpr std::uint64_t kDirectBlock = std::uint64_t{4} << 20;

// Returns `nbytes` rounded up to a multiple of kDirectAlignment.
[[nodiscard]] constexpr std::uint64_t round_to_direct(std::uint64_t nbytes) noexcept {
  return (nbytes + kDirectAlignment - 1) / kDirectAlignment * kDirectAlignment;
}

struct FreeAligned {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using AlignedBuffer = std::unique_ptr<std::byte, FreeAligned>;
// Returns kDirectBlock bytes that are not set. Throws std::bad_alloc.
[[nodiscard]] inline AlignedBuffer make_aligned_buffer() {
  AlignedBuffer buffer(static_cast<std::byte*>(std::aligned_alloc(kDirectAlignment, kDirectBlock)));
  if (!buffer) throw std::bad_alloc();
  return buffer;
}

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_ALIGNED_BUFFER_H_
