#include "megascale/comm/local/local_mover.h"

#include <array>
#include <cstring>

#include "megascale/comm/sum.h"
#include "megascale/cuda/memory.h"
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
  // An event is recorded again for the next transfer only when all members are through with this
  // one.
  void arrive(std::size_t step) noexcept override { events_[step].record(stream_); }
  void follow(const LocalMover& other, std::size_t step) noexcept override {
    static_cast<const DeviceMover&>(other).events_[step].hold(stream_);
  }

 private:
  CUstream_st* stream_;
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
