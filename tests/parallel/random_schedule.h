#ifndef MEGASCALE_TESTS_PARALLEL_RANDOM_SCHEDULE_H_
#define MEGASCALE_TESTS_PARALLEL_RANDOM_SCHEDULE_H_

#include <cstdint>
#include <random>
#include <vector>

#include "megascale/parallel/schedule.h"

namespace megascale::parallel {

inline std::uint32_t below(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(random() % bound);
}

// A valid schedule of these sizes, drawn by running the pipeline: over and over a random stage
// appends a random item whose inputs are done, until nothing is left.
inline Schedule random_schedule(std::mt19937& random, std::uint32_t stages, std::uint32_t chunks,
                                std::uint32_t micro_batches) {
  const bool split = below(random, 2) == 0;
  Schedule schedule{"random", stages, chunks, micro_batches, split, {}};
  schedule.items.resize(stages);
  const std::uint32_t all = stages * chunks;
  // How far each (work, global chunk, micro-batch) is done.
  std::vector<std::vector<std::vector<bool>>> done(
      kWorkKinds, std::vector<std::vector<bool>>(all, std::vector<bool>(micro_batches)));
  const auto is_ready = [&](const ScheduleItem& item, std::uint32_t g) {
    const std::uint32_t k = item.micro_batch;
    const bool accumulates = item.work != Work::forward;
    if (done[static_cast<std::size_t>(item.work)][g][k]) return false;
    if (accumulates && k > 0 && !done[static_cast<std::size_t>(item.work)][g][k - 1]) return false;
    if (item.work == Work::forward) return g == 0 || done[0][g - 1][k];
    if (item.work == Work::backward) return done[0][g][k] && (g + 1 == all || done[1][g + 1][k]);
    return split && static_cast<bool>(done[1][g][k]);
  };
  while (true) {
    std::vector<std::pair<std::uint32_t, ScheduleItem>> ready;
    for (std::size_t work = 0; work < kWorkKinds; ++work) {
      for (std::uint32_t g = 0; g < all; ++g) {
        for (std::uint32_t k = 0; k < micro_batches; ++k) {
          const ScheduleItem item{static_cast<Work>(work), static_cast<std::uint16_t>(g / stages),
                                  static_cast<std::uint16_t>(k)};
          if (is_ready(item, g)) ready.emplace_back(g % stages, item);
        }
      }
    }
    if (ready.empty()) break;
    const auto& [stage, item] = ready[below(random, static_cast<std::uint32_t>(ready.size()))];
    schedule.items[stage].push_back(item);
    done[static_cast<std::size_t>(item.work)][schedule.global_chunk(stage, item.chunk)]
        [item.micro_batch] = true;
  }
  return schedule;
}

// And of random sizes.
inline Schedule random_schedule(std::mt19937& random) {
  const std::uint32_t stages = 1 + below(random, 5);
  const std::uint32_t chunks = 1 + below(random, 3);
  const std::uint32_t micro_batches = 1 + below(random, 6);
  return random_schedule(random, stages, chunks, micro_batches);
}

}  // namespace megascale::parallel

#endif  // MEGASCALE_TESTS_PARALLEL_RANDOM_SCHEDULE_H_
