#include "megascale/engine/wide_weights.h"

#include <algorithm>

#include "megascale/base/error.h"

namespace megascale::engine {

WideWeights::WideWeights(const plan::ModelState& state) : offsets_(state.buckets.size()) {
  for (const plan::Buffer& buffer : state.buffers)
    end_ = std::max(end_, plan::align_buffer(buffer.offset + buffer.nbytes));
  for (std::size_t b = 0; b < state.buckets.size(); ++b) {
    const plan::FlatBucket& bucket = state.buckets[b];
    if (!is_wide(bucket)) continue;
    MEGASCALE_CHECK(bucket.dtype == DType::bfloat16, "weights without masters are bfloat16");
    offsets_[b] = end_;
    end_ += plan::align_buffer(bucket.kept_numel() * sizeof(float));
  }
}

}  // namespace megascale::engine
