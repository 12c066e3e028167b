#ifndef MEGASCALE_CUDA_READBACK_H_
#define MEGASCALE_CUDA_READBACK_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "megascale/base/error.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"

namespace megascale::cuda {

// Brings a few bytes of device memory to the host behind the work that a stream has been given. The
// stream does not stop for it. Used by one thread at a time; one readback at a time.
class Readback {
 public:
  // For up to `nbytes`. Throws Error (out_of_memory).
  explicit Readback(std::uint64_t nbytes) : memory_(nbytes) {}

  // Copies `parts` one behind the other; they stay untouched until state() is `reached`.
  void start(std::initializer_list<std::span<const std::byte>> parts,
             CUstream_st* stream) noexcept {
    std::size_t at = 0;
    for (const auto& part : parts) {
      copy_async(memory_.bytes().data() + at, part, stream);
      at += part.size();
    }
    nbytes_ = at;
    event_.record(stream);
  }
  // `reached`: bytes() has them.
  [[nodiscard]] Event::State state() const noexcept { return event_.state(); }
  // Why state() is `failed`.
  [[nodiscard]] Error error() const {
    try {
      event_.wait();
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::failed, "the device could not copy to the host"};
  }
  // Valid until the next start().
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return memory_.bytes().first(nbytes_);
  }

 private:
  PinnedMemory memory_;
  Event event_{false};
  std::size_t nbytes_ = 0;
};

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_READBACK_H_
