// One pass over memory: the bits of the exponent decide. A quarter of a second per GB and core, on
// the thread that writes.
#include "megascale/train/finite_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "megascale/base/error.h"

namespace megascale::train {
namespace {

constexpr std::uint32_t kMagnitude = 0x7fffffff, kNotFinite = 0x7f800000;

bool is_bad(std::uint32_t bits) { return (bits & kMagnitude) >= kNotFinite; }

}  // namespace

void require_finite(std::span<const checkpoint::Piece> pieces) {
  for (const checkpoint::Piece& piece : pieces) {
    if (piece.dtype != DType::float32 || piece.fill) continue;
    const std::span values(reinterpret_cast<const std::uint32_t*>(piece.bytes.data()),
                           piece.bytes.size() / sizeof(std::uint32_t));
    std::uint32_t largest = 0;  // a loop without a branch, which compilers vectorize
    for (const std::uint32_t bits : values) largest = std::max(largest, bits & kMagnitude);
    if (largest < kNotFinite) continue;
    const auto first = std::find_if(values.begin(), values.end(), is_bad) - values.begin();
    throw Error(ErrorCode::corrupt_data,
                fmt::format("expected finite values in {}, found one that is not at element {} of "
                            "the part of this rank; the state is damaged and not saved",
                            piece.name, first));
  }
}

}  // namespace megascale::train
