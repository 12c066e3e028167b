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

// Copies a few bytes of device memory to the host, after the work that is already in a stream. The
// stream is not blocked: the host polls state() and then reads bytes(). One thread at a time may
// use it, for one readback at a time.
class Readback {
 public:
  // `nbytes` is the size of the largest readback. Throws Error (out_of_memory).
  explicit Readback(std::uint64_t nbytes) : memory_(nbytes) {}

  // Enqueues copies of `parts`, which are in device memory, one after the other. The caller must
  // not change them until state() is `reached`.
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
  // `reached` means that bytes() holds the copy.
  [[nodiscard]] Event::State state() const noexcept { return event_.state(); }
  // Returns the error if state() is `failed`.
  [[nodiscard]] Error error() const {
    try {
      event_.wait();
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::failed, "the device could not copy to the host"};
  }
  // Returns the bytes of the last readback. They are valid until the next start().
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
