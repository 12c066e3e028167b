#ifndef MEGASCALE_CUDA_MEMORY_H_
#define MEGASCALE_CUDA_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <span>

struct CUstream_st;

namespace megascale::cuda {

// Zeroed memory of the calling thread's device, in one piece, aligned to 256 bytes. Not readable by
// the host.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Throws Error; out_of_memory says how much was asked and how much is free.
  explicit DeviceMemory(std::uint64_t nbytes);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

// Zeroed host memory that devices copy from and to without a stop in between.
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

// Between host and device, done when they return. The caller sees to it that no work under way
// touches the bytes. Throw Error.
void copy_to_device(std::byte* to, std::span<const std::byte> from);
void copy_to_host(std::span<std::byte> to, const std::byte* from);
void fill_zero(std::span<std::byte> device_memory);

// In the order of the stream, between devices or between device and pinned memory. A failure is
// seen by take_error().
void copy_async(std::byte* to, std::span<const std::byte> from, CUstream_st* stream) noexcept;

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_MEMORY_H_
