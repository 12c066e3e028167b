// The functions of the CUDA runtime that megascale/cuda calls, over the emulated device (device.h).
// They check what NVIDIA documents about their arguments ("CUDA Runtime API", 13.0) and fail as the
// runtime does: an error is returned, and also kept for cudaGetLastError(). Each can be refused.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "cuda/emulation/device.h"
#include "cuda/emulation/emulation.h"
#include "megascale/base/error.h"
#include "megascale/cuda/device.h"

struct CUgraph_st {
  std::vector<megascale::emulation::Item> items;
};
struct CUgraphExec_st {
  std::vector<megascale::emulation::Item> items;
};

namespace megascale::emulation {
namespace {

std::atomic<std::chrono::milliseconds> copy_delay{std::chrono::milliseconds(0)};
std::atomic<int> devices{1};

// Of the calling thread, as CUDA's.
thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

// The capture of the calling thread (cudaStreamCaptureModeThreadLocal).
struct Capture {
  CUstream_st* stream = nullptr;
  std::vector<Item> items;
  bool valid = true;
};
thread_local Capture capture;

// The dynamic shared memory that a kernel may have on a device after somebody has asked for it.
class SharedOfKernels {
 public:
  static SharedOfKernels& get() {
    static SharedOfKernels kernels;
    return kernels;
  }
  void allow(const void* kernel, int device, std::size_t nbytes) {
    const std::lock_guard lock(mutex_);
    most_[{kernel, device}] = nbytes;
  }
  bool allows(const void* kernel, int device, std::size_t nbytes) {
    // Most kernels ask for nothing, and trainings launch many.
    if (nbytes <= cuda::kSharedWithoutAsking) return true;
    const std::lock_guard lock(mutex_);
    const auto asked = most_.find({kernel, device});
    return asked != most_.end() && nbytes <= asked->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, int>, std::size_t> most_;
};

cudaError_t noted(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}
template <class Body>
cudaError_t call(const char* name, const Body& body) {
  if (is_refused(name)) {
    return noted(std::string_view(name).starts_with("cudaMalloc") ? cudaErrorMemoryAllocation
                                                                  : cudaErrorUnknown);
  }
  return noted(body());
}
// A call that may not be made while the thread captures: it ends the capture.
template <class Body>
cudaError_t unsafe_call(const char* name, const Body& body) {
  return call(name, [&] { return spoils_capture() ? cudaErrorStreamCaptureUnsupported : body(); });
}

bool is_device(int device) { return device >= 0 && device < devices; }
bool on_device(const void* address, std::size_t nbytes) {
  return Device::get().holder(address, nbytes).has_value();
}
// Of a pointer that is in the middle of nothing that the device knows.
bool on_host(const void* address) { return !on_device(address, 1); }
bool fits(const void* address, std::size_t nbytes) {
  return address != nullptr && (on_host(address) || on_device(address, nbytes));
}

// The pinned memory of the host.
class Pinned {
 public:
  void add(const void* address, std::size_t nbytes) {
    const std::lock_guard lock(mutex_);
    blocks_[static_cast<const std::byte*>(address)] = nbytes;
  }
  void remove(const void* address) {
    const std::lock_guard lock(mutex_);
    blocks_.erase(static_cast<const std::byte*>(address));
  }
  [[nodiscard]] bool contains(const void* address, std::size_t nbytes) const {
    const std::lock_guard lock(mutex_);
    const auto* const begin = static_cast<const std::byte*>(address);
    auto behind = blocks_.upper_bound(begin);
    if (behind == blocks_.begin()) return false;
    --behind;
    return begin + nbytes <= behind->first + behind->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::size_t> blocks_;  // bytes by address
};
Pinned& pinned() {
  static Pinned all;
  return all;
}
bool is_pageable(const void* address, std::size_t nbytes) {
  return !on_device(address, nbytes) && !pinned().contains(address, nbytes);
}

}  // namespace

void delay_copies(std::chrono::milliseconds delay) { copy_delay = delay; }
void set_device_count(int count) { devices = count; }
int current_device_of_thread() { return current_device; }
bool spoils_capture() {
  if (capture.stream == nullptr) return false;
  capture.valid = false;
  return true;
}

bool may_launch(const void* kernel, const Launch& launch, CUstream_st* stream) {
  constexpr unsigned kMostThreads = 1024, kMostGrid = 65535;
  const cudaError_t error = call("cudaLaunchKernel", [&]() -> cudaError_t {
    if (stream == nullptr || stream->device != current_device)
      return cudaErrorInvalidResourceHandle;
    if (!SharedOfKernels::get().allows(kernel, current_device, launch.shared_nbytes))
      return cudaErrorInvalidValue;
    const bool fits = launch.threads > 0 && launch.threads <= kMostThreads && launch.grid_x > 0 &&
                      launch.grid_x <= 0x7FFFFFFFU && launch.grid_y > 0 &&
                      launch.grid_y <= kMostGrid && launch.grid_z > 0 && launch.grid_z <= kMostGrid;
    return fits ? cudaSuccess : cudaErrorInvalidConfiguration;
  });
  return error == cudaSuccess;
}

}  // namespace megascale::emulation

using namespace megascale::emulation;  // NOLINT: the functions below are the runtime's own

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorIllegalState:
      return "cudaErrorIllegalState";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorPeerAccessAlreadyEnabled:
      return "cudaErrorPeerAccessAlreadyEnabled";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated:
      return "cudaErrorStreamCaptureInvalidated";
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    default:
      return "emulated failure";
  }
}
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

cudaError_t cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", [&] {
    *count = devices;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", [&] {
    *device = current_device;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", [&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    current_device = device;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* found, int device) {
  return call("cudaGetDeviceProperties", [&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *found = {};
    std::strcpy(found->name, "emulated");
    found->major = 9;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call("cudaDeviceGetPCIBusId", [&] {
    constexpr char kId[] = "0000:0A:00.0";
    if (!is_device(device)) return cudaErrorInvalidDevice;
    if (length < static_cast<int>(sizeof kId)) return cudaErrorInvalidValue;
    std::memcpy(id, kId, sizeof kId);
    id[6] = static_cast<char>('A' + device);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", [&] {
    if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>> enabled;
  return call("cudaDeviceEnablePeerAccess", [&] {
    if (!is_device(peer) || peer == current_device) return cudaErrorInvalidDevice;
    const std::lock_guard lock(mutex);
    return enabled.emplace(current_device, peer).second ? cudaSuccess
                                                        : cudaErrorPeerAccessAlreadyEnabled;
  });
}
cudaError_t cudaDeviceSynchronize() {
  return unsafe_call("cudaDeviceSynchronize", [&] {
    Device::get().run_all();
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", [&] {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", [&] {
    constexpr std::size_t kTotal = std::size_t{1} << 40U;
    *free = kTotal - Device::get().allocated();
    *total = kTotal;
    return cudaSuccess;
  });
}
cudaError_t cudaMalloc(void** address, std::size_t nbytes) {
  return unsafe_call("cudaMalloc", [&] {
    *address = nbytes == 0 ? nullptr : Device::get().allocate(nbytes, current_device);
    return cudaSuccess;
  });
}
cudaError_t cudaFree(void* address) {
  return unsafe_call("cudaFree", [&] {
    return address == nullptr || Device::get().free(static_cast<std::byte*>(address))
               ? cudaSuccess
               : cudaErrorInvalidValue;
  });
}
cudaError_t cudaMallocHost(void** address, std::size_t nbytes) {
  return unsafe_call("cudaMallocHost", [&] {
    *address = new std::byte[nbytes];
    pinned().add(*address, nbytes);
    return cudaSuccess;
  });
}
cudaError_t cudaFreeHost(void* address) {
  return unsafe_call("cudaFreeHost", [&] {
    pinned().remove(address);
    delete[] static_cast<std::byte*>(address);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t nbytes, cudaMemcpyKind kind) {
  return unsafe_call("cudaMemcpy", [&] {
    if (nbytes == 0) return cudaSuccess;
    const bool directed = kind == cudaMemcpyHostToDevice   ? on_host(from) && on_device(to, nbytes)
                          : kind == cudaMemcpyDeviceToHost ? on_device(from, nbytes) && on_host(to)
                                                           : fits(from, nbytes) && fits(to, nbytes);
    if (!directed || to == nullptr || from == nullptr) return cudaErrorInvalidValue;
    Device::get().with_memory([&] { std::memcpy(to, from, nbytes); });
    return cudaSuccess;
  });
}
cudaError_t cudaMemset(void* to, int value, std::size_t nbytes) {
  return unsafe_call("cudaMemset", [&] {
    if (nbytes == 0) return cudaSuccess;
    if (!on_device(to, nbytes)) return cudaErrorInvalidValue;
    Device::get().with_memory([&] { std::memset(to, value, nbytes); });
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t nbytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&] {
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (nbytes == 0) return cudaSuccess;
    if (!fits(to, nbytes) || !fits(from, nbytes)) return cudaErrorInvalidValue;
    // The device would take the copy, and read or write the host's memory at every launch of the graph.
    if ((is_pageable(to, nbytes) || is_pageable(from, nbytes)) && spoils_capture())
      return cudaErrorStreamCaptureUnsupported;
    enqueue(stream, [=] {
      std::this_thread::sleep_for(copy_delay.load());
      std::memmove(to, from, nbytes);
    });
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return call("cudaStreamCreateWithPriority", [&] {
    *stream = Device::get().new_stream(current_device);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy", [&] {
    Device::get().delete_stream(stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return unsafe_call("cudaStreamSynchronize", [&] {
    // Copies and fills of the default stream are done when they return.
    if (stream != nullptr) Device::get().run_until_empty(stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call("cudaStreamWaitEvent", [&] {
    if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
    Device::get().hold(event, stream);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call("cudaEventCreateWithFlags", [&] {
    *event = Device::get().new_event(current_device, (flags & cudaEventDisableTiming) == 0);
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", [&] {
    Device::get().delete_event(event);
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", [&] {
    if (event == nullptr || stream == nullptr || event->device != stream->device)
      return cudaErrorInvalidResourceHandle;
    Device::get().record(event, stream);
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return call("cudaEventRecordWithFlags", [&] {
    if (event == nullptr || stream == nullptr || event->device != stream->device)
      return cudaErrorInvalidResourceHandle;
    // An external event makes sense in a capture only.
    if (flags != cudaEventRecordExternal || stream->keeps == nullptr) return cudaErrorInvalidValue;
    Device::get().record_in_graph(event, stream);
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return unsafe_call("cudaEventQuery", [&] {
    return Device::get().is_reached(event) ? cudaSuccess : cudaErrorNotReady;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return unsafe_call("cudaEventSynchronize", [&] {
    Device::get().run_until_reached(event);
    return cudaSuccess;
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&] {
    if (!start->keeps_time || !end->keeps_time || start->device != end->device ||
        start->recorded == 0 || end->recorded == 0)
      return cudaErrorInvalidResourceHandle;
    if (start->reached < start->recorded || end->reached < end->recorded) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(static_cast<double>(end->time_ns - start->time_ns) / 1e6);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", [&] {
    MEGASCALE_CHECK(mode == cudaStreamCaptureModeThreadLocal,
                    "other captures than of a thread are not emulated");
    if (stream == nullptr) return cudaErrorStreamCaptureUnsupported;
    if (stream->keeps != nullptr || capture.stream != nullptr) return cudaErrorIllegalState;
    capture = {.stream = stream, .items = {}};
    Device::get().keep(stream, &capture.items);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  if (capture.stream != stream) return noted(cudaErrorIllegalState);
  Device::get().keep(stream, nullptr);
  const Capture ended = std::exchange(capture, {});
  return call("cudaStreamEndCapture", [&] {
    if (!ended.valid) return cudaErrorStreamCaptureInvalidated;
    *graph = new CUgraph_st{ended.items};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  return unsafe_call("cudaGraphInstantiate", [&] {
    *made = new CUgraphExec_st{graph->items};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return call("cudaGraphLaunch", [&] {
    if (graph == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
    Device::get().launch(graph->items, stream);
    return cudaSuccess;
  });
}

// The opt-in limit of an H100, "Thread block" in the CUDA C++ Programming Guide.
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return call("cudaFuncSetAttribute", [&] {
    constexpr int kMostShared = 227 * 1024;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        value > kMostShared)
      return cudaErrorInvalidValue;
    SharedOfKernels::get().allow(kernel, current_device, static_cast<std::size_t>(value));
    return cudaSuccess;
  });
}

}  // extern "C"

namespace megascale::cuda {

// Not that of the device whose limits are emulated: shares of a peak that a host cannot come near
// would all be zero.
double published_flops(std::uint32_t, DType) { return 1e9; }

}  // namespace megascale::cuda
