#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/base/core_binding.h"
#include "megascale/cli/command.h"
#include "megascale/cli/openmpi_yardstick.h"
#include "megascale/comm/local/local_group.h"
#include "megascale/comm/run_transfer.h"
#include "megascale/comm/ucx/ucx_worker.h"
#include "megascale/engine/arena.h"

namespace megascale::cli {
namespace {

using comm::TransferKind;

struct Kind {
  const char* name;
  TransferKind kind;
  // busbw / algbw over n ranks, as nccl-tests define it: what the slowest link must carry.
  double (*bus_factor)(double n);
  bool send_is_part, receive_is_part;  // one rank's part of the size, not all of it
};
constexpr std::array kKinds{
    Kind{"all_gather", TransferKind::all_gather, [](double n) { return (n - 1) / n; }, true, false},
    Kind{"reduce_scatter", TransferKind::reduce_scatter, [](double n) { return (n - 1) / n; },
         false, true},
    Kind{"all_reduce", TransferKind::all_reduce, [](double n) { return 2 * (n - 1) / n; }, false,
         false},
    Kind{"all_to_all", TransferKind::all_to_all, [](double n) { return (n - 1) / n; }, false,
         false},
    Kind{"broadcast", TransferKind::broadcast, [](double) { return 1.0; }, false, false},
    Kind{"shift", TransferKind::shift, [](double) { return 1.0; }, false, false},
};

constexpr std::size_t kBatchesMax = 101, kAddressMax = 8192, kRanksMax = 64, kCasesMax = 512;

struct Arguments {
  std::uint32_t ranks = 4;
  std::string transport = "local";
  std::vector<std::uint64_t> sizes{1U << 10U, 1U << 16U, 1U << 20U, 1U << 26U};
  std::vector<std::string> kinds;
  std::size_t batches = 21;
  bool beside_openmpi = false;
  std::string openmpi_program = default_openmpi_program();
};

struct Case {
  const Kind* kind;
  std::size_t nbytes;  // rounded to whole elements of every rank
  // Enough transfers that reading the clock does not count.
  [[nodiscard]] std::size_t per_batch() const {
    return std::clamp<std::size_t>((std::size_t{16} << 20U) / std::max<std::size_t>(nbytes, 1), 1,
                                   200);
  }
};

std::vector<Case> cases_of(const Arguments& arguments) {
  std::vector<Case> cases;
  for (const std::uint64_t size : arguments.sizes) {
    const std::size_t unit = arguments.ranks * sizeof(float);
    for (const Kind& kind : kKinds) {
      const auto& wanted = arguments.kinds;
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), kind.name) != wanted.end())
        cases.push_back({&kind, std::max<std::size_t>(size / unit, 1) * unit});
    }
  }
  return cases;
}

// What ranks share, as threads or as processes.
struct Board {
  std::atomic<std::uint32_t> addresses{0};
  std::array<std::array<std::byte, kAddressMax>, kRanksMax> address{};
  std::array<std::size_t, kRanksMax> address_nbytes{};
  std::array<std::array<double, kBatchesMax>, kCasesMax>
      seconds{};  // of one transfer; rank 0 writes
};

// Runs all cases on one rank.
void run_rank(const std::vector<Case>& cases, const Arguments& arguments, comm::Communicator& end,
              Wakeup& wakeup, EventSource* events, std::span<std::byte> memory, Board& board) {
  const std::size_t half = memory.size() / 2;
  const std::uint32_t ranks = arguments.ranks;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto& [kind, nbytes] = cases[c];
    const auto send = memory.first(kind->send_is_part ? nbytes / ranks : nbytes);
    const auto receive = memory.subspan(half, kind->receive_is_part ? nbytes / ranks : nbytes);
    const comm::Transfer transfer{
        .kind = kind->kind, .send = send, .receive = receive, .offset = 1 % ranks};
    std::fill(memory.begin(), memory.end(), std::byte{0});
    for (int warmup = 0; warmup < 3; ++warmup) run_transfer(end, transfer, wakeup, events);
    const std::size_t count = cases[c].per_batch();
    for (std::size_t batch = 0; batch < arguments.batches; ++batch) {
      const std::int64_t begin = monotonic_ns();
      for (std::size_t i = 0; i < count; ++i) run_transfer(end, transfer, wakeup, events);
      if (end.my_index() == 0) {
        board.seconds[c][batch] =
            static_cast<double>(monotonic_ns() - begin) * 1e-9 / static_cast<double>(count);
      }
    }
  }
}

std::vector<std::size_t> sizes_of(const std::vector<Case>& cases) {
  std::set<std::size_t> sizes;
  for (const Case& one : cases) sizes.insert(one.nbytes);
  return {sizes.begin(), sizes.end()};
}

std::size_t memory_nbytes(const std::vector<Case>& cases) {
  std::size_t largest = 0;
  for (const Case& one : cases) largest = std::max(largest, one.nbytes);
  return 2 * ((largest + 4095) / 4096 * 4096);
}

// Binding, looks and memory as a job of `megascale train --ranks` has them.
void run_as_threads(const Arguments& arguments, const std::vector<Case>& cases, Board& board) {
  std::vector<Wakeup> wakeups(arguments.ranks);
  std::vector<Wakeup*> pointers;
  pointers.reserve(wakeups.size());
  for (Wakeup& wakeup : wakeups) pointers.push_back(&wakeup);
  auto ends = comm::LocalGroup::make(pointers);
  std::vector<std::thread> threads;
  for (std::uint32_t r = 0; r < arguments.ranks; ++r) {
    threads.emplace_back([&, r] {
      const CoreBinding binding(cores_of_rank(process_cores(), r, arguments.ranks, 1));
      wakeups[r].set_look(std::chrono::milliseconds(1));
      const engine::Arena memory(memory_nbytes(cases));
      run_rank(cases, arguments, *ends[r], wakeups[r], nullptr, memory.bytes(), board);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int run_process(std::uint32_t rank, const Arguments& arguments, const std::vector<Case>& cases,
                Board& board) {
  try {
    Wakeup wakeup;
    comm::UcxWorker worker(
        wakeup, {.rank = rank,
                 .memory_nbytes = memory_nbytes(cases),
                 .transports = arguments.transport == "ucx-tcp" ? "tcp,self" : "posix,self",
                 .shared_memory = arguments.transport != "ucx-tcp"});
    const auto& mine = worker.address();
    if (mine.size() > kAddressMax)
      throw Error(ErrorCode::failed, fmt::format("an address of {} bytes", mine.size()));
    std::copy(mine.begin(), mine.end(), board.address[rank].begin());
    board.address_nbytes[rank] = mine.size();
    ++board.addresses;
    while (board.addresses < arguments.ranks)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::vector<std::vector<std::byte>> addresses;
    for (std::uint32_t r = 0; r < arguments.ranks; ++r) {
      addresses.emplace_back(
          board.address[r].begin(),
          board.address[r].begin() + static_cast<std::ptrdiff_t>(board.address_nbytes[r]));
    }
    const auto end = worker.make_group(addresses, rank, "bench");
    run_rank(cases, arguments, *end, wakeup, &worker, worker.memory(), board);
    return 0;
  } catch (const std::exception& error) {
    say(fmt::format("megascale: rank {}: {}", rank, error.what()));
    return 1;
  }
}

void run_as_processes(const Arguments& arguments, const std::vector<Case>& cases, Board& board) {
  if (!comm::ucx_is_available())
    throw Error(ErrorCode::unsupported, "this binary was built without UCX; use --transport local");
  std::vector<pid_t> children;
  for (std::uint32_t r = 0; r < arguments.ranks; ++r) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody stays behind
      ::_exit(run_process(r, arguments, cases, board));
    }
    children.push_back(child);
  }
  bool ok = true;
  while (!children.empty()) {
    int status = 0;
    const pid_t ended = ::wait(&status);
    std::erase(children, ended);
    if (ended >= 0 && status == 0) continue;
    for (const pid_t child : children) ::kill(child, SIGKILL);
    ok = false;
    if (ended < 0) break;
  }
  if (!ok) throw Error(ErrorCode::failed, "a rank failed; see above");
}

Outcome collectives(const Arguments& arguments) {
  const auto cases = cases_of(arguments);
  if (cases.empty() || cases.size() > kCasesMax) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--kinds and --sizes give {} cases, expected 1 to {}; kinds are "
                            "all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, shift",
                            cases.size(), kCasesMax));
  }
  void* shared =
      ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw Error(ErrorCode::out_of_memory, "no memory for results");
  const auto unmap = [](Board* board) { ::munmap(board, sizeof(Board)); };
  const std::unique_ptr<Board, decltype(unmap)> board(new (shared) Board, unmap);
  if (arguments.transport == "local") {
    run_as_threads(arguments, cases, *board);
  } else {
    run_as_processes(arguments, cases, *board);
  }

  YardstickSeconds openmpi;
  if (arguments.beside_openmpi) {
    openmpi = run_openmpi_yardstick(arguments.openmpi_program, arguments.ranks, sizes_of(cases));
  }
  fmt::print("{} ranks over {}\n{:<16} {:>12} {:>12} {:>10} {:>10}{}\n", arguments.ranks,
             arguments.transport, "kind", "bytes", "us", "algbw GB/s", "busbw GB/s",
             openmpi.empty() ? "" : "  Open MPI us    faster");
  Outcome outcome;
  outcome.json = {{"ranks", arguments.ranks}, {"transport", arguments.transport}};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto seconds = std::span(board->seconds[c]).first(arguments.batches);
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    const double algbw = static_cast<double>(cases[c].nbytes) / median * 1e-9;
    const double busbw = algbw * cases[c].kind->bus_factor(arguments.ranks);
    fmt::print("{:<16} {:>12} {:>12.2f} {:>10.3f} {:>10.3f}", cases[c].kind->name, cases[c].nbytes,
               median * 1e6, algbw, busbw);
    nlohmann::ordered_json row{
        {"kind", cases[c].kind->name},
        {"bytes", cases[c].nbytes},
        {"seconds", {{"median", median}, {"min", seconds.front()}, {"max", seconds.back()}}},
        {"algbw_gb_per_s", algbw},
        {"busbw_gb_per_s", busbw}};
    if (const auto theirs = openmpi.find({cases[c].kind->name, cases[c].nbytes});
        theirs != openmpi.end()) {
      fmt::print("{:>13.2f} {:>8.2f}x", theirs->second * 1e6, theirs->second / median);
      row["openmpi_seconds"] = theirs->second;
    }
    fmt::print("\n");
    outcome.json["results"].push_back(std::move(row));
  }
  return outcome;
}

}  // namespace

void add_bench_collectives(Command& bench) {
  const auto arguments = std::make_shared<Arguments>();
  Command command = bench.subcommand(
      "collectives", "times collectives between ranks of this machine; sizes as in nccl-tests");
  command.option("--ranks", arguments->ranks, "how many ranks")
      .between(1, kRanksMax)
      .shows_default();
  command
      .option("--transport", arguments->transport,
              "local: threads; ucx: processes over shared memory; ucx-tcp: processes over TCP")
      .one_of({"local", "ucx", "ucx-tcp"})
      .shows_default();
  command.option("--sizes", arguments->sizes, "bytes of all ranks together: 64k,1m,64m")
      .separated_by_commas()
      .in_bytes()
      .shows_default();
  command.option("--kinds", arguments->kinds, "only these kinds: all_gather,all_to_all")
      .separated_by_commas();
  command.option("--batches", arguments->batches, "timed batches of every kind and size")
      .between(1, kBatchesMax)
      .shows_default();
  command.flag("--openmpi", arguments->beside_openmpi,
               "print Open MPI's times on this machine beside them");
  command
      .option("--openmpi-program", arguments->openmpi_program,
              "what mpirun starts for that: the bench build's bench_openmpi_collectives")
      .shows_default();
  command.does([arguments] { return collectives(*arguments); });
}

}  // namespace megascale::cli
