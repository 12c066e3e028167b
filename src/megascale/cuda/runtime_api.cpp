// Implements device.h, graph.h, memory.h and stream.h with the CUDA runtime API. Errors become
// Error with the failed action, its call and CUDA's own words. Streams are non-blocking: they do not
// synchronise with CUDA's default stream, so synchronous copies and fills wait for the default
// stream explicitly.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "megascale/cuda/device.h"
#include "megascale/cuda/graph.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"

namespace megascale::cuda {
namespace {

// A failed call of the runtime: its name, what it was to do, and the result.
struct Failure {
  const char* call = nullptr;
  const char* action = nullptr;
  cudaError_t code = cudaSuccess;
};
// The first failure of this thread that take_error() has not reported. CUDA itself keeps only the
// last error, without its call, and a query of a pending event replaces it.
thread_local Failure unreported;
// The query of this thread that failed last, for Event::wait(): CUDA need not repeat its error.
struct FailedQuery {
  CUevent_st* event = nullptr;
  cudaError_t code = cudaSuccess;
};
thread_local FailedQuery failed_query;

constexpr const char* kFreeMemory = "free memory, or give the run less work at a time";

Error error_of(const Failure& failure) {
  const bool memory = failure.code == cudaErrorMemoryAllocation;
  return {memory ? ErrorCode::out_of_memory : ErrorCode::failed,
          fmt::format("CUDA: cannot {} ({}): {} ({}); {}", failure.action, failure.call,
                      cudaGetErrorString(failure.code), cudaGetErrorName(failure.code),
                      memory ? kFreeMemory
                             : "see nvidia-smi and the system log (dmesg) for the device's state, "
                               "then start the run again: it goes on from its last checkpoint")};
}
void require(cudaError_t code, const char* call, const char* action) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();  // resets CUDA's error state, so that it is not reported twice
  throw error_of({call, action, code});
}
// For functions that cannot throw: take_error() reports it.
void note(cudaError_t code, const char* call, const char* action) noexcept {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  if (unreported.code == cudaSuccess) unreported = {call, action, code};
}

// Returns the result of cudaGetDeviceCount() in words.
std::string why_none(cudaError_t code, int count) {
  if (code == cudaSuccess) return fmt::format("CUDA found {} devices", count);
  return error_of({"cudaGetDeviceCount", "find a device", code}).message();
}

}  // namespace

std::uint32_t device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return static_cast<std::uint32_t>(count);
}

std::string why_no_device() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  return why_none(code, count);
}

DeviceProperties properties(std::uint32_t device) {
  cudaDeviceProp found{};
  require(cudaGetDeviceProperties(&found, static_cast<int>(device)), "cudaGetDeviceProperties",
          "query a device's properties");
  std::array<char, 32> bus{};
  require(cudaDeviceGetPCIBusId(bus.data(), bus.size(), static_cast<int>(device)),
          "cudaDeviceGetPCIBusId", "query a device's PCI bus id");
  return {.name = found.name,
          .pci_bus_id = bus.data(),
          .memory_nbytes = found.totalGlobalMem,
          .multiprocessors = static_cast<std::uint32_t>(found.multiProcessorCount),
          .major = static_cast<std::uint32_t>(found.major),
          .minor = static_cast<std::uint32_t>(found.minor)};
}

double published_flops(std::uint32_t device, DType dtype) {
  const DeviceProperties found = properties(device);
  // Values of NVIDIA's datasheets: A100; H100 and H200 (SXM).
  if (found.major == 8 && found.minor == 0) return dtype == DType::bfloat16 ? 312e12 : 19.5e12;
  if (found.major == 9 && found.minor == 0) return dtype == DType::bfloat16 ? 989.4e12 : 66.9e12;
  throw Error(ErrorCode::unsupported,
              fmt::format("no published peak is known for {} (compute capability {}.{})",
                          found.name, found.major, found.minor));
}

void use_device(std::uint32_t device) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (code != cudaSuccess || count == 0) throw Error(ErrorCode::unsupported, why_none(code, count));
  require(cudaSetDevice(static_cast<int>(device)), "cudaSetDevice", "use the device");
}

MemoryUse memory_use() {
  std::size_t free = 0, total = 0;
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo", "query free memory");
  return {free, total};
}

void reach_devices(std::uint32_t count) {
  int mine = 0;
  require(cudaGetDevice(&mine), "cudaGetDevice", "query the thread's device");
  for (int other = 0; other < static_cast<int>(count); ++other) {
    if (other == mine) continue;
    int can = 0;
    require(cudaDeviceCanAccessPeer(&can, mine, other), "cudaDeviceCanAccessPeer",
            "query peer access between devices");
    if (can == 0) {
      throw Error(
          ErrorCode::unsupported,
          fmt::format("device {} cannot read the memory of device {}: ranks that are threads need "
                      "connected devices, or one device for all (set CUDA_VISIBLE_DEVICES)",
                      mine, other));
    }
    const cudaError_t code = cudaDeviceEnablePeerAccess(other, 0);
    // Another rank on this device may have enabled it before.
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
      (void)cudaGetLastError();
    } else {
      require(code, "cudaDeviceEnablePeerAccess", "enable peer access between devices");
    }
  }
}

void synchronize_all_devices() {
  int mine = 0;
  require(cudaGetDevice(&mine), "cudaGetDevice", "query the thread's device");
  for (std::uint32_t device = 0; device < device_count(); ++device) {
    use_device(device);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize", "finish a device's work");
  }
  use_device(static_cast<std::uint32_t>(mine));
}

void allow_shared_memory(const void* kernel, std::size_t nbytes) noexcept {
  note(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            static_cast<int>(nbytes)),
       "cudaFuncSetAttribute", "give a kernel its shared memory");
}

std::optional<Error> take_error() noexcept {
  Failure failure = std::exchange(unreported, {});
  const cudaError_t code = cudaGetLastError();  // of a launch
  if (failure.code == cudaSuccess) failure = {"cudaLaunchKernel", "launch a kernel", code};
  if (failure.code == cudaSuccess) return std::nullopt;
  return error_of(failure);
}

// Delegates to the default constructor, so that the destructor frees the memory if fill_zero()
// throws.
DeviceMemory::DeviceMemory(std::uint64_t nbytes) : DeviceMemory() {
  void* address = nullptr;
  const cudaError_t code = cudaMalloc(&address, nbytes);
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    const MemoryUse use = memory_use();
    constexpr double kGiB = 1U << 30U;
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("{:.2f} GiB of device memory are needed (cudaMalloc), {:.2f} of {:.2f} GiB "
                    "are free; {}",
                    static_cast<double>(nbytes) / kGiB, static_cast<double>(use.free_nbytes) / kGiB,
                    static_cast<double>(use.total_nbytes) / kGiB, kFreeMemory));
  }
  require(code, "cudaMalloc", "allocate device memory");
  bytes_ = {static_cast<std::byte*>(address), nbytes};
  fill_zero(bytes_);
}
DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}
DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}
DeviceMemory::~DeviceMemory() {
  if (!bytes_.empty()) note(cudaFree(bytes_.data()), "cudaFree", "free device memory");
}

PinnedMemory::PinnedMemory(std::uint64_t nbytes) {
  void* address = nullptr;  // unified addressing: valid on all devices
  require(cudaMallocHost(&address, nbytes), "cudaMallocHost", "allocate pinned memory");
  bytes_ = {static_cast<std::byte*>(address), nbytes};
  std::fill(bytes_.begin(), bytes_.end(), std::byte{0});
}
PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}
PinnedMemory::~PinnedMemory() {
  if (!bytes_.empty()) note(cudaFreeHost(bytes_.data()), "cudaFreeHost", "free pinned memory");
}

void copy_to_device(std::byte* to, std::span<const std::byte> from) {
  require(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice), "cudaMemcpy",
          "copy to the device");
  // A copy from pageable memory returns once the bytes are staged, not once they have arrived. Our
  // streams do not wait for the default stream, so the copy must be finished here.
  require(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize", "copy to the device");
}
void copy_to_host(std::span<std::byte> to, const std::byte* from) {
  require(cudaMemcpy(to.data(), from, to.size(), cudaMemcpyDeviceToHost), "cudaMemcpy",
          "copy from the device");
}
void fill_zero(std::span<std::byte> device_memory) {
  require(cudaMemset(device_memory.data(), 0, device_memory.size()), "cudaMemset",
          "clear device memory");
  // A memset of device memory is asynchronous, and our streams do not wait for the default stream.
  require(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize", "clear device memory");
}

void copy_async(std::byte* to, std::span<const std::byte> from, CUstream_st* stream) noexcept {
  note(cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyDefault, stream), "cudaMemcpyAsync",
       "copy on a stream");
}

Stream::Stream(Priority priority) {
  int least = 0, greatest = 0;
  require(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange",
          "query stream priorities");
  require(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                       priority == Priority::high ? greatest : least),
          "cudaStreamCreateWithPriority", "create a stream");
}
Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
Stream::~Stream() {
  if (stream_ != nullptr) note(cudaStreamDestroy(stream_), "cudaStreamDestroy", "end a stream");
}
void Stream::synchronize() const {
  require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize", "finish a stream");
}

Event::Event(bool keeps_time) {
  require(cudaEventCreateWithFlags(&event_, keeps_time ? cudaEventDefault : cudaEventDisableTiming),
          "cudaEventCreateWithFlags", "create an event");
}
Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
Event::~Event() {
  if (failed_query.event == event_) failed_query = {};
  if (event_ != nullptr) note(cudaEventDestroy(event_), "cudaEventDestroy", "end an event");
}
void Event::record(CUstream_st* stream) noexcept {
  note(cudaEventRecord(event_, stream), "cudaEventRecord", "record an event");
}
void Event::record_in_graph(CUstream_st* stream) noexcept {
  note(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal),
       "cudaEventRecordWithFlags", "record an event in a graph");
}
void Event::hold(CUstream_st* stream) const noexcept {
  note(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent", "let a stream wait");
}
Event::State Event::state() const noexcept {
  const cudaError_t code = cudaEventQuery(event_);
  if (code == cudaSuccess) return State::reached;
  (void)cudaGetLastError();  // cudaErrorNotReady is a state, and wait() throws all others
  if (code == cudaErrorNotReady) return State::pending;
  failed_query = {event_, code};
  return State::failed;
}
void Event::wait() const {
  if (failed_query.event == event_)
    require(std::exchange(failed_query, {}).code, "cudaEventQuery", "query an event");
  require(cudaEventSynchronize(event_), "cudaEventSynchronize", "wait for an event");
}
std::int64_t Event::ns_since(const Event& earlier) const noexcept {
  float milliseconds = 0;
  note(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "cudaEventElapsedTime",
       "read an event's time");
  return std::llround(static_cast<double>(milliseconds) * 1e6);
}

Graph::Graph(CUstream_st* stream, const std::function<void()>& give) {
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture", "begin a graph");
  cudaGraph_t captured = nullptr;
  try {
    give();
  } catch (...) {
    (void)cudaStreamEndCapture(stream, &captured);
    if (captured != nullptr) (void)cudaGraphDestroy(captured);
    (void)cudaGetLastError();  // an error of the end of capture says less than the thrown one
    throw;
  }
  require(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture",
          "capture work in a graph");
  const cudaError_t code = cudaGraphInstantiate(&graph_, captured, 0);
  (void)cudaGraphDestroy(captured);
  require(code, "cudaGraphInstantiate", "instantiate a graph");
}
Graph::Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
Graph::~Graph() {
  if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
}
void Graph::launch(CUstream_st* stream) const noexcept {
  note(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch", "launch a graph");
}

}  // namespace megascale::cuda
