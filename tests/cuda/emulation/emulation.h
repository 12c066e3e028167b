#ifndef MEGASCALE_TESTS_CUDA_EMULATION_EMULATION_H_
#define MEGASCALE_TESTS_CUDA_EMULATION_EMULATION_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

struct CUevent_st;
struct CUstream_st;

namespace megascale::emulation {

// The next work of a stream.
void enqueue(CUstream_st* stream, std::function<void()> work);

// Of the chance by which the emulated device orders what nothing else does.
void seed(std::uint64_t value);

// The next call of this function of a library fails, as it may on a device. Any thread.
void refuse_next(std::string_view function);
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
