// A libnccl.so.2 over the emulated device, for ranks that are threads of one process, each with a
// device of its own. It checks what NVIDIA documents about the arguments and the order of calls
// (guide of NCCL 2.29) and refuses as NCCL does with NCCL_CHECK_POINTERS=1. What NCCL does not see,
// since a device hangs or goes wrong, ends the program (nccl_clique.h). Communicators are
// non-blocking: forming a group, its first transfer, windows and the end are in progress until
// the state was asked several times. Each function can be refused.
#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include "comm/nccl_rules.h"
#include "cuda/emulation/nccl_clique.h"

using namespace megascale::emulation;  // NOLINT: the functions below are the library's own

struct ncclWindow_vidmem {
  void* memory = nullptr;
};

struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank = 0, device = 0;
  enum class State { used, finalized, ended } state = State::used;
  ncclResult_t error = ncclSuccess;
  // The operation in progress: `may_end` says when it may end, `at_end` is called then. Null: none.
  std::function<bool()> may_end;
  std::function<void()> at_end;
  int asks = 0;
  bool has_launched = false;
  std::vector<std::shared_ptr<Launched>> launched;
  std::vector<std::unique_ptr<ncclWindow_vidmem>> windows;
};

namespace {

constexpr int kAsks = 2;  // that find a call in progress
constexpr std::size_t kWindowAlignment = NCCL_WIN_REQUIRED_ALIGNMENT;

std::mutex mutex;  // of what follows
std::map<std::string, std::shared_ptr<Clique>>& cliques() {
  static std::map<std::string, std::shared_ptr<Clique>> all;  // by id; null: no member yet
  return all;
}
// Never freed: a call on a communicator that is over is found.
std::vector<std::unique_ptr<ncclComm>>& comms() {
  static auto* const all = new std::vector<std::unique_ptr<ncclComm>>;
  return *all;
}
std::map<void*, int>& allocated() {  // by address: how many windows it is
  static std::map<void*, int> all;
  return all;
}

thread_local std::string last_error;
// Of the calling thread: groups that are open, and what they hold.
struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<std::pair<ncclComm*, std::vector<Operation>>> operations;
};
thread_local Group group;

ncclResult_t fail(ncclResult_t result, std::string text) {
  last_error = std::move(text);
  return result;
}
template <class Body>
ncclResult_t call(const char* name, const Body& body) {
  if (is_refused(name)) return fail(ncclSystemError, fmt::format("{} was refused", name));
  return body();
}

void begin(ncclComm& comm, std::function<bool()> may_end, std::function<void()> at_end) {
  comm.may_end = std::move(may_end);
  comm.at_end = std::move(at_end);
  comm.asks = kAsks;
}

ncclResult_t check(ncclComm* comm, const char* name) {
  if (comm == nullptr) return fail(ncclInvalidArgument, fmt::format("{}: comm is NULL", name));
  if (comm->state == ncclComm::State::ended)
    break_off(fmt::format("{} on a communicator that was destroyed or aborted", name));
  return ncclSuccess;
}
// For calls that need the state ncclSuccess.
ncclResult_t check_ready(ncclComm* comm, const char* name) {
  if (const ncclResult_t result = check(comm, name); result != ncclSuccess) return result;
  if (comm->state == ncclComm::State::finalized)
    return fail(ncclInvalidUsage, fmt::format("{} after ncclCommFinalize", name));
  if (comm->error != ncclSuccess)
    return fail(comm->error, fmt::format("{} on a communicator that has failed", name));
  if (comm->may_end) {
    return fail(ncclInvalidArgument,
                fmt::format("{} before the previous call returned ncclSuccess", name));
  }
  return ncclSuccess;
}

ncclResult_t check_buffer(const char* name, const char* which, const void* buffer,
                          std::size_t nbytes, const ncclComm& comm) {
  if (nbytes == 0) return ncclSuccess;
  if (buffer == nullptr)
    return fail(ncclInvalidArgument, fmt::format("{}: {} is NULL", name, which));
  const auto device = device_of(buffer, nbytes);
  if (!device) {
    return fail(ncclInvalidArgument,
                fmt::format("{}: {} of {} bytes is no device memory", name, which, nbytes));
  }
  if (*device != comm.device) {
    return fail(ncclInvalidArgument, fmt::format("{}: {} is on device {}, the communicator on {}",
                                                 name, which, *device, comm.device));
  }
  return ncclSuccess;
}

// Bytes of the send and the receive buffer.
std::pair<std::size_t, std::size_t> sizes_of(const Operation& o, const ncclComm& comm) {
  const auto members = static_cast<std::size_t>(comm.clique->size());
  switch (o.call) {
    case Call::all_gather:
      return {o.nbytes(), members * o.nbytes()};
    case Call::reduce_scatter:
      return {members * o.nbytes(), o.nbytes()};
    case Call::broadcast:
      return {comm.rank == o.root ? o.nbytes() : 0, o.nbytes()};
    case Call::send:
      return {o.nbytes(), 0};
    case Call::receive:
      return {0, o.nbytes()};
    default:
      return {o.nbytes(), o.nbytes()};
  }
}

ncclResult_t check_operation(const Operation& o, const ncclComm& comm) {
  const char* name = name_of(o.call);
  const auto invalid = [&](const std::string& text) {
    return fail(ncclInvalidArgument, fmt::format("{}: {}", name, text));
  };
  if (o.root < 0 || o.root >= comm.clique->size())
    return invalid(fmt::format("root or peer {} of {} members", o.root, comm.clique->size()));
  if (o.type < 0 || o.type >= ncclNumTypes) return invalid("invalid type");
  if (o.op < 0 || o.op >= ncclNumOps) return invalid("invalid operation");
  if (o.stream == nullptr || device_of(o.stream) != comm.device)
    return fail(ncclUnhandledCudaError, fmt::format("{}: the stream is not of the device", name));
  const auto [send, receive] = sizes_of(o, comm);
  ncclResult_t result = check_buffer(name, "sendbuff", o.send, send, comm);
  if (result == ncclSuccess) result = check_buffer(name, "recvbuff", o.receive, receive, comm);
  if (result != ncclSuccess) return result;
  const std::span sent(static_cast<const std::byte*>(o.send), send),
      received(static_cast<const std::byte*>(o.receive), receive);
  namespace rules = megascale::comm::nccl_rules;
  const auto rank = static_cast<std::size_t>(comm.rank);
  const bool bad = o.call == Call::all_gather ? rules::overlaps_out_of_place(received, sent, rank)
                   : o.call == Call::reduce_scatter
                       ? rules::overlaps_out_of_place(sent, received, rank)
                       : rules::overlap(sent, received) && sent.data() != received.data();
  if (bad) {
    break_off(fmt::format("{}: sendbuff and recvbuff of member {} overlap, but not in place", name,
                          comm.rank));
  }
  return ncclSuccess;
}

// Sends to and receives from oneself match within one group.
ncclResult_t check_self(const ncclComm& comm, const std::vector<Operation>& operations) {
  const auto count = [&](Call kind) {
    return std::ranges::count_if(
        operations, [&](const Operation& o) { return o.call == kind && o.root == comm.rank; });
  };
  if (count(Call::send) == count(Call::receive)) return ncclSuccess;
  return fail(ncclInvalidUsage, fmt::format("member {} sends to itself {} times and receives from "
                                            "itself {} times in one group",
                                            comm.rank, count(Call::send), count(Call::receive)));
}

// The first launch connects the members, which takes a while.
ncclResult_t launch(ncclComm& comm, const std::vector<Operation>& operations) {
  if (const ncclResult_t result = check_self(comm, operations); result != ncclSuccess)
    return result;
  const cudaStream_t stream = operations.front().stream;
  if (std::ranges::any_of(operations, [&](const Operation& o) { return o.stream != stream; }))
    break_off("a group over several streams is not emulated");
  if (comm.has_launched) {
    comm.launched.push_back(comm.clique->launch(comm.rank, operations));
    return ncclSuccess;
  }
  comm.has_launched = true;
  begin(
      comm, [] { return true; },
      [&comm, operations] { comm.launched.push_back(comm.clique->launch(comm.rank, operations)); });
  return ncclInProgress;
}

ncclResult_t give(ncclComm* comm, const Operation& operation) {
  const char* name = name_of(operation.call);
  const ncclResult_t result = call(name, [&] {
    const ncclResult_t ready = check_ready(comm, name);
    return ready == ncclSuccess ? check_operation(operation, *comm) : ready;
  });
  if (group.depth == 0) return result == ncclSuccess ? launch(*comm, {operation}) : result;
  if (result != ncclSuccess) {
    if (group.error == ncclSuccess) group.error = result;
    return result;
  }
  for (auto& [of, operations] : group.operations) {
    if (of != comm) continue;
    operations.push_back(operation);
    return ncclSuccess;
  }
  group.operations.push_back({comm, {operation}});
  return ncclSuccess;
}

ncclResult_t take_window(ncclComm& comm, void* memory, std::size_t nbytes, ncclWindow_t* window) {
  const std::string name = fmt::format("ncclCommWindowRegister {}", comm.windows.size());
  comm.clique->come(name, nbytes, comm.rank);
  {
    const std::lock_guard lock(mutex);
    ++allocated().at(memory);
  }
  ncclWindow_vidmem* made = comm.windows.emplace_back(new ncclWindow_vidmem{memory}).get();
  begin(
      comm, [&comm, name] { return comm.clique->all_came(name); },
      [made, window] { *window = made; });
  return ncclInProgress;
}

void give_windows_back(ncclComm& comm) {
  const std::lock_guard lock(mutex);
  for (const auto& window : comm.windows) --allocated().at(window->memory);
  comm.windows.clear();
}

}  // namespace

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "internal error";
  }
}
const char* ncclGetLastError(ncclComm_t) { return last_error.c_str(); }
// The oldest one whose windows megascale uses.
ncclResult_t ncclGetVersion(int* version) {
  return call("ncclGetVersion", [&] {
    *version = NCCL_VERSION(2, 29, 7);
    return ncclSuccess;
  });
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return call("ncclGetUniqueId", [&] {
    const std::lock_guard lock(mutex);
    *id = {};
    const std::string name = fmt::format("emulated clique {}", cliques().size());
    std::memcpy(id->internal, name.data(), name.size());
    cliques()[name] = nullptr;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* made, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  constexpr const char* kName = "ncclCommInitRankConfig";
  return call(kName, [&]() -> ncclResult_t {
    if (made == nullptr || size < 1 || rank < 0 || rank >= size)
      return fail(ncclInvalidArgument, fmt::format("{}: rank {} of {}", kName, rank, size));
    *made = nullptr;
    const ncclConfig_t initial = NCCL_CONFIG_INITIALIZER;
    if (config == nullptr || config->size != initial.size || config->magic != initial.magic)
      return fail(ncclInvalidArgument, "the configuration was not initialized");
    if (config->blocking != 0) break_off("blocking communicators are not emulated");
    if (spoils_capture()) return fail(ncclUnhandledCudaError, "a graph is being captured");
    const std::lock_guard lock(mutex);
    const auto found = cliques().find(std::string(id.internal));
    if (found == cliques().end())
      return fail(ncclInvalidArgument, "an id that ncclGetUniqueId did not give");
    if (found->second == nullptr) found->second = std::make_shared<Clique>(size);
    ncclComm& comm = *comms().emplace_back(std::make_unique<ncclComm>());
    comm.clique = found->second;
    comm.rank = rank;
    comm.device = current_device_of_thread();
    if (rank < comm.clique->size()) comm.clique->join(rank, comm.device, size);
    begin(
        comm, [&comm] { return comm.clique->is_formed(); },
        [&comm] { comm.error = comm.clique->error(last_error); });
    *made = &comm;
    return ncclInProgress;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* found) {
  constexpr const char* kName = "ncclCommGetAsyncError";
  return call(kName, [&]() -> ncclResult_t {
    if (const ncclResult_t result = check(comm, kName); result != ncclSuccess) return result;
    // The network tells when a peer has aborted, or is gone ("network").
    if (comm->error == ncclSuccess && (comm->clique->has_aborted || is_refused("network"))) {
      comm->error = ncclRemoteError;
      last_error = "a peer is gone";
    }
    if (comm->error == ncclSuccess && comm->may_end) {
      if (comm->asks > 0) --comm->asks;
      if (comm->asks == 0 && comm->may_end()) {
        comm->may_end = nullptr;
        comm->at_end();
      }
    }
    *found = comm->error != ncclSuccess ? comm->error
             : comm->may_end            ? ncclInProgress
                                        : ncclSuccess;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  constexpr const char* kName = "ncclCommFinalize";
  return call(kName, [&]() -> ncclResult_t {
    if (const ncclResult_t result = check_ready(comm, kName); result != ncclSuccess) return result;
    comm->state = ncclComm::State::finalized;
    comm->clique->come(kName, 0, comm->rank);
    begin(
        *comm,
        [comm] {
          go_on();
          return comm->clique->all_came("ncclCommFinalize") &&
                 std::ranges::all_of(comm->launched,
                                     [](const auto& one) { return one->done.load(); });
        },
        [] {});
    return ncclInProgress;
  });
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  constexpr const char* kName = "ncclCommDestroy";
  return call(kName, [&]() -> ncclResult_t {
    if (const ncclResult_t result = check(comm, kName); result != ncclSuccess) return result;
    if (comm->may_end || comm->state != ncclComm::State::finalized)
      break_off("ncclCommDestroy would block: ncclCommFinalize has not come to its end");
    if (!comm->windows.empty()) break_off("ncclCommDestroy of a communicator that has a window");
    comm->state = ncclComm::State::ended;
    return ncclSuccess;
  });
}
// A communicator whose abort fails is over too.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  constexpr const char* kName = "ncclCommAbort";
  if (const ncclResult_t result = check(comm, kName); result != ncclSuccess) return result;
  comm->state = ncclComm::State::ended;
  comm->may_end = nullptr;
  comm->clique->has_aborted = true;
  for (const auto& one : comm->launched) one->aborted = true;
  give_windows_back(*comm);
  return call(kName, [] { return ncclSuccess; });
}

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return give(comm, {.call = Call::all_gather,
                     .send = send,
                     .receive = receive,
                     .count = count,
                     .type = type,
                     .stream = stream});
}
ncclResult_t ncclReduceScatter(const void* send, void* receive, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  return give(comm, {Call::reduce_scatter, send, receive, count, type, op, 0, stream});
}
ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return give(comm, {Call::all_reduce, send, receive, count, type, op, 0, stream});
}
ncclResult_t ncclBroadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return give(comm, {Call::broadcast, send, receive, count, type, ncclSum, root, stream});
}
ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return give(comm, {Call::send, send, nullptr, count, type, ncclSum, peer, stream});
}
ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return give(comm, {Call::receive, nullptr, receive, count, type, ncclSum, peer, stream});
}

ncclResult_t ncclGroupStart() {
  return call("ncclGroupStart", [] {
    ++group.depth;
    return ncclSuccess;
  });
}
// The last of nested ones launches, or returns the first error of the group.
ncclResult_t ncclGroupEnd() {
  if (group.depth == 0) return fail(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  if (--group.depth > 0) return ncclSuccess;
  const Group ended = std::exchange(group, {});
  return call("ncclGroupEnd", [&] {
    ncclResult_t result = ended.error;
    for (const auto& [comm, operations] : ended.operations) {
      if (result != ncclSuccess && result != ncclInProgress) break;
      const ncclResult_t one = launch(*comm, operations);
      if (one != ncclSuccess) result = one;
    }
    return result;
  });
}

ncclResult_t ncclMemAlloc(void** address, std::size_t nbytes) {
  return call("ncclMemAlloc", [&]() -> ncclResult_t {
    if (address == nullptr || nbytes == 0)
      return fail(ncclInvalidArgument, "ncclMemAlloc of nothing");
    if (cudaMalloc(address, nbytes) != cudaSuccess)
      return fail(ncclUnhandledCudaError, "ncclMemAlloc: out of memory");
    const std::lock_guard lock(mutex);
    allocated()[*address] = 0;
    return ncclSuccess;
  });
}
ncclResult_t ncclMemFree(void* address) {
  return call("ncclMemFree", [&]() -> ncclResult_t {
    const std::lock_guard lock(mutex);
    const auto found = allocated().find(address);
    if (found == allocated().end())
      return fail(ncclInvalidArgument, "memory that ncclMemAlloc did not give");
    if (found->second > 0) break_off("ncclMemFree of memory that is a window of a communicator");
    allocated().erase(found);
    return cudaFree(address) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  });
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* memory, std::size_t nbytes,
                                    ncclWindow_t* window, int flags) {
  constexpr const char* kName = "ncclCommWindowRegister";
  return call(kName, [&]() -> ncclResult_t {
    ncclResult_t result = check_ready(comm, kName);
    if (result == ncclSuccess) result = check_buffer(kName, "buff", memory, nbytes, *comm);
    if (result != ncclSuccess) return result;
    const bool aligned = reinterpret_cast<std::uintptr_t>(memory) % kWindowAlignment == 0;
    if (window == nullptr || nbytes == 0 || !aligned || (flags & ~NCCL_WIN_COLL_SYMMETRIC) != 0)
      return fail(ncclInvalidArgument, fmt::format("{}: nothing, or not aligned", kName));
    *window = nullptr;
    {
      const std::lock_guard lock(mutex);
      if (!allocated().contains(memory))
        return fail(ncclInvalidArgument, fmt::format("{}: memory not of ncclMemAlloc", kName));
    }
    return take_window(*comm, memory, nbytes, window);
  });
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
  constexpr const char* kName = "ncclCommWindowDeregister";
  return call(kName, [&]() -> ncclResult_t {
    if (const ncclResult_t result = check_ready(comm, kName); result != ncclSuccess) return result;
    const auto found =
        std::ranges::find_if(comm->windows, [&](const auto& one) { return one.get() == window; });
    if (found == comm->windows.end())
      return fail(ncclInvalidArgument, fmt::format("{}: no window of it", kName));
    const std::lock_guard lock(mutex);
    --allocated().at((*found)->memory);
    comm->windows.erase(found);
    return ncclSuccess;
  });
}

}  // extern "C"
