#include "megascale/diagnose/interface_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/clock.h"

namespace megascale::diagnose {
namespace {

constexpr std::size_t kMostAddresses = 16;
constexpr std::size_t kMostFailuresTold = 4;
// All ways together carry so many bytes: about a second.
constexpr std::size_t kAllNbytes = std::size_t{512} << 20U, kMostNbytes = std::size_t{32} << 20U;
constexpr std::int64_t kLongestNs = 10'000'000'000;

// Returns the fastest of three transfers.
Result<double> best_rate(const InterfaceAddress& from, const InterfaceAddress& to,
                         std::size_t nbytes) {
  Result<double> best = transfer_rate(from, to, nbytes);
  for (int i = 0; i < 2 && best; ++i) {
    const Result<double> next = transfer_rate(from, to, nbytes);
    best = next ? std::max(*best, *next) : next;
  }
  return best;
}

// Interfaces keep their names when their addresses change. Of several ways between two interfaces
// the slowest one counts.
void add_rate(CheckReport& report, const std::string& name, double rate) {
  const auto known = std::find_if(report.rates.begin(), report.rates.end(),
                                  [&](const Rate& one) { return one.name == name; });
  if (known == report.rates.end()) {
    report.rates.push_back({name, rate * 1e-9, "GB/s"});
  } else {
    known->value = std::min(known->value, rate * 1e-9);
  }
}

}  // namespace

void check_interfaces(std::span<const InterfaceAddress> addresses, CheckReport& report) {
  const auto used = addresses.first(std::min(addresses.size(), kMostAddresses));
  const std::size_t ways = std::max<std::size_t>(used.size() * used.size(), 1);
  const std::size_t nbytes = std::min(kMostNbytes, kAllNbytes / ways);
  const std::int64_t end_ns = monotonic_ns() + kLongestNs;
  double slowest = 0;
  std::size_t failures = 0, done = 0;
  for (const InterfaceAddress& from : used) {
    for (const InterfaceAddress& to : used) {
      if (from.address.storage.ss_family != to.address.storage.ss_family) continue;
      const std::string way =
          fmt::format("{} {} -> {} {}", from.interface, from.text, to.interface, to.text);
      if (monotonic_ns() > end_ns)
        return report.fail(
            fmt::format("not done after {} s, at {}", kLongestNs / 1'000'000'000, way));
      const auto rate = best_rate(from, to, nbytes);
      if (!rate) {
        if (++failures <= kMostFailuresTold) report.fail(way + ": " + rate.error().message());
        continue;
      }
      add_rate(report, fmt::format("tcp.{}.{}", from.interface, to.interface), *rate);
      ++done;
      slowest = slowest == 0 ? *rate : std::min(slowest, *rate);
    }
  }
  const std::string found =
      fmt::format("{} addresses, {} ways, slowest {:.1f} GB/s", used.size(), done, slowest * 1e-9);
  report.text =
      failures == 0 ? found : fmt::format("{}; {} ways fail: {}", found, failures, report.text);
  if (used.empty()) report.fail("expected an interface with an address, found none");
}

}  // namespace megascale::diagnose
