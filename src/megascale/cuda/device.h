#ifndef MEGASCALE_CUDA_DEVICE_H_
#define MEGASCALE_CUDA_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "megascale/base/dtype.h"
#include "megascale/base/error.h"

// NVIDIA devices: their number, properties, memory use and errors. No header of this folder (but
// device_code.h, for kernels) includes a header of CUDA, so the rest of the code compiles without
// CUDA. A build without CUDA has the same functions (no_cuda.cpp): device_count() returns 0, and
// the others throw Error (unsupported). Any thread may call the functions; CUDA keeps a current
// device for each thread.
namespace megascale::cuda {

// Returns the number of devices that this process may use. It is 0 without a device, without a
// driver, and in a build without CUDA.
[[nodiscard]] std::uint32_t device_count() noexcept;
// Returns the reason why device_count() is 0, for messages.
[[nodiscard]] std::string why_no_device();

struct DeviceProperties {
  std::string name;
  std::string pci_bus_id;  // "0000:1b:00.0"; identifies the device in other libraries
  std::uint64_t memory_nbytes = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t major = 0, minor = 0;  // compute capability
};
// Throws Error.
[[nodiscard]] DeviceProperties properties(std::uint32_t device);

// Returns the peak FLOP/s that NVIDIA publishes for dense matrix products with float32 sums.
// Utilisation is relative to this peak. bfloat16: of the matrix units; float32: of the plain units,
// TF32 off. Throws Error (unsupported) for a device without an entry in the table.
[[nodiscard]] double published_flops(std::uint32_t device, DType dtype);

// Makes `device` the current device of the calling thread. Every thread must call it before it uses
// anything below or in the other headers of this folder. Throws Error.
void use_device(std::uint32_t device);

// Allows work on the calling thread's device to access memory of the first `count` devices of this
// process (peer access). Throws Error: unsupported if the machine does not connect two of them.
void reach_devices(std::uint32_t count);

struct MemoryUse {
  std::uint64_t free_nbytes = 0, total_nbytes = 0;
};
// Returns the memory use of the calling thread's device, by all processes together. Throws Error.
[[nodiscard]] MemoryUse memory_use();

// Waits until all devices of this process have finished the work of all threads. The calling thread
// keeps its current device. Use it only at the end of a run that failed, since it also initializes
// devices that were not used. Throws Error.
void synchronize_all_devices();

// A kernel may have this much dynamic shared memory without an attribute ("CUDA C++ Programming
// Guide", compute capability 9.0).
inline constexpr std::size_t kSharedWithoutAsking = std::size_t{48} * 1024;
// Lets launches of a kernel on the calling thread's device have `nbytes` of dynamic shared memory.
// take_error() reports a failure.
void allow_shared_memory(const void* kernel, std::size_t nbytes) noexcept;

// Returns the error of a launch or a copy that the calling thread has made since the last call of
// this function, or nothing. Errors that occur later, while the work runs, come from the functions
// that wait for the work.
[[nodiscard]] std::optional<Error> take_error() noexcept;

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_DEVICE_H_
