// Draws a run of values on the host and copies it as often as the memory takes.
#include "megascale/kernels/cuda/random_operands.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "megascale/base/philox.h"
#include "megascale/cuda/memory.h"

namespace megascale::kernels::cuda {
namespace {

constexpr std::size_t kRunNbytes = std::size_t{16} << 20U;

void fill(std::span<std::byte> device_memory, std::span<const std::byte> run) {
  for (std::size_t at = 0; at < device_memory.size(); at += run.size()) {
    megascale::cuda::copy_to_device(device_memory.data() + at,
                                    run.first(std::min(run.size(), device_memory.size() - at)));
  }
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
