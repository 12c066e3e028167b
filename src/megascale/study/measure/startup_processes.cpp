// Drives the start-up of many ranks in one process. Each rank is a state machine that poll() moves
// forward when its store connection has data. An epoll set finds the ranks that have some. At the
// end each rank checks that it knows the endpoint of every member of its groups. The process sends
// one report to its parent over a pipe.
#include "megascale/study/measure/startup_processes.h"

#include <fmt/format.h>
#include <limits.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/comm/bootstrap/barrier_per_group.h"
#include "megascale/comm/bootstrap/bootstrap.h"
#include "megascale/parallel/rank_grid.h"

namespace megascale::study {
namespace {

using graph::Axis;
using Groups = std::vector<std::vector<std::uint32_t>>;

constexpr std::array<graph::AxisSet, 3> kGroupAxes{
    {{Axis::tensor}, {Axis::data}, {Axis::pipeline}}};

// The most connections, over all processes, that may wait for authentication at once: half of the
// listen queue that Linux allows by default.
constexpr std::size_t kInTheMaking = 2048;

// The report of a process to its parent. It fits into PIPE_BUF, so the pipe transfers it in one
// piece.
struct Report {
  bool failed = false;
  std::int64_t end_ns = 0;
  comm::StoreCounts counts;
  std::uint64_t global_barriers = 0;
  double cpu_seconds = 0;
  std::array<char, 1024> error{};
};
static_assert(std::is_trivially_copyable_v<Report> && sizeof(Report) < PIPE_BUF);

// Returns a stand-in for the endpoint that a rank's transport would publish. It differs for every
// rank.
std::string endpoint_of(std::uint32_t rank, std::size_t nbytes) {
  std::string endpoint = fmt::format("rank {}:", rank);
  endpoint.resize(std::max(nbytes, endpoint.size()), static_cast<char>('a' + rank % 26));
  return endpoint;
}

// Returns the groups of one rank.
Groups groups_of(const parallel::RankGrid& grid, std::uint32_t rank) {
  Groups groups;
  for (const graph::AxisSet axes : kGroupAxes) groups.push_back(grid.group(rank, axes));
  return groups;
}

// Returns every group of the job once.
Groups world_groups(const parallel::RankGrid& grid) {
  Groups groups;
  for (const graph::AxisSet axes : kGroupAxes) {
    for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
      auto group = grid.group(rank, axes);
      if (group.front() == rank) groups.push_back(std::move(group));
    }
  }
  return groups;
}

// The ranks that one process drives.
class Share {
 public:
  Share(const StartupJob& job, std::uint32_t first, std::uint32_t count)
      : job_(job),
        grid_(startup_grid(job.ranks)),
        first_(first),
        binary_(comm::digest_of_this_binary()) {
    if (job.order == StartupOrder::barrier_per_group) world_groups_ = world_groups(grid_);
    ranks_.resize(count);
  }

  Report run() {
    const comm::HostIdentity host = comm::this_process();
    // Interval at which ranks with expired timers are polled: connections to retry, deadlines.
    constexpr std::int64_t kRoundNs = 20'000'000;
    std::int64_t next_round = 0;
    left_ = ranks_.size();
    while (left_ > 0) {
      begin_some(host);
      if (const std::int64_t now = monotonic_ns(); now >= next_round) {
        next_round = now + kRoundNs;
        for (std::uint32_t i = 0; i < begun_; ++i) {
          if (ranks_[i].client->next_poll().time_since_epoch().count() <= now) poll(i);
        }
      }
      for (const auto& ready : polls_.wait(std::chrono::milliseconds(left_ > 0 ? 5 : 0)))
        poll(static_cast<std::uint32_t>(ready.token));
    }
    report_.end_ns = monotonic_ns();
    for (const Rank& rank : ranks_) {
      report_.counts.requests += rank.client->counts().requests;
      report_.counts.bytes_sent += rank.client->counts().bytes_sent;
      report_.counts.bytes_received += rank.client->counts().bytes_received;
    }
    return report_;
  }

 private:
  struct Rank {
    std::unique_ptr<comm::StoreClient> client;
    std::unique_ptr<comm::Startup> startup;
  };

  // Opens further connections, as long as few wait for authentication. Otherwise the store's listen
  // queue would overflow.
  void begin_some(const comm::HostIdentity& host) {
    const std::size_t most = kInTheMaking / job_.processes;
    std::erase_if(in_the_making_,
                  [&](std::uint32_t i) { return ranks_[i].client->is_connected(); });
    while (begun_ < ranks_.size() && in_the_making_.size() < most) {
      begin(begun_, host);
      poll(begun_);
      in_the_making_.push_back(begun_++);
    }
  }

  // Creates client and start-up object of a rank.
  void begin(std::uint32_t i, const comm::HostIdentity& host) {
    const std::uint32_t rank = first_ + i;
    comm::BootstrapOptions options;
    options.self.rank = rank;
    options.world_size = job_.ranks;
    options.self.host = host;
    options.digest.configuration = "bench";
    options.digest.binary = binary_;
    options.self.endpoint = endpoint_of(rank, job_.endpoint_nbytes);
    options.timeout = job_.timeout;
    ranks_[i].client = comm::make_store_client(job_.store, polls_, i);
    if (job_.order == StartupOrder::barrier_per_group) {
      ranks_[i].startup = std::make_unique<comm::BarrierPerGroup>(
          *ranks_[i].client, std::move(options), world_groups_);
    } else {
      options.groups = groups_of(grid_, rank);
      ranks_[i].startup = std::make_unique<comm::Bootstrap>(*ranks_[i].client, std::move(options));
    }
  }

  // Moves a rank forward, and checks its result when it is done.
  void poll(std::uint32_t i) {
    Rank& rank = ranks_[i];
    if (!rank.startup || !rank.startup->poll()) return;
    const auto launch = rank.startup->take();
    if (!launch) throw Error(launch.error());
    check(first_ + i, *launch);
    report_.global_barriers = rank.startup->global_barriers();
    rank.startup.reset();
    --left_;
  }

  // Throws Error (failed) unless the rank knows the endpoints of all members of its groups.
  void check(std::uint32_t rank, const comm::Launch& launch) const {
    for (const auto& group : groups_of(grid_, rank)) {
      for (const std::uint32_t member : group) {
        const comm::RankRecord* record = launch.find(member);
        if (record == nullptr || record->endpoint != endpoint_of(member, job_.endpoint_nbytes)) {
          throw Error(ErrorCode::failed,
                      fmt::format("rank {} does not know the endpoint of rank {}", rank, member));
        }
      }
    }
  }

  const StartupJob& job_;
  parallel::RankGrid grid_;
  std::uint32_t first_;
  std::string binary_;
  Groups world_groups_;
  comm::PollSet polls_;
  std::vector<Rank> ranks_;
  std::uint32_t begun_ = 0;
  std::vector<std::uint32_t> in_the_making_;  // ranks whose connection is begun, not authenticated
  std::size_t left_ = 0;
  Report report_;
};

double cpu_seconds() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The work of a child process: prepares, waits for the start signal, drives its ranks, returns the
// report.
Report run_share(const StartupJob& job, std::uint32_t first, std::uint32_t count,
                 const launch::ForkedWorkers::Start& start) {
  Report report;
  try {
    Share share(job, first, count);
    if (!start()) return report;
    report = share.run();
  } catch (const std::exception& error) {
    report.failed = true;
    std::strncpy(report.error.data(), error.what(), report.error.size() - 1);
  }
  report.cpu_seconds = cpu_seconds();
  return report;
}

// Adds a process's report to the figures. Throws the Error that it reports.
void add_report(const std::string& text, std::int64_t begin_ns, StartupFigures& figures) {
  Report report;
  MEGASCALE_CHECK(text.size() == sizeof report, "a process sends one whole report");
  std::memcpy(&report, text.data(), sizeof report);
  if (report.failed) throw Error(ErrorCode::failed, report.error.data());
  figures.seconds = std::max(figures.seconds, static_cast<double>(report.end_ns - begin_ns) * 1e-9);
  figures.counts.requests += report.counts.requests;
  figures.counts.bytes_sent += report.counts.bytes_sent;
  figures.counts.bytes_received += report.counts.bytes_received;
  figures.global_barriers = std::max(figures.global_barriers, report.global_barriers);
  figures.client_cpu_seconds += report.cpu_seconds;
}

}  // namespace

std::uint32_t first_rank_of_share(const StartupJob& job, std::uint32_t index) noexcept {
  const std::uint32_t processes = std::min(job.processes, job.ranks);
  return job.ranks / processes * index + std::min(index, job.ranks % processes);
}

graph::AxisSizes startup_grid(std::uint32_t ranks) {
  constexpr std::uint32_t kTensor = 8, kPipeline = 8;
  const auto part = [](std::uint32_t most, std::uint32_t of) {
    while (of % most != 0) most /= 2;
    return most;
  };
  graph::AxisSizes sizes;
  sizes[Axis::tensor] = part(kTensor, ranks);
  sizes[Axis::pipeline] = part(kPipeline, ranks / sizes[Axis::tensor]);
  sizes[Axis::data] = ranks / sizes[Axis::tensor] / sizes[Axis::pipeline];
  return sizes;
}

StartupProcesses::StartupProcesses(const StartupJob& job)
    : workers_(std::min(job.processes, job.ranks),
               [&job](std::uint32_t index, const launch::ForkedWorkers::Start& start) {
                 const Report report = run_share(
                     job, first_rank_of_share(job, index),
                     first_rank_of_share(job, index + 1) - first_rank_of_share(job, index), start);
                 return std::string(reinterpret_cast<const char*>(&report), sizeof report);
               }) {}

StartupFigures StartupProcesses::run() {
  StartupFigures figures;
  const std::int64_t begin_ns = monotonic_ns();
  workers_.start();
  workers_.collect([&](const std::string& report) { add_report(report, begin_ns, figures); });
  return figures;
}

}  // namespace megascale::study
