#ifndef MEGASCALE_CUDA_STREAM_H_
#define MEGASCALE_CUDA_STREAM_H_

#include <cstdint>
#include <optional>

#include "megascale/base/error.h"

struct CUstream_st;
struct CUevent_st;

namespace megascale::cuda {

// An in-order queue of the calling thread's device. Used by one thread at a time.
class Stream {
 public:
  enum class Priority : std::uint8_t { normal, high };
  // Throws Error.
  explicit Stream(Priority priority = Priority::normal);
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;
  ~Stream();
  [[nodiscard]] CUstream_st* get() const noexcept { return stream_; }
  // Waits until all its work is done. Throws Error: what went wrong in it.
  void synchronize() const;

 private:
  CUstream_st* stream_ = nullptr;
};

// A point in a stream's work, with the time at which it was reached.
class Event {
 public:
  enum class State : std::uint8_t { reached, pending, failed };
  // `keeps_time` false: a cheaper one, without times. Throws Error.
  explicit Event(bool keeps_time = true);
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  ~Event();

  // From now on the event means the end of what the stream has been given so far. Failures:
  // take_error().
  void record(CUstream_st* stream) noexcept;
  // While a Graph is made from the stream: every launch records the event when it comes here. Its
  // time may be read once the launch is done; until then it is neither waited for nor held.
  void record_in_graph(CUstream_st* stream) noexcept;
  // What the stream is given from now on starts once the event, as recorded last, is reached. An
  // event that was never recorded is no wait.
  void hold(CUstream_st* stream) const noexcept;
  // Failed: wait() throws why. One that was never recorded is reached.
  [[nodiscard]] State state() const noexcept;
  // Blocks. Throws Error.
  void wait() const;
  // Nanoseconds from `earlier` to this; both reached, both keep time.
  [[nodiscard]] std::int64_t ns_since(const Event& earlier) const noexcept;

 private:
  CUevent_st* event_ = nullptr;
};

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_STREAM_H_
