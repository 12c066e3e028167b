// Hosts form a ring: host i is paired with host i + 1. Each pair is a group of its own, which must be
// named before the hosts meet. So if a host has failed, its two pairs are left out.
#include "megascale/diagnose/neighbours.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/comm/shared_file.h"
#include "megascale/diagnose/clock_check.h"
#include "megascale/diagnose/exchange.h"
#include "megascale/diagnose/report_text.h"

namespace megascale::diagnose {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kPatience{60};
constexpr double kPairSeconds = 8;
constexpr std::int64_t kMostClockDifferenceNs = 60'000'000'000;

// The pairs that a host is in, in an order in which all hosts can carry them out: pairs of one round
// have no host in common.
struct Pair {
  std::uint32_t round = 0, first = 0, second = 0;
  [[nodiscard]] std::string key() const { return fmt::format("pair{}", first); }
};
std::vector<Pair> pairs_of(std::uint32_t host, std::uint32_t hosts) {
  std::vector<Pair> pairs;
  for (std::uint32_t first = 0; first < (hosts == 2 ? 1 : hosts); ++first) {
    const std::uint32_t second = (first + 1) % hosts;
    if (host != first && host != second) continue;
    // With an odd number of hosts the last pair shares a host with both rounds.
    const bool odd_one = hosts % 2 == 1 && first == hosts - 1;
    pairs.push_back({.round = odd_one ? 2 : first % 2, .first = first, .second = second});
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.round < b.round; });
  return pairs;
}

HostSummary parse_summary(const std::string& text) {
  const Json json = Json::parse(text);
  return {.host = json.at("host").get<std::string>(),
          .compute_kind = json.at("kind").get<std::string>(),
          .compute_digest = json.at("digest").get<std::string>(),
          .passed = json.at("passed").get<bool>(),
          .wall_ns = json.at("wall_ns").get<std::int64_t>()};
}

void add_wrong_digests(std::span<const HostSummary> hosts, const std::string& kind,
                       std::vector<Difference>& wrong) {
  std::map<std::string, std::size_t> counts;
  std::size_t all = 0;
  for (const HostSummary& host : hosts) {
    if (host.compute_kind != kind || host.compute_digest.empty()) continue;
    ++counts[host.compute_digest];
    ++all;
  }
  if (counts.size() < 2) return;
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool majority = 2 * most->second > all;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& digest = hosts[i].compute_digest;
    if (hosts[i].compute_kind != kind || digest.empty() || (majority && digest == most->first))
      continue;
    wrong[i].certain = majority;
    wrong[i].text = fmt::format(
        "its results have digest {}, and {}", digest.substr(0, 8),
        majority
            ? fmt::format("those of {} equal hosts have {}", most->second, most->first.substr(0, 8))
            : std::string("equal hosts have others: one of them computes "
                          "wrongly, or their programs differ"));
  }
}

void add_wrong_clocks(std::span<const HostSummary> hosts, std::vector<Difference>& wrong) {
  std::vector<std::int64_t> clocks;
  clocks.reserve(hosts.size());
  for (const HostSummary& host : hosts) clocks.push_back(host.wall_ns);
  std::sort(clocks.begin(), clocks.end());
  const std::int64_t median = clocks[clocks.size() / 2];
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::int64_t difference = hosts[i].wall_ns - median;
    if (std::abs(difference) <= kMostClockDifferenceNs) continue;
    wrong[i].text +=
        fmt::format("{}its clock differs from that of the other hosts by {:.0f} s",
                    wrong[i].text.empty() ? "" : "; ", static_cast<double>(difference) * 1e-9);
  }
}

// Tells all hosts what the comparison has found: by host, what is wrong ("" if nothing), and
// whether its own checks passed.
Json compare_all(comm::Coordination& all, const HostReport& own) {
  (void)all.any(false, "the beginning of the comparison");
  const Json mine{{"host", own.host},
                  {"kind", own.compute_kind},
                  {"digest", own.compute_digest},
                  {"passed", own.passed()},
                  {"wall_ns", read_clocks().wall_ns}};
  const auto messages = all.gather(mine.dump(), "the results of the hosts");
  std::string verdict;
  if (all.rank() == 0) {
    std::vector<HostSummary> hosts;
    for (const std::string& message : messages) hosts.push_back(parse_summary(message));
    const auto wrong = compare_hosts(hosts);
    Json json = Json::array();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      json.push_back({{"host", hosts[i].host},
                      {"wrong", wrong[i].text},
                      {"good", hosts[i].passed && wrong[i].text.empty()}});
    }
    verdict = json.dump();
  }
  return Json::parse(all.broadcast(std::move(verdict), "the comparison of the hosts"));
}

void reduce_with_neighbours(comm::ProcessRank& rank, std::span<std::byte> memory,
                            std::uint32_t self, const Json& hosts, CheckReport& check) {
  std::vector<std::string> left_out;
  double slowest = 0;
  for (const Pair& pair : pairs_of(self, static_cast<std::uint32_t>(hosts.size()))) {
    const std::uint32_t other = pair.first == self ? pair.second : pair.first;
    const auto name = hosts[other].at("host").get<std::string>();
    if (!hosts[self].at("good").get<bool>() || !hosts[other].at("good").get<bool>()) {
      left_out.push_back(name);
      continue;
    }
    try {
      const double rate = run_exchange(rank, memory,
                                       {.rule = &transfer_rules::all_reduce,
                                        .key = pair.key(),
                                        .members = {pair.first, pair.second},
                                        .my_index = pair.first == self ? 0U : 1U},
                                       kPairSeconds);
      slowest = slowest == 0 ? rate : std::min(slowest, rate);
    } catch (const Error& error) {
      check.fail(fmt::format("with host {}: {}", name, error.message()));
    }
  }
  if (slowest > 0) {
    check.text +=
        fmt::format("{}slowest {:.1f} GB/s", check.text.empty() ? "" : "; ", slowest * 1e-9);
  } else if (check.outcome == CheckOutcome::passed) {
    check.outcome = CheckOutcome::skipped;
  }
  if (!left_out.empty()) {
    check.text += fmt::format("{}not with {}: a host of the pair has failed before",
                              check.text.empty() ? "" : "; ", fmt::join(left_out, ", "));
  }
}

}  // namespace

std::vector<Difference> compare_hosts(std::span<const HostSummary> hosts) {
  std::vector<Difference> wrong(hosts.size());
  std::vector<std::string> kinds;
  for (const HostSummary& host : hosts) {
    if (std::find(kinds.begin(), kinds.end(), host.compute_kind) != kinds.end()) continue;
    kinds.push_back(host.compute_kind);
    add_wrong_digests(hosts, host.compute_kind, wrong);
  }
  if (!hosts.empty()) add_wrong_clocks(hosts, wrong);
  return wrong;
}

std::vector<HostReport> check_neighbours(const comm::ProcessLaunch& launch, HostReport own) {
  const std::uint32_t self = launch.environment.rank;
  const auto memory = std::make_shared<comm::SharedFile>(kExchangeNbytes);
  comm::ProcessRank::Options options;
  for (const Pair& pair : pairs_of(self, launch.environment.world_size))
    options.groups.push_back({.key = pair.key(), .members = {pair.first, pair.second}});
  options.digest.binary = comm::digest_of_this_binary();
  options.arena = memory;
  options.timeout = kPatience;
  comm::ProcessRank rank(launch, options);
  comm::Coordination& all = rank.coordination();
  Json hosts;
  own.checks.push_back(run_check("comparison", [&](CheckReport& check) {
    hosts = compare_all(all, own);
    check.text = fmt::format("{} hosts", hosts.size());
    if (const auto wrong = hosts[self].at("wrong").get<std::string>(); !wrong.empty())
      check.fail(wrong);
  }));
  own.checks.push_back(run_check("all_reduce", [&](CheckReport& check) {
    reduce_with_neighbours(rank, memory->bytes(), self, hosts, check);
  }));
  std::vector<HostReport> reports;
  for (const std::string& text : all.gather(to_json(own).dump(), "the reports of the hosts"))
    reports.push_back(parse_host_report(text));
  if (reports.empty()) reports.push_back(std::move(own));
  return reports;
}

}  // namespace megascale::diagnose
