#include "megascale/engine/exempt_sequences.h"

#include <algorithm>

#include "megascale/base/philox.h"
#include "megascale/data/dataset.h"

namespace megascale::engine {

void fill_exempt_sequences(const Config& config, std::uint32_t data_rank,
                           const plan::BatchLayout& layout, std::byte* batch, std::int64_t step) {
  const auto field = std::find_if(layout.fields.begin(), layout.fields.end(), [](const auto& one) {
    return one.field == graph::BatchField::exempt;
  });
  if (field == layout.fields.end()) return;  // a stage without experts
  const PhiloxStream draws(static_cast<std::uint64_t>(config.train.seed), "exempt sequences");
  for (std::uint32_t m = 0; m < layout.micro_batches; ++m) {
    auto* exempt = reinterpret_cast<std::int32_t*>(batch + plan::BatchLayout::kHeader +
                                                   m * layout.micro_batch_nbytes + field->offset);
    const std::int64_t first = first_sample(
        config, {.step = step, .data_rank = data_rank, .micro_batch = std::int64_t{m}});
    for (std::int64_t i = 0; i < config.train.micro_batch_size; ++i) {
      const double drawn = draws.uniform(static_cast<std::uint64_t>(first + i));
      exempt[i] = drawn < config.model.moe.capacity_exempt_share ? 1 : 0;
    }
  }
}

}  // namespace megascale::engine
