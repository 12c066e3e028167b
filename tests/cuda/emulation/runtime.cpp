// The functions of megascale/cuda over an emulated device. Work waits in the queues of its streams
// until somebody waits for some of it, or until chance runs it before; of several streams that can
// go on, chance picks one. So an order that no event forces does not happen to be there, and work
// that is not waited for is not done. Device memory can be touched by the work of streams and by
// copies only: the host that reads it stops with a segmentation fault.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "cuda/emulation/device_words.h"
#include "cuda/emulation/emulation.h"
#include "megascale/base/clock.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/graph.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"

struct CUevent_st {
  std::uint64_t recorded = 0, reached = 0;  // how often
  std::int64_t time_ns = 0;
};
namespace {
struct Item {
  enum class Kind { work, record, hold } kind = Kind::work;
  std::function<void()> work;
  CUevent_st* event = nullptr;
  std::uint64_t generation = 0;
};
}  // namespace
struct CUgraphExec_st {
  std::vector<Item> items;
};
struct CUstream_st {
  std::deque<Item> items;
  CUgraphExec_st* keeps = nullptr;  // takes what the stream is given, while a graph is made
};

namespace megascale {
namespace {

class Device {
 public:
  static Device& get() {
    static Device device;
    return device;
  }

  void add(CUstream_st* stream, Item item) {
    const std::lock_guard lock(mutex_);
    if (stream->keeps != nullptr) {
      stream->keeps->items.push_back(std::move(item));
      return;
    }
    stream->items.push_back(std::move(item));
    if (random_() % 4 == 0) (void)run_one();
  }
  void record_in_graph(CUevent_st* event, CUstream_st* stream) {
    const std::lock_guard lock(mutex_);
    MEGASCALE_CHECK(stream->keeps != nullptr, "no graph is being made");
    stream->keeps->items.push_back({.kind = Item::Kind::record, .event = event});
  }
  void keep(CUstream_st* stream, CUgraphExec_st* graph) {
    const std::lock_guard lock(mutex_);
    stream->keeps = graph;
  }
  void launch(const CUgraphExec_st& graph, CUstream_st* stream) {
    const std::lock_guard lock(mutex_);
    MEGASCALE_CHECK(stream->keeps == nullptr, "a graph in a graph");
    for (Item item : graph.items) {
      if (item.kind == Item::Kind::record) item.generation = ++item.event->recorded;
      stream->items.push_back(std::move(item));
    }
  }
  void record(CUevent_st* event, CUstream_st* stream) {
    const std::lock_guard lock(mutex_);
    MEGASCALE_CHECK(stream->keeps == nullptr, "an event that means the making of a graph");
    stream->items.push_back(
        {.kind = Item::Kind::record, .event = event, .generation = ++event->recorded});
  }
  void hold(CUevent_st* event, CUstream_st* stream) {
    const std::lock_guard lock(mutex_);
    MEGASCALE_CHECK(stream->keeps == nullptr, "a wait that joins streams in a graph");
    stream->items.push_back(
        {.kind = Item::Kind::hold, .event = event, .generation = event->recorded});
  }
  void run_until_reached(const CUevent_st* event) {
    std::unique_lock lock(mutex_);
    const std::uint64_t wanted = event->recorded;
    while (event->reached < wanted) move(lock);
  }
  // False: a closed gate is before it.
  bool run_up_to(const CUevent_st* event) {
    const std::lock_guard lock(mutex_);
    while (event->reached < event->recorded) {
      if (run_one()) continue;
      MEGASCALE_CHECK(closed_gates_ > 0, kForEver);
      return false;
    }
    return true;
  }
  void run_until_empty(const CUstream_st* stream) {
    std::unique_lock lock(mutex_);
    while (!stream->items.empty()) move(lock);
  }
  void run_all() {
    std::unique_lock lock(mutex_);
    while (std::ranges::any_of(streams_, [](const auto& one) { return !one->items.empty(); }))
      move(lock);
  }
  void close(CUevent_st* gate, CUstream_st* stream) {
    const std::lock_guard lock(mutex_);
    ++closed_gates_;
    stream->items.push_back(
        {.kind = Item::Kind::hold, .event = gate, .generation = ++gate->recorded});
  }
  void open(CUevent_st* gate) {
    const std::lock_guard lock(mutex_);
    closed_gates_ -= gate->recorded - gate->reached;
    gate->reached = gate->recorded;
  }
  // At once, past all streams.
  template <class Work>
  void with_memory(const Work& work) {
    const std::lock_guard lock(mutex_);
    protect(PROT_READ | PROT_WRITE);
    work();
    protect(PROT_NONE);
  }

  std::byte* allocate(std::size_t nbytes) {
    const std::lock_guard lock(mutex_);
    void* address = ::mmap(nullptr, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MEGASCALE_CHECK(address != MAP_FAILED, "no memory for the emulated device");
    memory_[static_cast<std::byte*>(address)] = nbytes;
    return static_cast<std::byte*>(address);
  }
  std::uint64_t allocated() {
    const std::lock_guard lock(mutex_);
    std::uint64_t sum = 0;
    for (const auto& [address, nbytes] : memory_) sum += nbytes;
    return sum;
  }
  void free(std::byte* address) {
    const std::lock_guard lock(mutex_);
    ::munmap(address, memory_.at(address));
    memory_.erase(address);
  }
  CUstream_st* new_stream() {
    const std::lock_guard lock(mutex_);
    return streams_.emplace_back(std::make_unique<CUstream_st>()).get();
  }
  void delete_stream(CUstream_st* stream) {
    run_until_empty(stream);
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](const auto& one) { return one.get() == stream; });
  }
  void seed(std::uint64_t value) {
    const std::lock_guard lock(mutex_);
    random_.seed(value);
  }

 private:
  static bool can_run(const CUstream_st& stream) {
    if (stream.items.empty()) return false;
    const Item& item = stream.items.front();
    return item.kind != Item::Kind::hold || item.event->reached >= item.generation;
  }
  bool run_one() {
    std::vector<CUstream_st*> ready;
    for (const auto& stream : streams_) {
      if (can_run(*stream)) ready.push_back(stream.get());
    }
    if (ready.empty()) return false;
    CUstream_st& stream = *ready[random_() % ready.size()];
    Item item = std::move(stream.items.front());
    stream.items.pop_front();
    if (item.kind == Item::Kind::work) {
      protect(PROT_READ | PROT_WRITE);
      item.work();
      protect(PROT_NONE);
    } else if (item.kind == Item::Kind::record) {
      item.event->reached = item.generation;
      item.event->time_ns = monotonic_ns();
    }
    return true;
  }
  // Sleeps where only a gate that is closed is left to wait for.
  void move(std::unique_lock<std::mutex>& lock) {
    if (run_one()) return;
    MEGASCALE_CHECK(closed_gates_ > 0, kForEver);
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    lock.lock();
  }
  void protect(int protection) {
    for (const auto& [address, nbytes] : memory_) ::mprotect(address, nbytes, protection);
  }

  static constexpr const char* kForEver = "streams that wait for each other for ever";

  std::mutex mutex_;
  std::uint64_t closed_gates_ = 0;
  std::mt19937_64 random_{1};
  std::vector<std::unique_ptr<CUstream_st>> streams_;
  std::map<std::byte*, std::size_t> memory_;
};

}  // namespace

namespace emulation {
namespace {

std::atomic<std::chrono::milliseconds> copy_delay{std::chrono::milliseconds(0)};

}  // namespace

void delay_copies(std::chrono::milliseconds delay) { copy_delay = delay; }

void enqueue(CUstream_st* stream, std::function<void()> work) {
  MEGASCALE_CHECK(stream != nullptr, "work without a stream");
  Device::get().add(stream, {.work = std::move(work)});
}
void seed(std::uint64_t value) { Device::get().seed(value); }

Gate::Gate() : event_(new CUevent_st) {}
Gate::~Gate() {
  open();
  delete event_;
}
void Gate::close(CUstream_st* stream) { Device::get().close(event_, stream); }
void Gate::open() noexcept { Device::get().open(event_); }

}  // namespace emulation

namespace cuda {

std::uint32_t device_count() noexcept { return 1; }
std::string why_no_device() { return "there is one, emulated"; }
DeviceProperties properties(std::uint32_t) {
  return {.name = "emulated", .pci_bus_id = "0000:0A:00.0", .major = 9};
}
double published_flops(std::uint32_t, DType) { return 1e9; }
void use_device(std::uint32_t) {}
MemoryUse memory_use() {
  constexpr std::uint64_t kTotal = std::uint64_t{1} << 40U;
  return {kTotal - Device::get().allocated(), kTotal};
}
void reach_devices(std::uint32_t) {}
void synchronize_all_devices() { Device::get().run_all(); }
std::optional<Error> take_error() noexcept { return std::nullopt; }

DeviceMemory::DeviceMemory(std::uint64_t nbytes) : bytes_(Device::get().allocate(nbytes), nbytes) {}
DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}
DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}
DeviceMemory::~DeviceMemory() {
  if (!bytes_.empty()) Device::get().free(bytes_.data());
}
PinnedMemory::PinnedMemory(std::uint64_t nbytes) : bytes_(new std::byte[nbytes]{}, nbytes) {}
PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}
PinnedMemory::~PinnedMemory() { delete[] bytes_.data(); }

void copy_to_device(std::byte* to, std::span<const std::byte> from) {
  Device::get().with_memory([&] { std::copy(from.begin(), from.end(), to); });
}
void copy_to_host(std::span<std::byte> to, const std::byte* from) {
  Device::get().with_memory([&] { std::copy_n(from, to.size(), to.data()); });
}
void fill_zero(std::span<std::byte> memory) {
  Device::get().with_memory([&] { std::fill(memory.begin(), memory.end(), std::byte{0}); });
}
void copy_async(std::byte* to, std::span<const std::byte> from, CUstream_st* stream) noexcept {
  emulation::enqueue(stream, [=] {
    std::this_thread::sleep_for(emulation::copy_delay.load());
    std::copy(from.begin(), from.end(), to);
  });
}

Stream::Stream(Priority) : stream_(Device::get().new_stream()) {}
Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
Stream::~Stream() {
  if (stream_ != nullptr) Device::get().delete_stream(stream_);
}
void Stream::synchronize() const { Device::get().run_until_empty(stream_); }

Event::Event(bool) : event_(new CUevent_st) {}
Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
Event::~Event() {
  if (event_ == nullptr) return;
  Device::get().run_until_reached(event_);
  delete event_;
}
void Event::record(CUstream_st* stream) noexcept { Device::get().record(event_, stream); }
void Event::record_in_graph(CUstream_st* stream) noexcept {
  Device::get().record_in_graph(event_, stream);
}
void Event::hold(CUstream_st* stream) const noexcept { Device::get().hold(event_, stream); }
Event::State Event::state() const noexcept {
  return Device::get().run_up_to(event_) ? State::reached : State::pending;
}
void Event::wait() const { Device::get().run_until_reached(event_); }
std::int64_t Event::ns_since(const Event& earlier) const noexcept {
  return event_->time_ns - earlier.event_->time_ns;
}

Graph::Graph(CUstream_st* stream, const std::function<void()>& give) {
  auto graph = std::make_unique<CUgraphExec_st>();
  Device::get().keep(stream, graph.get());
  try {
    give();
  } catch (...) {
    Device::get().keep(stream, nullptr);
    throw;
  }
  Device::get().keep(stream, nullptr);
  graph_ = graph.release();
}
Graph::Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
Graph::~Graph() { delete graph_; }
void Graph::launch(CUstream_st* stream) const noexcept { Device::get().launch(*graph_, stream); }

}  // namespace cuda
}  // namespace megascale
