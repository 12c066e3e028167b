#ifndef MEGASCALE_ENGINE_SEQUENCE_FIELDS_H_
#define MEGASCALE_ENGINE_SEQUENCE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "megascale/config/config.h"
#include "megascale/plan/build.h"

namespace megascale::engine {

// Fills, for every micro-batch of a step (counted from 0), the fields with one value per sequence. Both follow
// from the number of the sequence in the run (first_sample()), so they are equal in every layout and after
// a resume:
//   samples  that number itself
//   exempt   1 for the share moe.capacity_exempt_share of the sequences, drawn by train.seed; 0 for the
//            others
//   reference_scores  what `reference_score` returns for that number
// `batch` is laid out as `layout`; a field that it does not have is left out. Any thread may call it.
void fill_sequence_fields(const Config& config, std::uint32_t data_rank,
                          const plan::BatchLayout& layout, std::byte* batch, std::int64_t step,
                          const std::function<double(std::int64_t sample)>& reference_score);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_SEQUENCE_FIELDS_H_
