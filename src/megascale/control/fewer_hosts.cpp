// A number of hosts is possible if the configuration is valid with the ranks of so many hosts, and its
// plans can be verified.
#include "megascale/control/fewer_hosts.h"

#include <fmt/format.h>

#include <string>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"

namespace megascale::control {
namespace {

// Returns why the job cannot have so many ranks; empty if it can.
std::string why_not(Config config, std::uint32_t ranks, std::uint32_t local_ranks) {
  config.parallel.world_size = ranks;
  if (const auto errors = validate(config); !errors.empty()) return errors.front().message();
  try {
    job::require_proven(job::plan_job(config, local_ranks));
    return {};
  } catch (const Error& error) {
    return error.message();
  }
}

}  // namespace

std::vector<std::uint32_t> find_fewer_hosts(const Config& config, std::uint32_t hosts) {
  const std::uint32_t local_ranks = static_cast<std::uint32_t>(world_size(config)) / hosts;
  std::vector<std::uint32_t> fewer;
  std::string reason = "one host is the least";
  for (std::uint32_t count = hosts - 1; count > 0 && fewer.size() < kMostSmallerSizes; --count) {
    reason = why_not(config, count * local_ranks, local_ranks);
    if (reason.empty()) fewer.push_back(count);
  }
  if (!fewer.empty()) return fewer;
  throw Error(
      ErrorCode::bad_usage,
      fmt::format("control.allow_fewer: expected a job that can run on fewer than {} hosts, "
                  "found that it cannot: {}; choose another layout or batch, or set it to "
                  "false",
                  hosts, reason));
}

}  // namespace megascale::control
