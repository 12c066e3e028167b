#include "megascale/observe/run_clocks.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace megascale::observe {
namespace {

// Of one transfer, what the ranks of one host tell: the tightest times.
struct Seen {
  std::int64_t last_start_ns = -1;  // by then all of them had not yet started
  std::int64_t first_seen_ns = -1;  // -1: none can tell when the others had started
};

// Returns when the rank has seen that all members had started the transfer; -1 if it cannot tell.
std::int64_t seen_ns(const TaskRecord& record, const RankTransfer& transfer) {
  if (record.matched_ns != 0) return record.matched_ns;
  return transfer.takes_from_all && record.done_ns != 0 ? record.done_ns : -1;
}

// step, key of the communicator, number of the transfer
using TransferName = std::tuple<std::int64_t, std::string_view, std::uint32_t>;
using Transfers = std::map<TransferName, std::map<std::size_t, Seen>>;  // then by host

void add(const RankRing& rank, std::size_t host, Transfers& transfers) {
  for (const RingStep& step : rank.steps) {
    for (const RankTransfer& transfer : rank.transfers.transfers) {
      if (transfer.task >= step.records.size()) continue;
      const TaskRecord& record = step.records[transfer.task];
      if (record.start_ns == 0) continue;
      Seen& seen =
          transfers[{step.step, rank.transfers.keys[transfer.communicator], transfer.number}][host];
      seen.last_start_ns = std::max(seen.last_start_ns, record.start_ns);
      const std::int64_t own = seen_ns(record, transfer);
      if (own >= 0)
        seen.first_seen_ns = seen.first_seen_ns < 0 ? own : std::min(seen.first_seen_ns, own);
    }
  }
}

ClockBounds bounds_of(const Transfers& transfers, std::size_t hosts) {
  ClockBounds bounds(hosts);
  for (const auto& [name, by_host] : transfers) {
    for (const auto& [early, starts] : by_host) {
      for (const auto& [late, sees] : by_host) {
        if (sees.first_seen_ns >= 0)
          bounds.add({early, late},
                     {.start_ns = starts.last_start_ns, .seen_ns = sees.first_seen_ns});
      }
    }
  }
  return bounds;
}

}  // namespace

std::optional<std::int64_t> RunClocks::uncertainty_ns() const {
  std::int64_t largest = 0;
  for (const HostClock& host : hosts) {
    if (!host.fit.uncertainty_ns) return std::nullopt;
    largest = std::max(largest, *host.fit.uncertainty_ns);
  }
  return largest;
}

RunClocks align_clocks(std::span<const RankRing> ranks) {
  RunClocks clocks;
  std::vector<std::int64_t> named_ns;  // by host: the offset that its rings name
  for (const RankRing& rank : ranks) {
    const std::string host = rank.writer != nullptr ? rank.writer->host_name : "";
    const auto found = std::ranges::find(clocks.hosts, host, &HostClock::host);
    clocks.host_of.push_back(static_cast<std::size_t>(found - clocks.hosts.begin()));
    if (found != clocks.hosts.end()) continue;
    clocks.hosts.push_back({.host = host, .fit = {}});
    named_ns.push_back(rank.writer != nullptr ? rank.writer->clock_offset_ns : 0);
  }
  Transfers transfers;
  if (clocks.hosts.size() > 1) {
    for (std::size_t r = 0; r < ranks.size(); ++r) add(ranks[r], clocks.host_of[r], transfers);
  }
  ClockFits fits = fit_clocks(bounds_of(transfers, clocks.hosts.size()));
  clocks.violation_ns = fits.violation_ns;
  for (std::size_t h = 0; h < clocks.hosts.size(); ++h) {
    clocks.hosts[h].fit = fits.clocks[h];
    if (!fits.clocks[h].uncertainty_ns) clocks.hosts[h].fit.offset_ns = named_ns[h] - named_ns[0];
  }
  return clocks;
}

}  // namespace megascale::observe
