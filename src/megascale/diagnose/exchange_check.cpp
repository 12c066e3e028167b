// The processes meet at a rendezvous store of this process, like the ranks of `train --processes`.
#include "megascale/diagnose/exchange_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "megascale/base/error.h"
#include "megascale/base/numbers.h"
#include "megascale/comm/shared_file.h"
#include "megascale/comm/store/embedded/server.h"
#include "megascale/diagnose/exchange.h"
#include "megascale/launch/forked_processes.h"

namespace megascale::diagnose {
namespace {

constexpr double kLimitSeconds = 8;
constexpr const char* kJob = "diagnose#0";
constexpr std::string_view kRatePrefix = "rate ";
constexpr std::size_t kMostReportNbytes = 2000;  // below PIPE_BUF

std::string report_of_rank(std::uint32_t index, std::uint32_t ranks,
                           const comm::StoreAddress& store, const comm::JobSecret& secret) {
  try {
    comm::ProcessLaunch launch;
    launch.environment.rank = launch.environment.local_rank = index;
    launch.environment.world_size = launch.environment.local_world_size = ranks;
    launch.environment.store = store;
    launch.environment.launcher_runs_store = true;
    launch.environment.job = kJob;
    launch.secret = secret;
    launch.network = {.transports = "posix,self", .devices = "lo"};
    launch.segments = comm::SegmentFolder::of_this_process();
    Exchange exchange{
        .key = "host", .members = std::vector<std::uint32_t>(ranks), .my_index = index};
    std::iota(exchange.members.begin(), exchange.members.end(), 0U);
    const auto memory = std::make_shared<comm::SharedFile>(kExchangeNbytes);
    comm::ProcessRank::Options options;
    options.arena = memory;
    options.groups = {{.key = exchange.key, .members = exchange.members}};
    options.timeout = std::chrono::seconds(static_cast<int>(kLimitSeconds));
    comm::ProcessRank rank(launch, options);
    return fmt::format("{}{}", kRatePrefix,
                       run_exchange(rank, memory->bytes(), exchange, kLimitSeconds));
  } catch (const Error& error) {
    return fmt::format("rank {}: {}", index, error.message()).substr(0, kMostReportNbytes);
  }
}

}  // namespace

void check_exchange(std::uint32_t ranks, CheckReport& report) {
  if (ranks < 2 || !comm::ucx_is_available()) {
    report.outcome = CheckOutcome::skipped;
    report.text = ranks < 2 ? "one rank has no partner" : "built without UCX";
    return;
  }
  const comm::JobSecret secret = comm::JobSecret::random();
  comm::StoreServerOptions options;  // on a free port of the loopback address
  options.secret = secret;
  options.job = kJob;
  comm::StoreServer store(options);
  launch::ForkedWorkers workers(ranks, [&](std::uint32_t index, const auto& start) {
    ::alarm(2 * static_cast<unsigned>(kLimitSeconds));  // a process that hangs ends
    if (!start()) return std::string("not started");
    return report_of_rank(index, ranks, store.address(), secret);
  });
  store.start();
  workers.start();
  double slowest = 0;
  workers.collect([&](const std::string& text) {
    const auto rate = text.starts_with(kRatePrefix)
                          ? parse_number<double>(text.substr(kRatePrefix.size()))
                          : std::nullopt;
    if (!rate) throw Error(ErrorCode::failed, text);
    slowest = slowest == 0 ? *rate : std::min(slowest, *rate);
  });
  report.rates = {{"all_to_all.bus", slowest * 1e-9, "GB/s"}};
  report.text = fmt::format("{} ranks, {:.1f} GB/s", ranks, slowest * 1e-9);
}

}  // namespace megascale::diagnose
