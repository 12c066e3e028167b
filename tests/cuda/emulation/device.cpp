#include "cuda/emulation/device.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "cuda/emulation/emulation.h"
#include "megascale/base/clock.h"
#include "megascale/base/error.h"

namespace megascale::emulation {
namespace {

constexpr const char* kForEver = "streams that wait for each other for ever";

}  // namespace

Device::Turn::Turn(Device& device) : device_(device), lock_(device.mutex_) { ++device_.turns_; }
Device::Turn::~Turn() {
  if (--device_.turns_ == 0) close_memory();
}
void Device::Turn::let_others(std::chrono::microseconds time) {
  close_memory();
  const int turns = std::exchange(device_.turns_, 0);
  lock_.unlock();
  std::this_thread::sleep_for(time);
  lock_.lock();
  device_.turns_ = turns;
}
void Device::Turn::close_memory() {
  if (std::exchange(device_.memory_is_open_, false)) device_.protect(PROT_NONE);
}

Device& Device::get() {
  static Device device;
  return device;
}

void Device::add(CUstream_st* stream, Item item) {
  const Turn turn(*this);
  if (stream->keeps != nullptr) {
    stream->keeps->push_back(std::move(item));
    return;
  }
  stream->items.push_back(std::move(item));
  if (random_() % 4 == 0) (void)run_one();
}

void Device::add_meeting(CUstream_st* stream, std::function<bool()> may_go,
                         std::function<void()> work) {
  const Turn turn(*this);
  MEGASCALE_CHECK(stream->keeps == nullptr, "transfers in a graph are not emulated");
  ++meetings_;
  stream->items.push_back(
      {.kind = Item::Kind::meeting, .work = std::move(work), .may_go = std::move(may_go)});
  if (random_() % 4 == 0) (void)run_one();
}

void Device::go_on() {
  const Turn turn(*this);
  (void)run_one();
}

void Device::record_in_graph(CUevent_st* event, CUstream_st* stream) {
  const Turn turn(*this);
  MEGASCALE_CHECK(stream->keeps != nullptr, "no graph is being made");
  stream->keeps->push_back({.kind = Item::Kind::record, .work = {}, .event = event});
}

void Device::keep(CUstream_st* stream, std::vector<Item>* items) {
  const Turn turn(*this);
  stream->keeps = items;
}

void Device::launch(const std::vector<Item>& items, CUstream_st* stream) {
  const Turn turn(*this);
  MEGASCALE_CHECK(stream->keeps == nullptr, "a graph in a graph");
  for (Item item : items) {
    if (item.kind == Item::Kind::record) item.generation = ++item.event->recorded;
    stream->items.push_back(std::move(item));
  }
}

void Device::record(CUevent_st* event, CUstream_st* stream) {
  const Turn turn(*this);
  MEGASCALE_CHECK(stream->keeps == nullptr, "an event that means the making of a graph");
  stream->items.push_back(
      {.kind = Item::Kind::record, .work = {}, .event = event, .generation = ++event->recorded});
}

void Device::hold(CUevent_st* event, CUstream_st* stream) {
  const Turn turn(*this);
  MEGASCALE_CHECK(stream->keeps == nullptr, "a wait that joins streams in a graph");
  stream->items.push_back(
      {.kind = Item::Kind::hold, .work = {}, .event = event, .generation = event->recorded});
}

void Device::run_until_reached(CUevent_st* event) {
  Turn turn(*this);
  const std::uint64_t wanted = event->recorded;
  while (event->reached < wanted) move(turn);
  event->known = std::max(event->known, wanted);
}

bool Device::is_reached(CUevent_st* event) {
  const Turn turn(*this);
  if (event->known < event->recorded) {
    event->known = event->recorded;
    return false;
  }
  while (event->reached < event->recorded) {
    if (run_one()) continue;
    MEGASCALE_CHECK(closed_gates_ + meetings_ > 0, kForEver);
    return false;
  }
  return true;
}

void Device::run_until_empty(const CUstream_st* stream) {
  Turn turn(*this);
  while (!stream->items.empty()) move(turn);
  know_all_reached();
}

void Device::run_all() {
  Turn turn(*this);
  while (std::ranges::any_of(streams_, [](const auto& one) { return !one->items.empty(); }))
    move(turn);
  know_all_reached();
}

// Called after a wait for all work of the device: a query of any event then finds it reached.
void Device::know_all_reached() {
  for (CUevent_st* event : events_) {
    if (event->reached == event->recorded) event->known = event->recorded;
  }
}

void Device::close(CUevent_st* gate, CUstream_st* stream) {
  const Turn turn(*this);
  ++closed_gates_;
  stream->items.push_back(
      {.kind = Item::Kind::hold, .work = {}, .event = gate, .generation = ++gate->recorded});
}

void Device::open(CUevent_st* gate) {
  const Turn turn(*this);
  closed_gates_ -= gate->recorded - gate->reached;
  gate->reached = gate->recorded;
}

void Device::with_memory(const std::function<void()>& work) {
  const Turn turn(*this);
  open_memory();
  work();
}

std::byte* Device::allocate(std::size_t nbytes, int device) {
  const Turn turn(*this);
  const int protection = memory_is_open_ ? PROT_READ | PROT_WRITE : PROT_NONE;
  void* address = ::mmap(nullptr, nbytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MEGASCALE_CHECK(address != MAP_FAILED, "no memory for the emulated device");
  memory_[static_cast<std::byte*>(address)] = {nbytes, device};
  return static_cast<std::byte*>(address);
}

std::uint64_t Device::allocated() {
  const Turn turn(*this);
  std::uint64_t sum = 0;
  for (const auto& [address, memory] : memory_) sum += memory.nbytes;
  return sum;
}

bool Device::free(std::byte* address) {
  const Turn turn(*this);
  const auto found = memory_.find(address);
  if (found == memory_.end()) return false;
  ::munmap(address, found->second.nbytes);
  memory_.erase(found);
  return true;
}

std::optional<int> Device::holder(const void* address, std::size_t nbytes) {
  const Turn turn(*this);
  const auto* begin = static_cast<const std::byte*>(address);
  auto after = memory_.upper_bound(const_cast<std::byte*>(begin));
  if (after == memory_.begin()) return std::nullopt;
  const auto& [first, memory] = *--after;
  if (begin + nbytes > first + memory.nbytes) return std::nullopt;
  return memory.device;
}

CUstream_st* Device::new_stream(int device) {
  const Turn turn(*this);
  CUstream_st* stream = streams_.emplace_back(std::make_unique<CUstream_st>()).get();
  stream->device = device;
  return stream;
}

void Device::delete_stream(CUstream_st* stream) {
  run_until_empty(stream);
  const Turn turn(*this);
  std::erase_if(streams_, [&](const auto& one) { return one.get() == stream; });
}

CUevent_st* Device::new_event(int device, bool keeps_time) {
  const Turn turn(*this);
  return *events_.insert(new CUevent_st{.device = device, .keeps_time = keeps_time}).first;
}

void Device::delete_event(CUevent_st* event) {
  run_until_reached(event);
  const Turn turn(*this);
  events_.erase(event);
  delete event;
}

void Device::seed(std::uint64_t value) {
  const Turn turn(*this);
  random_.seed(value);
}

bool Device::can_run(const CUstream_st& stream) {
  if (stream.items.empty()) return false;
  const Item& item = stream.items.front();
  if (item.kind == Item::Kind::meeting) return item.may_go();
  return item.kind != Item::Kind::hold || item.event->reached >= item.generation;
}

bool Device::run_one() {
  std::vector<CUstream_st*> ready;
  for (const auto& stream : streams_) {
    if (can_run(*stream)) ready.push_back(stream.get());
  }
  if (ready.empty()) return false;
  CUstream_st& stream = *ready[random_() % ready.size()];
  Item item = std::move(stream.items.front());
  stream.items.pop_front();
  if (item.kind == Item::Kind::meeting) --meetings_;
  if (item.kind == Item::Kind::work || item.kind == Item::Kind::meeting) {
    open_memory();
    item.work();
  } else if (item.kind == Item::Kind::record) {
    item.event->reached = item.generation;
    item.event->time_ns = monotonic_ns();
  }
  return true;
}

// Sleeps where only a closed gate or a meeting is left to wait for.
void Device::move(Turn& turn) {
  if (run_one()) return;
  MEGASCALE_CHECK(closed_gates_ + meetings_ > 0, kForEver);
  turn.let_others(std::chrono::microseconds(100));
}

void Device::open_memory() {
  if (!std::exchange(memory_is_open_, true)) protect(PROT_READ | PROT_WRITE);
}
void Device::protect(int protection) {
  for (const auto& [address, memory] : memory_) ::mprotect(address, memory.nbytes, protection);
}

void enqueue(CUstream_st* stream, std::function<void()> work) {
  MEGASCALE_CHECK(stream != nullptr, "work without a stream");
  Device::get().add(stream, {.work = std::move(work)});
}
void enqueue_meeting(CUstream_st* stream, std::function<bool()> may_go,
                     std::function<void()> work) {
  Device::get().add_meeting(stream, std::move(may_go), std::move(work));
}
void go_on() { Device::get().go_on(); }
void seed(std::uint64_t value) { Device::get().seed(value); }
int device_of(const CUstream_st* stream) { return stream->device; }
std::optional<int> device_of(const void* address, std::size_t nbytes) {
  return Device::get().holder(address, nbytes);
}

Gate::Gate() : event_(new CUevent_st) {}
Gate::~Gate() {
  open();
  delete event_;
}
void Gate::close(CUstream_st* stream) { Device::get().close(event_, stream); }
void Gate::open() noexcept { Device::get().open(event_); }

}  // namespace megascale::emulation
