// Stand-ins for the functions of this folder in a build without CUDA. device_count() returns 0, and
// all functions that would need a device throw Error (unsupported). Functions of objects that
// cannot exist without CUDA abort.
#include "megascale/cuda/device.h"
#include "megascale/cuda/graph.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/cuda/sum.h"

namespace megascale::cuda {
namespace {

[[noreturn]] void refuse() { throw Error(ErrorCode::unsupported, why_no_device()); }
[[noreturn]] void impossible() noexcept {
  MEGASCALE_CHECK(false, "CUDA objects do not exist in a build without CUDA");
}

}  // namespace

std::uint32_t device_count() noexcept { return 0; }
std::string why_no_device() {
  return "this binary was built without CUDA (cmake --preset cuda builds it in)";
}
DeviceProperties properties(std::uint32_t) { refuse(); }
double published_flops(std::uint32_t, DType) { refuse(); }
void use_device(std::uint32_t) { refuse(); }
MemoryUse memory_use() { refuse(); }
void reach_devices(std::uint32_t) { refuse(); }
void synchronize_all_devices() { refuse(); }
void allow_shared_memory(const void*, std::size_t) noexcept { impossible(); }
std::optional<Error> take_error() noexcept { return std::nullopt; }

DeviceMemory::DeviceMemory(std::uint64_t) { refuse(); }
DeviceMemory::DeviceMemory(DeviceMemory&&) noexcept = default;
DeviceMemory& DeviceMemory::operator=(DeviceMemory&&) noexcept = default;
DeviceMemory::~DeviceMemory() = default;
PinnedMemory::PinnedMemory(std::uint64_t) { refuse(); }
PinnedMemory::PinnedMemory(PinnedMemory&&) noexcept = default;
PinnedMemory::~PinnedMemory() = default;
void copy_to_device(std::byte*, std::span<const std::byte>) { refuse(); }
void copy_to_host(std::span<std::byte>, const std::byte*) { refuse(); }
void fill_zero(std::span<std::byte>) { refuse(); }
void copy_async(std::byte*, std::span<const std::byte>, CUstream_st*) noexcept { impossible(); }

void sum_in_order_async(std::span<std::byte>, std::span<const std::byte* const>, DType,
                        CUstream_st*) noexcept {
  impossible();
}

Stream::Stream(Priority) { refuse(); }
Stream::Stream(Stream&&) noexcept = default;
Stream::~Stream() = default;
void Stream::synchronize() const { refuse(); }
Event::Event(bool) { refuse(); }
Event::Event(Event&&) noexcept = default;
Event::~Event() = default;
void Event::record(CUstream_st*) noexcept { impossible(); }
void Event::record_in_graph(CUstream_st*) noexcept { impossible(); }
void Event::hold(CUstream_st*) const noexcept { impossible(); }
Event::State Event::state() const noexcept { impossible(); }
void Event::wait() const { refuse(); }
std::int64_t Event::ns_since(const Event&) const noexcept { impossible(); }
Graph::Graph(CUstream_st*, const std::function<void()>&) { refuse(); }
Graph::Graph(Graph&&) noexcept = default;
Graph::~Graph() = default;
void Graph::launch(CUstream_st*) const noexcept { impossible(); }

}  // namespace megascale::cuda
