#ifndef MEGASCALE_TESTS_CUDA_EMULATION_NCCL_CLIQUE_H_
#define MEGASCALE_TESTS_CUDA_EMULATION_NCCL_CLIQUE_H_

#include <nccl.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/emulation/emulation.h"

// The members of a communicator of NCCL must call with arguments that agree. A clique compares them and
// carries the call out. NCCL does not compare: a device hangs, or computes something else. Here the
// program stops and says which member differs.
namespace megascale::emulation {

enum class Call : std::uint8_t { all_gather, reduce_scatter, all_reduce, broadcast, send, receive };
inline const char* name_of(Call call) {
  constexpr std::array<const char*, 6> kNames{"ncclAllGather", "ncclReduceScatter", "ncclAllReduce",
                                              "ncclBroadcast", "ncclSend",          "ncclRecv"};
  return kNames[static_cast<std::size_t>(call)];
}
[[nodiscard]] std::size_t itemsize_of(ncclDataType_t type);

// One call of one member.
struct Operation {
  Call call = Call::all_reduce;
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclUint8;
  ncclRedOp_t op = ncclSum;
  int root = 0;  // or the partner
  cudaStream_t stream = nullptr;

  [[nodiscard]] std::size_t nbytes() const { return count * itemsize_of(type); }
  [[nodiscard]] bool is_of_pair() const { return call == Call::send || call == Call::receive; }
  [[nodiscard]] std::string text() const;
};

struct Launched;

// One collective, or one send with its receive.
struct Meeting {
  std::map<int, std::shared_ptr<Launched>> launched;  // by member: who has called
  std::map<int, Operation> operations;
  std::size_t members = 0;
  std::size_t arrived = 0;
  bool moved = false;
  [[nodiscard]] bool is_complete() const { return arrived == members; }
  void move();
};

// The calls of one member that start together: one, or those of a group.
struct Launched {
  int member = 0;
  cudaStream_t stream = nullptr;
  std::string text;
  std::vector<std::shared_ptr<Meeting>> meetings;
  bool arrived = false;
  std::atomic<bool> aborted{false}, done{false};

  // Asked by the device: arrives at the first call.
  bool may_go();
  void run();

 private:
  void find_deadlock() const;
};

class Clique {
 public:
  explicit Clique(int size) : size_(size), collectives_(size), devices_(size, -1) {}
  [[nodiscard]] int size() const { return size_; }
  // Takes a member's place. Its error is that of all members, found when all are there.
  void join(int member, int device, int size);
  [[nodiscard]] bool is_formed();
  // ncclSuccess, or why the clique cannot be formed.
  [[nodiscard]] ncclResult_t error(std::string& text);
  // Gives a member's calls to its stream.
  std::shared_ptr<Launched> launch(int member, const std::vector<Operation>& operations);
  // The member's part of a call without a stream that all members have to make. True: all have.
  void come(const std::string& name, std::size_t value, int member);
  [[nodiscard]] bool all_came(const std::string& name);
  std::atomic<bool> has_aborted{false};  // some member

 private:
  struct Pair {
    std::size_t sends = 0, receives = 0;  // so far
    std::vector<std::shared_ptr<Meeting>> meetings;
  };
  std::shared_ptr<Meeting> meeting_of(int member, const Operation& operation);

  std::mutex mutex_;  // of all but meetings
  int size_;
  std::vector<std::size_t> collectives_;  // by member: how many so far
  std::vector<std::shared_ptr<Meeting>> meetings_;
  std::map<std::pair<int, int>, Pair> pairs_;
  std::vector<int> devices_;
  std::map<std::string, std::map<int, std::size_t>> came_;
  ncclResult_t error_ = ncclSuccess;
  std::string error_text_;
};

// Stops the program: a device would hang here, or do something else than was meant.
[[noreturn]] void break_off(const std::string& what);

}  // namespace megascale::emulation

#endif  // MEGASCALE_TESTS_CUDA_EMULATION_NCCL_CLIQUE_H_
