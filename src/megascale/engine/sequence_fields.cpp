#include "megascale/engine/sequence_fields.h"

#include <algorithm>

#include "megascale/base/philox.h"
#include "megascale/data/dataset.h"

namespace megascale::engine {
namespace {

// Sets element i of the field in every micro-batch to value_of(number of its sequence i in the run).
template <class T, class ValueOf>
void fill_field(graph::BatchField wanted, const Config& config, std::uint32_t data_rank,
                const plan::BatchLayout& layout, std::byte* batch, std::int64_t step,
                const ValueOf& value_of) {
  const auto field = std::find_if(layout.fields.begin(), layout.fields.end(),
                                  [&](const auto& one) { return one.field == wanted; });
  if (field == layout.fields.end()) return;
  for (std::uint32_t m = 0; m < layout.micro_batches; ++m) {
    auto* values = reinterpret_cast<T*>(batch + plan::BatchLayout::kHeader +
                                        m * layout.micro_batch_nbytes + field->offset);
    const std::int64_t first = first_sample(
        config, {.step = step, .data_rank = data_rank, .micro_batch = std::int64_t{m}});
    for (std::int64_t i = 0; i < config.train.micro_batch_size; ++i)
      values[i] = value_of(first + i);
  }
}

}  // namespace

void fill_sequence_fields(const Config& config, std::uint32_t data_rank,
                          const plan::BatchLayout& layout, std::byte* batch, std::int64_t step,
                          const std::function<double(std::int64_t sample)>& reference_score) {
  fill_field<std::int64_t>(graph::BatchField::samples, config, data_rank, layout, batch, step,
                           [](std::int64_t sample) { return sample; });
  const PhiloxStream draws(static_cast<std::uint64_t>(config.train.seed), "exempt sequences");
  fill_field<std::int32_t>(graph::BatchField::exempt, config, data_rank, layout, batch, step,
                           [&](std::int64_t sample) {
                             const double drawn = draws.uniform(static_cast<std::uint64_t>(sample));
                             return drawn < config.model.moe.capacity_exempt_share ? 1 : 0;
                           });
  fill_field<double>(graph::BatchField::reference_scores, config, data_rank, layout, batch, step,
                     reference_score);
}

}  // namespace megascale::engine
