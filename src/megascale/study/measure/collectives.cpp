// Times collectives the way a job executes them: the ranks are threads or processes with the
// transports, core binding and memory of a real job. Each rank starts transfer after transfer.
// Small transfers are timed in batches, since reading the clock would cost more than they do. Rank
// 0 writes the times to a page of memory that all ranks share, also across processes.
#include "megascale/study/measure/collectives.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/base/core_binding.h"
#include "megascale/base/error.h"
#include "megascale/comm/local/local_group.h"
#include "megascale/comm/run_transfer.h"
#include "megascale/comm/ucx/ucx_worker.h"
#include "megascale/engine/arena.h"
#include "megascale/launch/forked_processes.h"

namespace megascale::study {
namespace {

// A kind that is measured, with its busbw / algbw over n ranks.
struct CollectiveKind {
  const TransferRule* rule;
  double (*bus_factor)(double n);
  // True if a rank sends (gives_part) or receives (takes_part) only its own 1/n of the bytes.
  [[nodiscard]] bool gives_part() const noexcept {
    return rule->placed == TransferRule::Share::block && rule->given == TransferRule::Share::whole;
  }
  [[nodiscard]] bool takes_part() const noexcept {
    return rule->given == TransferRule::Share::block && rule->placed == TransferRule::Share::whole;
  }
};
// The share of the bytes that goes to the other ranks.
constexpr double to_others(double n) { return (n - 1) / n; }
constexpr std::array kKinds{
    CollectiveKind{&transfer_rules::all_gather, to_others},
    CollectiveKind{&transfer_rules::reduce_scatter, to_others},
    CollectiveKind{&transfer_rules::all_reduce, [](double n) { return 2 * (n - 1) / n; }},
    CollectiveKind{&transfer_rules::all_to_all, to_others},
    CollectiveKind{&transfer_rules::broadcast, [](double) { return 1.0; }},
    CollectiveKind{&transfer_rules::shift, [](double) { return 1.0; }},
};

// Limits of the shared results: bytes of a rank's UCX address; pairs of kind and size.
constexpr std::size_t kMostAddress = 8192, kMostCases = 512;

// One kind at one size.
struct Case {
  const CollectiveKind* kind;
  std::size_t nbytes;  // a multiple of one element per rank
  // Returns the number of transfers in a batch: enough that reading the clock does not matter.
  [[nodiscard]] std::size_t per_batch() const {
    return std::clamp<std::size_t>((std::size_t{16} << 20U) / std::max<std::size_t>(nbytes, 1), 1,
                                   200);
  }
};

std::vector<Case> cases_of(const CollectivesOptions& options) {
  std::vector<Case> cases;
  for (const std::uint64_t size : options.sizes) {
    const std::size_t unit = options.ranks * sizeof(float);
    for (const CollectiveKind& kind : kKinds) {
      const auto& wanted = options.kinds;
      if (wanted.empty() ||
          std::find(wanted.begin(), wanted.end(), kind.rule->name) != wanted.end())
        cases.push_back({&kind, std::max<std::size_t>(size / unit, 1) * unit});
    }
  }
  return cases;
}

// The memory that all ranks share, whether they are threads or processes.
struct Board {
  std::atomic<std::uint32_t> addresses{0};  // ranks that have written their address
  std::array<std::array<std::byte, kMostAddress>, CollectivesOptions::kMostRanks> address{};
  std::array<std::size_t, CollectivesOptions::kMostRanks> address_nbytes{};
  std::array<std::array<double, CollectivesOptions::kMostBatches>, kMostCases>
      seconds{};  // of one transfer, by case and batch; rank 0 writes
};

// Runs all cases on one rank. `end` is the rank's communicator; `memory` holds its send and receive
// buffers.
void run_rank(const std::vector<Case>& cases, const CollectivesOptions& options,
              comm::Communicator& end, Wakeup& wakeup, EventSource* events,
              std::span<std::byte> memory, Board& board) {
  const std::size_t half = memory.size() / 2;
  const std::uint32_t ranks = options.ranks;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto& [kind, nbytes] = cases[c];
    const auto send = memory.first(kind->gives_part() ? nbytes / ranks : nbytes);
    const auto receive = memory.subspan(half, kind->takes_part() ? nbytes / ranks : nbytes);
    const comm::Transfer transfer{
        .rule = kind->rule, .send = send, .receive = receive, .offset = 1 % ranks};
    std::fill(memory.begin(), memory.end(), std::byte{0});
    for (int warmup = 0; warmup < 3; ++warmup) run_transfer(end, transfer, wakeup, events);
    const std::size_t count = cases[c].per_batch();
    for (std::size_t batch = 0; batch < options.batches; ++batch) {
      const std::int64_t begin = monotonic_ns();
      for (std::size_t i = 0; i < count; ++i) run_transfer(end, transfer, wakeup, events);
      if (end.my_index() == 0) {
        board.seconds[c][batch] =
            static_cast<double>(monotonic_ns() - begin) * 1e-9 / static_cast<double>(count);
      }
    }
  }
}

// Returns the bytes that a rank needs: send and receive buffer of the largest case, in whole pages.
std::size_t memory_nbytes(const std::vector<Case>& cases) {
  std::size_t largest = 0;
  for (const Case& one : cases) largest = std::max(largest, one.nbytes);
  return 2 * ((largest + 4095) / 4096 * 4096);
}

// Runs the ranks as threads. Core binding, waiting and memory are those of `megascale train
// --ranks`.
void run_as_threads(const CollectivesOptions& options, const std::vector<Case>& cases,
                    Board& board) {
  std::vector<Wakeup> wakeups(options.ranks);
  std::vector<Wakeup*> pointers;
  pointers.reserve(wakeups.size());
  for (Wakeup& wakeup : wakeups) pointers.push_back(&wakeup);
  auto ends = comm::LocalGroup::make(pointers);
  std::vector<std::thread> threads;
  for (std::uint32_t r = 0; r < options.ranks; ++r) {
    threads.emplace_back([&, r] {
      const CoreBinding binding(cores_of_rank(process_cores(), r, options.ranks, 1));
      wakeups[r].set_look(std::chrono::milliseconds(1));
      const engine::Arena memory(memory_nbytes(cases));
      run_rank(cases, options, *ends[r], wakeups[r], nullptr, memory.bytes(), board);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Runs one rank in its process and returns the exit code. Before the transfers the processes
// exchange their UCX addresses through the board.
int run_process(std::uint32_t rank, const CollectivesOptions& options,
                const std::vector<Case>& cases, Board& board,
                const std::function<void(const std::string&)>& on_message) {
  try {
    Wakeup wakeup;
    const auto memory = std::make_shared<comm::SharedFile>(memory_nbytes(cases));
    comm::UcxWorker worker(
        wakeup, {.rank = rank,
                 .memory = memory,
                 .transports = options.transport == "ucx-tcp" ? "tcp,self" : "posix,self",
                 .shared_memory = options.transport != "ucx-tcp"});
    const auto& mine = worker.address();
    if (mine.size() > kMostAddress)
      throw Error(ErrorCode::failed,
                  fmt::format("expected a UCX address of at most {} bytes, found {}", kMostAddress,
                              mine.size()));
    std::copy(mine.begin(), mine.end(), board.address[rank].begin());
    board.address_nbytes[rank] = mine.size();
    ++board.addresses;
    while (board.addresses < options.ranks)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::vector<std::vector<std::byte>> addresses;
    for (std::uint32_t r = 0; r < options.ranks; ++r) {
      addresses.emplace_back(
          board.address[r].begin(),
          board.address[r].begin() + static_cast<std::ptrdiff_t>(board.address_nbytes[r]));
    }
    const auto end = worker.make_group(addresses, rank, "bench");
    run_rank(cases, options, *end, wakeup, &worker, memory->bytes(), board);
    return 0;
  } catch (const std::exception& error) {
    on_message(fmt::format("rank {}: {}", rank, error.what()));
    return 1;
  }
}

void run_as_processes(const CollectivesOptions& options, const std::vector<Case>& cases,
                      Board& board, const std::function<void(const std::string&)>& on_message) {
  if (!comm::ucx_is_available())
    throw Error(ErrorCode::unsupported, "this binary was built without UCX; use --transport local");
  launch::run_forked(options.ranks, [&](std::uint32_t rank) {
    return run_process(rank, options, cases, board, on_message);
  });
}

}  // namespace

double bus_factor(const std::string& kind, double n) {
  for (const CollectiveKind& one : kKinds)
    if (one.rule->name == kind) return one.bus_factor(n);
  throw Error(ErrorCode::bad_usage, fmt::format("unknown collective {}", kind));
}

std::vector<CollectiveTimes> measure_collectives(
    const CollectivesOptions& options, const std::function<void(const std::string&)>& on_message) {
  const auto cases = cases_of(options);
  if (cases.empty() || cases.size() > kMostCases) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--kinds and --sizes give {} cases, expected 1 to {}; kinds are "
                            "all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, shift",
                            cases.size(), kMostCases));
  }
  // Anonymous shared memory stays shared with processes that are forked later.
  void* shared =
      ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    throw Error(ErrorCode::out_of_memory, "cannot allocate the shared memory of the results");
  const auto unmap = [](Board* board) { ::munmap(board, sizeof(Board)); };
  const std::unique_ptr<Board, decltype(unmap)> board(new (shared) Board, unmap);
  if (options.transport == "local") {
    run_as_threads(options, cases, *board);
  } else {
    run_as_processes(options, cases, *board, on_message);
  }
  std::vector<CollectiveTimes> times;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto seconds = std::span(board->seconds[c]).first(options.batches);
    times.push_back({.kind = std::string(cases[c].kind->rule->name),
                     .nbytes = cases[c].nbytes,
                     .seconds = spread_of({seconds.begin(), seconds.end()}),
                     .bus_factor = cases[c].kind->bus_factor(options.ranks)});
  }
  return times;
}

}  // namespace megascale::study
