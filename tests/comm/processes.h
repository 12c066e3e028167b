#ifndef MEGASCALE_TESTS_COMM_PROCESSES_H_
#define MEGASCALE_TESTS_COMM_PROCESSES_H_

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "megascale/comm/run_transfer.h"
#include "megascale/comm/ucx/ucx_worker.h"

namespace megascale::comm {

enum class Over { shared_memory, tcp };

// What a child is given: its rank, its group, and the means to sleep.
struct Child {
  std::uint32_t rank;
  Communicator& group;
  Wakeup& wakeup;
  UcxWorker& worker;
  std::span<std::byte> memory;                           // its peers read it directly
  const std::vector<std::vector<std::byte>>& addresses;  // of all ranks
  std::atomic<std::uint32_t>& arrived;                   // the parent sees it
  void run(const Transfer& transfer) { run_transfer(group, transfer, wakeup, &worker); }
};

// Ranks as processes of this machine, forked from a process that has not touched UCX. All are gone
// when it is destroyed.
class Processes {
 public:
  // What a child's body throws or returns is its last word.
  using Body = std::function<std::string(Child&)>;

  Processes(std::uint32_t size, Over over, const Body& body) : children_(size) {
    void* shared =
        ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw Error(ErrorCode::out_of_memory, "no memory for the test");
    board_ = new (shared) Board;
    for (std::uint32_t r = 0; r < size; ++r) {
      children_[r] = ::fork();
      if (children_[r] == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        say(r, live(r, over, body));
        ::_exit(0);
      }
    }
  }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes() {
    for (const pid_t child : children_) {
      if (child <= 0) continue;
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    ::munmap(board_, sizeof(Board));
  }

  void signal(std::uint32_t rank, int number) { ::kill(children_[rank], number); }
  // Until this many times a child has counted `arrived` up.
  void wait_for_arrivals(std::uint32_t count) const {
    while (board_->arrived < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // The child's last word; absent: it was killed.
  std::optional<std::string> wait(std::uint32_t rank) {
    int status = 0;
    ::waitpid(children_[rank], &status, 0);
    children_[rank] = 0;
    if (!WIFEXITED(status)) return std::nullopt;
    return std::string(board_->words[rank].data());
  }

 private:
  static constexpr std::size_t kMembers = 8;
  struct Board {
    std::atomic<std::uint32_t> addresses{0}, arrived{0};
    std::array<std::array<std::byte, 4096>, kMembers> address;
    std::array<std::size_t, kMembers> address_nbytes;
    std::array<std::array<char, 4096>, kMembers> words;
  };

  std::string live(std::uint32_t rank, Over over, const Body& body) try {
    const bool tcp = over == Over::tcp;
    Wakeup wakeup;
    const auto memory = std::make_shared<SharedFile>(std::size_t{32} << 20U);
    UcxWorker worker(wakeup, {.rank = rank,
                              .memory = memory,
                              .token = 4711,
                              .transports = tcp ? "tcp,self" : "posix,self",
                              .devices = "lo",
                              .shared_memory = !tcp});
    const auto& mine = worker.address();
    std::copy(mine.begin(), mine.end(), board_->address.at(rank).begin());
    board_->address_nbytes[rank] = mine.size();
    ++board_->addresses;
    while (board_->addresses < children_.size())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::vector<std::vector<std::byte>> addresses;
    for (std::size_t r = 0; r < children_.size(); ++r) {
      const auto bytes = std::span(board_->address[r]).first(board_->address_nbytes[r]);
      addresses.emplace_back(bytes.begin(), bytes.end());
    }
    const auto group = worker.make_group(addresses, rank, "everybody");
    Child child{rank, *group, wakeup, worker, memory->bytes(), addresses, board_->arrived};
    return body(child);
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.message();
  }
  void say(std::uint32_t rank, const std::string& word) {
    auto& room = board_->words[rank];
    std::memcpy(room.data(), word.data(), std::min(word.size(), room.size() - 1));
  }

  std::vector<pid_t> children_;
  Board* board_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_TESTS_COMM_PROCESSES_H_
