// Accesses memory with memcpy and sum_in_order() on the host, or with asynchronous copies and sums
// on a CUDA stream. On devices, one CUDA event per step marks the position in the stream.
#include "megascale/comm/local/local_mover.h"

#include <array>
#include <cstring>

#include "megascale/comm/sum.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/readback.h"
#include "megascale/cuda/stream.h"
#include "megascale/cuda/sum.h"

namespace megascale::comm {
namespace {

class DeviceMover final : public LocalMover {
 public:
  explicit DeviceMover(CUstream_st* stream) : stream_(stream) {}
  void copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept override {
    cuda::copy_async(to.data(), from, stream_);
  }
  void sum(std::span<std::byte> out, std::span<const std::byte* const> sources,
           DType dtype) noexcept override {
    cuda::sum_in_order_async(out, sources, dtype, stream_);
  }
  void read_counts(const BlockCounts& counts) noexcept override {
    counts_ = counts;
    readback_.start({counts.send, counts.receive}, stream_);
  }
  [[nodiscard]] std::optional<Result<BlockCounts>> counts() noexcept override {
    switch (readback_.state()) {
      case cuda::Event::State::pending:
        return std::nullopt;
      case cuda::Event::State::failed:
        return tl::unexpected(readback_.error());
      case cuda::Event::State::reached:
        break;
    }
    BlockCounts on_host = counts_;
    on_host.send = readback_.bytes().first(counts_.send.size());
    on_host.receive = readback_.bytes().subspan(counts_.send.size());
    return on_host;
  }
  // An event is recorded again only in the next transfer. All members have then gone through this
  // one and do not wait for the event any more.
  void arrive(std::size_t step) noexcept override { events_[step].record(stream_); }
  void follow(const LocalMover& other, std::size_t step) noexcept override {
    static_cast<const DeviceMover&>(other).events_[step].hold(stream_);
  }
  [[nodiscard]] bool records_events() const noexcept override { return true; }
  void record(cuda::Event& event) noexcept override { event.record(stream_); }

 private:
  CUstream_st* stream_;
  BlockCounts counts_;
  cuda::Readback readback_{2 * cuda::kMostSources * sizeof(std::int64_t)};
  std::array<cuda::Event, 3> events_{cuda::Event(false), cuda::Event(false), cuda::Event(false)};
};

}  // namespace

void HostMover::copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept {
  std::memcpy(to.data(), from.data(), from.size());
}
void HostMover::sum(std::span<std::byte> out, std::span<const std::byte* const> sources,
                    DType dtype) noexcept {
  sum_in_order(out, sources, dtype);
}

std::unique_ptr<LocalMover> make_device_mover(CUstream_st* stream) {
  return std::make_unique<DeviceMover>(stream);
}

}  // namespace megascale::comm
