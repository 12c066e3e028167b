// Megatron-LM divides in floating point. Here all is exact: a size lasts until the samples that were
// consumed reach its share of SAMPLES, rounded up to a whole sample.
#include "megascale/config/batch_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "megascale/base/error.h"

namespace megascale {
namespace {

// Samples x increments may exceed 64 bits.
__extension__ using Wide = __int128;

struct Ramp {
  std::int64_t start = 0, increment = 0, samples = 0;
};

Ramp ramp_of(const TrainConfig& train) noexcept {
  const std::vector<std::int64_t>& values = train.rampup_batch_size;
  return {values[0], values[1], values[2]};
}

std::int64_t divide_up(Wide dividend, Wide divisor) noexcept {
  return static_cast<std::int64_t>((dividend + divisor - 1) / divisor);
}

}  // namespace

bool is_ramp(const TrainConfig& train) noexcept {
  if (train.rampup_batch_size.size() != 3) return false;
  const Ramp ramp = ramp_of(train);
  return ramp.start > 0 && ramp.increment > 0 && ramp.samples > 0 &&
         ramp.start <= train.global_batch_size &&
         (train.global_batch_size - ramp.start) % ramp.increment == 0;
}

std::int64_t batch_increments(const TrainConfig& train) noexcept {
  if (train.rampup_batch_size.empty()) return 0;
  const Ramp ramp = ramp_of(train);
  return (train.global_batch_size - ramp.start) / ramp.increment;
}

std::vector<std::int64_t> batch_sizes(const TrainConfig& train) {
  const std::int64_t increments = batch_increments(train);
  MEGASCALE_CHECK(increments < kMostBatchSizes, "the configuration is valid");
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < increments; ++i)
    sizes.push_back(ramp_of(train).start + i * ramp_of(train).increment);
  sizes.push_back(train.global_batch_size);
  return sizes;
}

std::vector<BatchPhase> batch_phases(const TrainConfig& train, BatchPoint from) {
  const std::int64_t increments = batch_increments(train);
  std::vector<BatchPhase> phases;
  while (increments > 0 && from.samples < ramp_of(train).samples) {
    const Ramp ramp = ramp_of(train);
    const auto number =
        static_cast<std::int64_t>(Wide{from.samples} * increments / Wide{ramp.samples});
    phases.push_back({.first_step = from.step,
                      .global_batch_size = ramp.start + number * ramp.increment,
                      .samples_before = from.samples});
    const std::int64_t end = divide_up(Wide{number + 1} * ramp.samples, increments);
    from.step += divide_up(end - from.samples, phases.back().global_batch_size);
    from.samples = phases.back().samples_at(from.step);
  }
  phases.push_back({.first_step = from.step,
                    .global_batch_size = train.global_batch_size,
                    .samples_before = from.samples});
  return phases;
}

std::int64_t samples_before_step(const std::vector<BatchPhase>& phases, std::int64_t step) {
  const auto after = std::find_if(phases.begin(), phases.end(), [step](const BatchPhase& phase) {
    return phase.first_step > step;
  });
  return (after == phases.begin() ? phases.front() : *std::prev(after)).samples_at(step);
}

Config with_batch_size(Config config, std::int64_t global_batch_size) {
  config.train.global_batch_size = global_batch_size;
  config.train.rampup_batch_size.clear();
  return config;
}

std::string to_string(const std::vector<BatchPhase>& phases, std::size_t most) {
  std::string text;
  const std::size_t left_out = phases.size() > most ? phases.size() - most : 0;
  const std::size_t head = most / 2;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (left_out > 0 && i == head) {
      text += fmt::format(", {} more sizes", left_out);
      i += left_out;
    }
    text += fmt::format("{}{}{} from step {} on", i == 0 ? "" : ", ", phases[i].global_batch_size,
                        i == 0 ? " sequences" : "", phases[i].first_step + 1);
  }
  return text;
}

}  // namespace megascale
