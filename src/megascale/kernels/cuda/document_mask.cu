#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/document_mask.h"

namespace megascale::kernels::cuda {
namespace {

// `width`: packs in a row of keys.
template <class T, int kWidth>
__global__ void document_mask_kernel(DocumentMask a, std::size_t width) {
  const std::size_t packs = a.batch * a.sequence * width;
  for (std::size_t p = grid_thread(); p < packs; p += grid_threads()) {
    const std::size_t query = p / width, first_key = p % width * kWidth;  // query: of all sequences
    const std::size_t i = query % a.sequence;
    const std::int32_t* segments = a.segments + (query - i);
    Pack<T, kWidth> pack;
    for (int k = 0; k < kWidth; ++k) {
      const std::size_t j = first_key + static_cast<std::size_t>(k);
      const bool sees = segments[i] == segments[j] && (a.window == 0 || j + a.window > i);
      pack.at[k] = from_float<T>(sees ? 0.0F : kHiddenScore);
    }
    static_cast<Pack<T, kWidth>*>(a.mask)[p] = pack;
  }
}

}  // namespace

void document_mask(const DocumentMask& a, CUstream_st* stream) noexcept {
  with_width(DType::bfloat16, a.sequence, [&](auto element, auto width) {
    const std::size_t row = a.sequence / width.value;
    launch(document_mask_kernel<decltype(element), decltype(width)::value>,
           grid_for(a.batch * a.sequence * row), stream, a, row);
  });
}

}  // namespace megascale::kernels::cuda
