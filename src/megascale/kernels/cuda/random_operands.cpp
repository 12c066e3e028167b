// Draws a run of values on the host and repeats it on the device.
#include "megascale/kernels/cuda/random_operands.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "megascale/base/philox.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"

namespace megascale::kernels::cuda {
namespace {

constexpr std::size_t kRunNbytes = std::size_t{16} << 20U;

// The host sends the run once, since large memory holds it thousands of times. The device then
// copies what it has behind it, twice as much each time.
void fill(std::span<std::byte> device_memory, std::span<const std::byte> run) {
  std::size_t done = std::min(run.size(), device_memory.size());
  megascale::cuda::copy_to_device(device_memory.data(), run.first(done));
  const megascale::cuda::Stream stream;
  while (done < device_memory.size()) {
    const std::size_t more = std::min(done, device_memory.size() - done);
    megascale::cuda::copy_async(device_memory.data() + done, device_memory.first(more),
                                stream.get());
    done += more;
  }
  stream.synchronize();
  if (auto error = megascale::cuda::take_error()) throw Error(*error);
}

}  // namespace

void fill_with_numbers(std::span<std::byte> device_memory, DType dtype) {
  std::vector<float> run(kRunNbytes / sizeof(float));
  PhiloxStream(1, "bench").fill_normal(run, 0, 0.0, 1.0);
  if (dtype == DType::bfloat16) {
    for (float& value : run) {  // two of them in each
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) >> 16U;
      value = std::bit_cast<float>(bits << 16U | bits);
    }
  }
  fill(device_memory, std::as_bytes(std::span(run)));
}

void fill_with_float8(std::span<std::byte> device_memory) {
  // The first bit of the exponent, behind the sign: without it, values of both formats are below 2.
  constexpr std::uint64_t kBelowTwo = ~std::uint64_t{0x4040404040404040};
  const PhiloxStream random(1, "bench");
  std::vector<std::uint64_t> run(kRunNbytes / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < run.size(); ++i) run[i] = random.bits(i) & kBelowTwo;
  fill(device_memory, std::as_bytes(std::span(run)));
}

}  // namespace megascale::kernels::cuda
