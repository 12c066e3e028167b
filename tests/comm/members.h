#ifndef MEGASCALE_TESTS_COMM_MEMBERS_H_
#define MEGASCALE_TESTS_COMM_MEMBERS_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "comm/fake_nccl.h"
#include "megascale/comm/local/local_group.h"
#include "megascale/comm/nccl/nccl_communicator.h"
#include "megascale/comm/ucx/ucx_worker.h"

namespace megascale::comm {

enum class Backend {
  local,
  ucx_shared_memory,  // transfers lie in memory that peers read directly
  ucx_messages,       // they do not: messages over shared memory carry them
  ucx_tcp,
  nccl,         // a stand-in (fake_nccl.h)
  nccl_window,  // whose members' transfers all lie in windows
};
inline std::string name_of(Backend backend) {
  constexpr std::array<const char*, 6> kNames{"local", "shared_memory", "messages",
                                              "tcp",   "nccl",          "nccl_window"};
  return kNames[static_cast<std::size_t>(backend)];
}

inline bool is_ucx(Backend backend) {
  return backend == Backend::ucx_shared_memory || backend == Backend::ucx_messages ||
         backend == Backend::ucx_tcp;
}
inline bool is_available(Backend backend) { return !is_ucx(backend) || ucx_is_available(); }

// The ranks of a back end that tests share: making a worker takes longer than a test.
struct Rank {
  static constexpr std::size_t kMemoryNbytes = std::size_t{8} << 20U;

  explicit Rank(std::uint32_t number, Backend backend) {
    if (backend == Backend::nccl_window) window = std::make_unique<FakeNcclMemory>(kMemoryNbytes);
    if (!is_ucx(backend)) return;
    const bool tcp = backend == Backend::ucx_tcp;
    shared = std::make_shared<SharedFile>(kMemoryNbytes);
    worker = std::make_unique<UcxWorker>(wakeup,
                                         UcxOptions{.rank = number,
                                                    .memory = shared,
                                                    .transports = tcp ? "tcp,self" : "posix,self",
                                                    .devices = "lo",
                                                    .shared_memory = !tcp});
  }
  // Where transfers lie that are to be done in place; empty: anywhere.
  [[nodiscard]] std::span<std::byte> memory() const {
    return window ? window->bytes() : shared ? shared->bytes() : std::span<std::byte>();
  }
  Wakeup wakeup;
  std::shared_ptr<SharedFile> shared;
  std::unique_ptr<UcxWorker> worker;
  std::unique_ptr<FakeNcclMemory> window;
};

inline std::vector<std::unique_ptr<Rank>>& ranks_of(Backend backend) {
  static std::array<std::vector<std::unique_ptr<Rank>>, 6> all;
  auto& ranks = all[static_cast<std::size_t>(backend)];
  while (ranks.size() < 5)
    ranks.push_back(std::make_unique<Rank>(static_cast<std::uint32_t>(ranks.size()), backend));
  return ranks;
}

// The members of a group, each on a thread of its own.
class Members {
 public:
  using Body = std::function<void(std::uint32_t member, Communicator& end)>;
  Members(std::uint32_t size, Backend backend) : backend_(backend), ranks_(&ranks_of(backend)) {
    std::vector<Wakeup*> wakeups;
    std::vector<std::vector<std::byte>> addresses;
    for (std::uint32_t m = 0; m < size; ++m) {
      wakeups.push_back(&rank(m).wakeup);
      if (rank(m).worker) addresses.push_back(rank(m).worker->address());
    }
    if (backend == Backend::nccl || backend == Backend::nccl_window) {
      const auto group = std::make_shared<FakeNccl>(size);
      for (std::uint32_t m = 0; m < size; ++m) {
        ends_.push_back(std::make_unique<NcclCommunicator>(group->open(m), size, m, rank(m).wakeup,
                                                           rank(m).memory()));
      }
      return;
    }
    if (addresses.empty()) {
      ends_ = LocalGroup::make(wakeups);
      return;
    }
    static std::atomic<int> groups{0};
    const std::string id = fmt::format("group {}", groups++);
    for (std::uint32_t m = 0; m < size; ++m)
      ends_.push_back(rank(m).worker->make_group(addresses, m, id));
  }
  void run(const Body& body) {
    std::vector<std::thread> threads;
    std::atomic<std::size_t> over{0};
    for (std::uint32_t m = 0; m < ends_.size(); ++m) {
      threads.emplace_back([&, m] {
        body(m, *ends_[m]);
        ++over;
        // As a progress thread does: what a member still has to send, or to answer, others wait
        // for.
        while (rank(m).worker && over.load() < ends_.size()) {
          rank(m).worker->progress();
          std::this_thread::yield();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  // Starts a transfer and sleeps until it is over.
  Progress transfer(std::uint32_t member, const Transfer& transfer) {
    if (backend_ == Backend::ucx_shared_memory || backend_ == Backend::nccl_window)
      return transfer_in_memory(member, transfer);
    ends_[member]->start(transfer);
    return wait(member);
  }
  Progress wait(std::uint32_t member) {
    for (;;) {
      const std::uint32_t epoch = rank(member).wakeup.epoch();
      const Progress progress = ends_[member]->poll();
      if (progress == Progress::done || progress == Progress::failed) return progress;
      if (rank(member).worker) {
        rank(member).wakeup.wait(epoch, *rank(member).worker);
      } else {
        rank(member).wakeup.wait(epoch);
      }
    }
  }
  Communicator& end(std::uint32_t member) { return *ends_[member]; }
  Rank& rank(std::uint32_t member) { return *(*ranks_)[member]; }

 private:
  // Moves both ends into the rank's memory first, and what was received back. One may lie in
  // the other.
  Progress transfer_in_memory(std::uint32_t member, Transfer transfer) {
    const std::span<std::byte> memory = rank(member).memory();
    const auto send = transfer.send;
    const auto receive = transfer.receive;
    const bool send_holds = receive.data() >= send.data() &&
                            receive.data() + receive.size() <= send.data() + send.size();
    const bool receive_holds = send.data() >= receive.data() &&
                               send.data() + send.size() <= receive.data() + receive.size();
    std::size_t send_at = 0, receive_at = (send.size() + 63) / 64 * 64;
    if (!send.empty() && send_holds)
      receive_at = static_cast<std::size_t>(receive.data() - send.data());
    if (!receive.empty() && receive_holds) {
      receive_at = 0;
      send_at = static_cast<std::size_t>(send.data() - receive.data());
    }
    std::copy(send.begin(), send.end(), memory.begin() + static_cast<std::ptrdiff_t>(send_at));
    std::copy(receive.begin(), receive.end(),
              memory.begin() + static_cast<std::ptrdiff_t>(receive_at));
    transfer.send = memory.subspan(send_at, send.size());
    transfer.receive = memory.subspan(receive_at, receive.size());
    ends_[member]->start(transfer);
    const Progress progress = wait(member);
    std::copy(transfer.receive.begin(), transfer.receive.end(), receive.begin());
    return progress;
  }

  Backend backend_;
  std::vector<std::unique_ptr<Rank>>* ranks_;
  std::vector<std::unique_ptr<Communicator>> ends_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_TESTS_COMM_MEMBERS_H_
