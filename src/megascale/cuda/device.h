#ifndef MEGASCALE_CUDA_DEVICE_H_
#define MEGASCALE_CUDA_DEVICE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "megascale/base/dtype.h"
#include "megascale/base/error.h"

// NVIDIA devices in our words, for everything above: no header of this folder includes one of
// CUDA's, and a build without CUDA has the same functions (no_cuda.cpp), which find no device and
// refuse the rest with ErrorCode::unsupported.
namespace megascale::cuda {

// Devices that this process may use; 0 where there is none, no driver, or a build without CUDA.
[[nodiscard]] std::uint32_t device_count() noexcept;
// Why device_count() is 0, in words.
[[nodiscard]] std::string why_no_device();

struct DeviceProperties {
  std::string name;
  std::string pci_bus_id;  // "0000:1b:00.0": by it other libraries know the device
  std::uint64_t memory_nbytes = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t major = 0, minor = 0;  // compute capability
};
// Throws Error.
[[nodiscard]] DeviceProperties properties(std::uint32_t device);

// Dense products with float32 sums, FLOP/s, as NVIDIA publishes them: the peak that utilisation is
// related to. bfloat16: matrix units; float32: plain units, TF32 off. Throws Error (unsupported)
// for a device that is not in the table.
[[nodiscard]] double published_flops(std::uint32_t device, DType dtype);

// Makes a device that of the calling thread: every thread that uses anything below calls this
// first. Throws Error.
void use_device(std::uint32_t device);

// Lets work of the calling thread's device touch memory of the first `count` devices of this
// process. Throws Error: unsupported where the machine does not connect two of them.
void reach_devices(std::uint32_t count);

struct MemoryUse {
  std::uint64_t free_nbytes = 0, total_nbytes = 0;
};
// Of the calling thread's device, by all its users. Throws Error.
[[nodiscard]] MemoryUse memory_use();

// Waits until all devices of this process have done all their work, whoever gave it; the calling
// thread keeps its device. For the end of a run that failed: it wakes devices that nobody used.
// Throws Error.
void synchronize_all_devices();

// What went wrong in a launch or a copy of the calling thread since the last question; nothing:
// absent. Errors of work that runs later come from the calls that wait for it.
[[nodiscard]] std::optional<Error> take_error() noexcept;

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_DEVICE_H_
