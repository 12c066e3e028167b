#ifndef MEGASCALE_STUDY_MEASURE_COLLECTIVES_H_
#define MEGASCALE_STUDY_MEASURE_COLLECTIVES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/study/statistics.h"

// Times collectives between ranks of this machine; sizes and bandwidths as nccl-tests define them.
namespace megascale::study {

struct CollectivesOptions {
  static constexpr std::size_t kMostBatches = 101, kMostRanks = 64;
  std::uint32_t ranks = 4;
  std::string transport = "local";  // threads; ucx: processes; ucx-tcp: processes over TCP
  std::vector<std::uint64_t> sizes{1U << 10U, 1U << 16U, 1U << 20U, 1U << 26U};
  std::vector<std::string> kinds;  // by name; empty: all
  std::size_t batches = 21;        // timed, of every kind and size
};

// One kind at one size.
struct CollectiveTimes {
  std::string kind;
  std::size_t nbytes = 0;  // of all ranks together, rounded to whole elements of every rank
  Spread seconds;          // of one transfer, over the batches
  double bus_factor = 1;   // busbw / algbw: what the slowest link must carry
  [[nodiscard]] double algbw() const noexcept {  // bytes per second
    return static_cast<double>(nbytes) / seconds.median;
  }
  [[nodiscard]] double busbw() const noexcept { return algbw() * bus_factor; }
};

// busbw / algbw of a kind over n ranks, as nccl-tests define it. `kind` is one of those that
// measure_collectives() knows.
[[nodiscard]] double bus_factor(const std::string& kind, double n);

// By size, then by kind. A rank that is a process and fails tells `on_message` why. Throws Error:
// bad_usage where kinds and sizes give no case, or too many; unsupported; failed.
[[nodiscard]] std::vector<CollectiveTimes> measure_collectives(
    const CollectivesOptions& options, const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_COLLECTIVES_H_
