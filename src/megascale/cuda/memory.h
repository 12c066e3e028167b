#ifndef MEGASCALE_CUDA_MEMORY_H_
#define MEGASCALE_CUDA_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <span>

struct CUstream_st;

namespace megascale::cuda {

// An owned block of memory on a device, zeroed and aligned to 256 bytes. The host cannot access it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Allocates `nbytes` on the calling thread's device. Throws Error (out_of_memory), which says how
  // much was requested and how much is free.
  explicit DeviceMemory(std::uint64_t nbytes);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

// An owned block of page-locked host memory, zeroed. Devices can copy from and to it
// asynchronously.
class PinnedMemory {
 public:
  // Throws Error (out_of_memory).
  explicit PinnedMemory(std::uint64_t nbytes);
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&&) = delete;
  ~PinnedMemory();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

// Synchronous copies between host and device: the copy is finished on return. The caller must
// ensure that no work in progress uses the bytes. They throw Error.
void copy_to_device(std::byte* to, std::span<const std::byte> from);
void copy_to_host(std::span<std::byte> to, const std::byte* from);
void fill_zero(std::span<std::byte> device_memory);

// Enqueues a copy on the stream, between devices or between a device and pinned memory.
// take_error() reports a failure.
void copy_async(std::byte* to, std::span<const std::byte> from, CUstream_st* stream) noexcept;

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_MEMORY_H_
