#ifndef MEGASCALE_ENGINE_EXEMPT_SEQUENCES_H_
#define MEGASCALE_ENGINE_EXEMPT_SEQUENCES_H_

#include <cstddef>
#include <cstdint>

#include "megascale/config/config.h"
#include "megascale/plan/build.h"

namespace megascale::engine {

// Fills the field exempt of every micro-batch of a step (counted from 0): 1 for the share
// moe.capacity_exempt_share of the sequences, 0 for the others. A sequence is drawn by train.seed and its
// number in the run (first_sample()), so that every layout exempts the same ones. `batch` is laid out as
// `layout`; without the field it stays as it is. Any thread may call it.
void fill_exempt_sequences(const Config& config, std::uint32_t data_rank,
                           const plan::BatchLayout& layout, std::byte* batch, std::int64_t step);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_EXEMPT_SEQUENCES_H_
