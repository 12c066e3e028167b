#ifndef MEGASCALE_TESTS_CUDA_EMULATION_EMULATION_H_
#define MEGASCALE_TESTS_CUDA_EMULATION_EMULATION_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

struct CUevent_st;
struct CUstream_st;

namespace megascale::emulation {

// The next work of a stream.
void enqueue(CUstream_st* stream, std::function<void()> work);

// The same for work that begins once may_go() returns true. It is asked when the work before is done,
// under the lock of the device, and again whenever the device looks for work.
void enqueue_meeting(CUstream_st* stream, std::function<bool()> may_go, std::function<void()> work);
// Runs some work of a stream, as a device does by itself.
void go_on();

// Of the chance by which the emulated device orders what nothing else does.
void seed(std::uint64_t value);

// Devices of the process: 1 unless a test wants more.
void set_device_count(int count);
// The device on which the calling thread works, of a stream, and of memory that holds all these
// bytes.
[[nodiscard]] int current_device_of_thread();
[[nodiscard]] int device_of(const CUstream_st* stream);
[[nodiscard]] std::optional<int> device_of(const void* address, std::size_t nbytes);
// Whether the calling thread captures a graph. It may then not allocate, wait or ask: the capture
// becomes invalid.
[[nodiscard]] bool spoils_capture();

// A launch of a kernel. False: the device refuses it, and says why to cudaGetLastError().
struct Launch {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned threads = 1;           // of a block
  std::size_t shared_nbytes = 0;  // dynamic
};
[[nodiscard]] bool may_launch(const void* kernel, const Launch& launch, CUstream_st* stream);

// This function of a library fails once, after `calls` calls that succeed, as it may on a device.
// Any thread.
void refuse_next(std::string_view function, int calls = 0);
// Takes all requests back that have not come true.
void refuse_nothing();
// Whether such a request is left.
[[nodiscard]] bool is_to_be_refused(std::string_view function);
// Whether the call that asks is to fail. For the stand-ins of libraries.
[[nodiscard]] bool is_refused(std::string_view function);

// Every copy of a stream takes at least this long from now on. The device does nothing else then.
void delay_copies(std::chrono::milliseconds delay);

// What a stream waits for on the device, without end: as a transfer does whose peer is gone. Who
// asks for an event behind it finds it pending, and who waits for one waits. Any thread; outlives
// what the streams were given behind it.
class Gate {
 public:
  Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();
  // In the order of the stream.
  void close(CUstream_st* stream);
  void open() noexcept;

 private:
  CUevent_st* event_;
};

}  // namespace megascale::emulation

#endif  // MEGASCALE_TESTS_CUDA_EMULATION_EMULATION_H_
