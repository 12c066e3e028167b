#ifndef MEGASCALE_CUDA_STREAM_H_
#define MEGASCALE_CUDA_STREAM_H_

#include <cstdint>
#include <optional>

#include "megascale/base/error.h"

struct CUstream_st;
struct CUevent_st;

namespace megascale::cuda {

// An in-order queue of work on a device: a CUDA stream. One thread at a time may use it.
class Stream {
 public:
  enum class Priority : std::uint8_t { normal, high };
  // Creates a stream on the calling thread's device. Throws Error.
  explicit Stream(Priority priority = Priority::normal);
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;
  ~Stream();
  [[nodiscard]] CUstream_st* get() const noexcept { return stream_; }
  // Waits until all work of the stream is done. Throws Error if the work has failed.
  void synchronize() const;

 private:
  CUstream_st* stream_ = nullptr;
};

// A point in the work of a stream: a CUDA event. It is reached when all work before it is done, and
// it keeps the time of that moment.
class Event {
 public:
  enum class State : std::uint8_t { reached, pending, failed };
  // An event with `keeps_time` = false has no time and is cheaper. Throws Error.
  explicit Event(bool keeps_time = true);
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  ~Event();

  // Moves the event to the end of the work that is in the stream now. take_error() reports a
  // failure.
  void record(CUstream_st* stream) noexcept;
  // Use it instead of record() while a Graph is captured from the stream: every launch of the graph
  // then records the event at this point. Its time may be read once the launch is done. Before
  // that, do not wait for the event and do not hold() a stream on it.
  void record_in_graph(CUstream_st* stream) noexcept;
  // Work that is enqueued on `stream` after this call starts only after the event is reached, as it
  // was recorded last. An event that was never recorded delays nothing.
  void hold(CUstream_st* stream) const noexcept;
  // Returns `reached` for an event that was never recorded. If it returns `failed`, wait() throws
  // the error.
  [[nodiscard]] State state() const noexcept;
  // Blocks the calling thread until the event is reached. Throws Error.
  void wait() const;
  // Returns the nanoseconds from `earlier` to this event. Both must be reached and keep time.
  [[nodiscard]] std::int64_t ns_since(const Event& earlier) const noexcept;

 private:
  CUevent_st* event_ = nullptr;
};

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_STREAM_H_
