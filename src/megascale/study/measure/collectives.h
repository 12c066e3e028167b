#ifndef MEGASCALE_STUDY_MEASURE_COLLECTIVES_H_
#define MEGASCALE_STUDY_MEASURE_COLLECTIVES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/study/statistics.h"

// Times collectives between ranks of this machine (`megascale bench collectives`). Sizes and
// bandwidths are defined as in nccl-tests.
namespace megascale::study {

// Which collectives are timed, and between which ranks.
struct CollectivesOptions {
  static constexpr std::size_t kMostBatches = 101, kMostRanks = 64;
  std::uint32_t ranks = 4;
  std::string transport = "local";  // local: threads; ucx: processes; ucx-tcp: processes over TCP
  std::vector<std::uint64_t> sizes{1U << 10U, 1U << 16U, 1U << 20U, 1U << 26U};
  std::vector<std::string> kinds;  // names of kinds; empty: all kinds
  std::size_t batches = 21;        // timed batches of every kind and size
};

// The times of one kind at one size.
struct CollectiveTimes {
  std::string kind;
  std::size_t nbytes = 0;  // of all ranks together; every rank has whole elements
  Spread seconds;          // of one transfer, over the batches
  double bus_factor = 1;   // busbw / algbw; see bus_factor()
  [[nodiscard]] double algbw() const noexcept {  // bytes per second
    return static_cast<double>(nbytes) / seconds.median;
  }
  [[nodiscard]] double busbw() const noexcept { return algbw() * bus_factor; }
};

// Returns busbw / algbw of a kind over n ranks, as nccl-tests define it: the bytes that the slowest
// link must carry, over the bytes of the transfer. Throws Error (bad_usage) if
// measure_collectives() does not know `kind`.
[[nodiscard]] double bus_factor(const std::string& kind, double n);

// Times every kind at every size, sorted by size, then by kind. It starts the ranks as threads or
// processes. A process that fails calls `on_message` with the reason, in that process. Throws
// Error:
//   bad_usage    kinds and sizes give no case, or too many
//   unsupported  the transport needs UCX, and the binary was built without it
//   failed       a process failed
[[nodiscard]] std::vector<CollectiveTimes> measure_collectives(
    const CollectivesOptions& options, const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_COLLECTIVES_H_
