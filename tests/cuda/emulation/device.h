#ifndef MEGASCALE_TESTS_CUDA_EMULATION_DEVICE_H_
#define MEGASCALE_TESTS_CUDA_EMULATION_DEVICE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <vector>

// The emulated device: queues of work and memory. Work waits in the queues of its streams until
// somebody waits for some of it, or until chance runs it before; of several streams that can go on,
// chance picks one. So an order that no event forces does not happen to be there, and work that is
// not waited for is not done. Device memory can be touched by the work of streams and by copies
// only: the host that reads it stops with a segmentation fault.

struct CUevent_st {
  int device = 0;
  bool keeps_time = true;
  std::uint64_t recorded = 0, reached = 0;  // how often
  std::uint64_t known = 0;                  // which recording the host has seen or waited for
  std::int64_t time_ns = 0;
};
struct CUstream_st;

namespace megascale::emulation {

struct Item {
  enum class Kind { work, record, hold, meeting } kind = Kind::work;
  std::function<void()> work;
  CUevent_st* event = nullptr;
  std::uint64_t generation = 0;
  std::function<bool()> may_go{};  // of a meeting
};

// One lock for all devices of the process: their streams share the memory and the chance.
class Device {
 public:
  static Device& get();

  void add(CUstream_st* stream, Item item);
  // Work that the stream begins when may_go() says so. Until then it waits for other streams of
  // whose work the device may not know yet.
  void add_meeting(CUstream_st* stream, std::function<bool()> may_go, std::function<void()> work);
  // Runs some work, if there is any that can go on.
  void go_on();
  void record_in_graph(CUevent_st* event, CUstream_st* stream);
  void keep(CUstream_st* stream, std::vector<Item>* items);
  void launch(const std::vector<Item>& items, CUstream_st* stream);
  void record(CUevent_st* event, CUstream_st* stream);
  void hold(CUevent_st* event, CUstream_st* stream);
  void run_until_reached(CUevent_st* event);
  // False: a closed gate is before it. Runs nothing for the first query of a recording.
  bool is_reached(CUevent_st* event);
  void run_until_empty(const CUstream_st* stream);
  void run_all();
  void close(CUevent_st* gate, CUstream_st* stream);
  void open(CUevent_st* gate);
  // At once, past all streams.
  void with_memory(const std::function<void()>& work);

  std::byte* allocate(std::size_t nbytes, int device);
  [[nodiscard]] std::uint64_t allocated();
  // False: no such memory.
  bool free(std::byte* address);
  // The device whose memory holds all these bytes.
  [[nodiscard]] std::optional<int> holder(const void* address, std::size_t nbytes);
  CUstream_st* new_stream(int device);
  void delete_stream(CUstream_st* stream);
  [[nodiscard]] CUevent_st* new_event(int device, bool keeps_time);
  void delete_event(CUevent_st* event);
  void seed(std::uint64_t value);

 private:
  struct Memory {
    std::size_t nbytes = 0;
    int device = 0;
  };
  // A thread's turn with the device: its lock. Device memory is opened by the first work of a turn and closed
  // at the turn's end, not for each work, since this takes two system calls for each block of memory.
  class Turn {
   public:
    explicit Turn(Device& device);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();
    // Gives the turn away for this time.
    void let_others(std::chrono::microseconds time);

   private:
    void close_memory();

    Device& device_;
    std::unique_lock<std::recursive_mutex> lock_;
  };
  static bool can_run(const CUstream_st& stream);
  bool run_one();
  void move(Turn& turn);
  void open_memory();
  void protect(int protection);
  void know_all_reached();

  // Recursive: work may open the gate of another stream.
  std::recursive_mutex mutex_;
  int turns_ = 0;  // of the thread that has the lock: work may call the device again
  bool memory_is_open_ = false;
  std::uint64_t closed_gates_ = 0, meetings_ = 0;  // that streams are before
  std::mt19937_64 random_{1};
  std::vector<std::unique_ptr<CUstream_st>> streams_;
  std::set<CUevent_st*> events_;
  std::map<std::byte*, Memory> memory_;
};

}  // namespace megascale::emulation

struct CUstream_st {
  int device = 0;
  std::deque<megascale::emulation::Item> items;
  std::vector<megascale::emulation::Item>* keeps =
      nullptr;  // takes the work, while a graph is made
};

#endif  // MEGASCALE_TESTS_CUDA_EMULATION_DEVICE_H_
