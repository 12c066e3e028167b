// Calls NCCL without blocking. libnccl is loaded at run time, at the first call of a function of
// nccl_channel.h. So a binary built with NCCL also runs on machines without it. The communicator is
// non-blocking (ncclConfig_t::blocking = 0): calls may return ncclInProgress, and state() asks NCCL
// whether they are done.
#include "megascale/comm/nccl/nccl_channel.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nccl.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/readback.h"

namespace megascale::comm {
namespace {

// The longest wait for the orderly end of a group. It takes milliseconds, but never ends if a peer
// is gone.
constexpr std::chrono::seconds kLongestEnd{10};
constexpr std::chrono::milliseconds kLook{1};

// Groups of up to this size allocate memory for counts when they are opened (at most 64 KiB). An
// allocation may wait for the device, and so for transfers under way. Larger groups rarely have
// counts, and allocate the memory at their first all_to_all_v.
constexpr std::uint32_t kMostWithRoomForCounts = 64;

static_assert(sizeof(ncclUniqueId) == sizeof(NcclId));

// The library is never closed: its threads may still run when the process ends.
void* library() {
  static void* const opened = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("cannot load NCCL, which is needed if ranks are processes on devices: {}; "
                    "install libnccl2, or run the ranks as threads of one process "
                    "(--ranks N)",
                    ::dlerror()));  // NOLINT(concurrency-mt-unsafe): glibc's is
  }
  return opened;
}
template <class Function>
Function find(const char* name) {
  void* const found = ::dlsym(library(), name);
  if (found == nullptr)
    throw Error(ErrorCode::unsupported, fmt::format("libnccl.so.2 has no {}", name));
  return reinterpret_cast<Function>(found);
}

// The functions of NCCL. The library is loaded at the first call of get(), since ranks that are
// threads do not need it.
class Nccl {
 public:
  // Throws Error (unsupported).
  static const Nccl& get() {
    static const Nccl nccl;
    return nccl;
  }
  decltype(&::ncclGetUniqueId) get_unique_id =
      find<decltype(&::ncclGetUniqueId)>("ncclGetUniqueId");
  decltype(&::ncclCommInitRankConfig) init =
      find<decltype(&::ncclCommInitRankConfig)>("ncclCommInitRankConfig");
  decltype(&::ncclCommFinalize) finalize = find<decltype(&::ncclCommFinalize)>("ncclCommFinalize");
  decltype(&::ncclCommDestroy) destroy = find<decltype(&::ncclCommDestroy)>("ncclCommDestroy");
  decltype(&::ncclCommAbort) abort = find<decltype(&::ncclCommAbort)>("ncclCommAbort");
  decltype(&::ncclCommGetAsyncError) async_error =
      find<decltype(&::ncclCommGetAsyncError)>("ncclCommGetAsyncError");
  decltype(&::ncclGetErrorString) error_string =
      find<decltype(&::ncclGetErrorString)>("ncclGetErrorString");
  decltype(&::ncclGetLastError) last_error =
      find<decltype(&::ncclGetLastError)>("ncclGetLastError");
  decltype(&::ncclAllGather) all_gather = find<decltype(&::ncclAllGather)>("ncclAllGather");
  decltype(&::ncclReduceScatter) reduce_scatter =
      find<decltype(&::ncclReduceScatter)>("ncclReduceScatter");
  decltype(&::ncclAllReduce) all_reduce = find<decltype(&::ncclAllReduce)>("ncclAllReduce");
  decltype(&::ncclBroadcast) broadcast = find<decltype(&::ncclBroadcast)>("ncclBroadcast");
  decltype(&::ncclSend) send = find<decltype(&::ncclSend)>("ncclSend");
  decltype(&::ncclRecv) receive = find<decltype(&::ncclRecv)>("ncclRecv");
  decltype(&::ncclGroupStart) group_start = find<decltype(&::ncclGroupStart)>("ncclGroupStart");
  decltype(&::ncclGroupEnd) group_end = find<decltype(&::ncclGroupEnd)>("ncclGroupEnd");
};

// `call`: the function of NCCL that returned `result`.
Error failure(const char* call, ncclResult_t result, ncclComm_t comm) {
  return {
      ErrorCode::failed,
      fmt::format("NCCL: {} failed: {} ({}); set NCCL_DEBUG=WARN on all ranks and start the run "
                  "again, NCCL then tells why",
                  call, Nccl::get().error_string(result), Nccl::get().last_error(comm))};
}

// The functions of NCCL for windows. They are looked up only if windows are used.
class Windows {
 public:
  // Throws Error (unsupported).
  static const Windows& get() {
    static const Windows windows;
    return windows;
  }
  decltype(&::ncclMemAlloc) allocate = find<decltype(&::ncclMemAlloc)>("ncclMemAlloc");
  decltype(&::ncclMemFree) free = find<decltype(&::ncclMemFree)>("ncclMemFree");
  decltype(&::ncclCommWindowRegister) add =
      find<decltype(&::ncclCommWindowRegister)>("ncclCommWindowRegister");
  decltype(&::ncclCommWindowDeregister) remove =
      find<decltype(&::ncclCommWindowDeregister)>("ncclCommWindowDeregister");

 private:
  // The version is checked before the functions are looked up: they do not exist before 2.27.
  Windows() : Windows(require_version()) {}
  explicit Windows(int) {}
  static int require_version() {
    // The oldest version whose kernels for windows end after abort(). The kernels of 2.27 to 2.29.3
    // wait for a lost peer for ever, and so does every thread that waits for the device. Since
    // 2.29, if the devices cannot access each other's memory, NCCL succeeds and returns no window.
    constexpr int kOldest = NCCL_VERSION(2, 29, 7);
    int found = 0;
    const auto get_version = find<decltype(&::ncclGetVersion)>("ncclGetVersion");
    if (const ncclResult_t result = get_version(&found); result != ncclSuccess)
      throw failure("ncclGetVersion", result, nullptr);
    if (found < kOldest) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("symmetric memory needs NCCL 2.29.7 or newer, found {}.{}.{}: "
                              "transfers of older ones do not end when a rank is lost",
                              found / 10000, found / 100 % 100, found % 100));
    }
    return found;
  }
};

ncclDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return ncclFloat32;
    case DType::bfloat16:
      return ncclBfloat16;
    case DType::float64:
      return ncclFloat64;
    case DType::int64:
      return ncclInt64;
    default:
      break;
  }
  MEGASCALE_CHECK(false, "sums of a type that no transfer adds up");
  return ncclFloat32;
}

class Channel final : public NcclChannel {
 public:
  Channel(const NcclId& id, std::uint32_t size, std::uint32_t my_index, CUstream_st* stream)
      : stream_(stream), size_(size), my_index_(my_index), flag_(sizeof(float)) {
    if (size <= kMostWithRoomForCounts) make_room_for_counts(2 * sizeof(std::int64_t) * size);
    ncclUniqueId unique;
    std::memcpy(&unique, id.bytes.data(), sizeof unique);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    take("ncclCommInitRankConfig",
         nccl_.init(&comm_, static_cast<int>(size), unique, static_cast<int>(my_index), &config));
    if (error_) throw Error(*error_);
  }
  ~Channel() override {
    if (comm_ == nullptr) return;
    if (state() == State::ready) {
      // The window must be removed before the communicator ends, or NCCL would keep the memory.
      if (window_ != nullptr)
        take("ncclCommWindowDeregister", Windows::get().remove(comm_, window_));
      if (!error_) take("ncclCommFinalize", nccl_.finalize(comm_));
      const auto end = std::chrono::steady_clock::now() + kLongestEnd;
      while (state() == State::in_progress && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kLook);
      if (state() == State::ready) {
        (void)nccl_.destroy(comm_);
        return;
      }
    }
    (void)nccl_.abort(comm_);
  }

  void all_gather(std::span<std::byte> receive, std::span<const std::byte> send) override {
    take("ncclAllGather",
         nccl_.all_gather(send.data(), receive.data(), send.size(), ncclUint8, comm_, stream_));
  }
  void reduce_scatter(std::span<std::byte> receive, std::span<const std::byte> send,
                      DType dtype) override {
    take("ncclReduceScatter",
         nccl_.reduce_scatter(send.data(), receive.data(), receive.size() / itemsize(dtype),
                              type_of(dtype), ncclSum, comm_, stream_));
  }
  void all_reduce(std::span<std::byte> values, DType dtype) override {
    take("ncclAllReduce",
         nccl_.all_reduce(values.data(), values.data(), values.size() / itemsize(dtype),
                          type_of(dtype), ncclSum, comm_, stream_));
  }
  void broadcast(std::span<std::byte> bytes, std::uint32_t root) override {
    take("ncclBroadcast", nccl_.broadcast(bytes.data(), bytes.data(), bytes.size(), ncclUint8,
                                          static_cast<int>(root), comm_, stream_));
  }
  void register_window(std::span<std::byte> memory) override {
    waits_for_window_ = true;
    take("ncclCommWindowRegister", Windows::get().add(comm_, memory.data(), memory.size(), &window_,
                                                      NCCL_WIN_COLL_SYMMETRIC));
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    take("ncclGroupStart", nccl_.group_start());
    if (error_) return;  // alone, each call would wait for its partner
    for (const Outgoing& part : sends) {
      take("ncclSend", nccl_.send(part.bytes.data(), part.bytes.size(), ncclUint8,
                                  static_cast<int>(part.peer), comm_, stream_));
    }
    for (const Incoming& part : receives) {
      take("ncclRecv", nccl_.receive(part.bytes.data(), part.bytes.size(), ncclUint8,
                                     static_cast<int>(part.peer), comm_, stream_));
    }
    take("ncclGroupEnd", nccl_.group_end());
  }
  void share_counts(std::span<const std::byte> send, std::span<const std::byte> receive) override {
    try {
      make_room_for_counts(send.size() + receive.size());
    } catch (const Error& error) {
      if (!error_) error_ = error;
      return;
    }
    const auto mine = counts_.bytes().subspan(my_index_ * counts_nbytes_, counts_nbytes_);
    cuda::copy_async(mine.data(), send, stream_);
    cuda::copy_async(mine.data() + send.size(), receive, stream_);
    take("ncclAllGather", nccl_.all_gather(mine.data(), counts_.bytes().data(), mine.size(),
                                           ncclUint8, comm_, stream_));
    sharing_ = Sharing::gathers;
  }
  [[nodiscard]] std::span<const std::byte> shared_counts() const noexcept override {
    return readback_->bytes();
  }
  void meet() override { all_reduce(flag_.bytes(), DType::float32); }

  State state() noexcept override {
    if (error_) return State::failed;
    ncclResult_t found = ncclSuccess;
    const ncclResult_t asked = nccl_.async_error(comm_, &found);
    if (asked == ncclSuccess && found == ncclSuccess) return settle();
    if (asked == ncclSuccess && found == ncclInProgress) return State::in_progress;
    take(asked == ncclSuccess ? "a call in progress" : "ncclCommGetAsyncError",
         asked == ncclSuccess ? found : asked);
    return State::failed;
  }
  [[nodiscard]] Error error() const override { return *error_; }
  void abort() noexcept override {
    if (comm_ == nullptr) return;
    (void)nccl_.abort(comm_);
    comm_ = nullptr;
    if (!error_) error_ = Error(ErrorCode::failed, "NCCL: aborted");
  }

 private:
  // Called when no call of NCCL is in progress. If NCCL cannot make a window, it reports success
  // and a null window.
  State settle() noexcept {
    if (waits_for_window_ && window_ == nullptr) {
      error_ = Error(ErrorCode::unsupported,
                     "NCCL made no window of the arena (overlap.symmetric_memory): the devices of "
                     "this group do not all reach each other's memory, or NCCL_WIN_ENABLE or "
                     "NCCL_CUMEM_ENABLE forbids it");
      return State::failed;
    }
    waits_for_window_ = false;
    return settle_counts();
  }
  // The copy of the gathered counts to the host starts only after NCCL has enqueued the gather.
  // Before that, the copy would run ahead of the gather on the stream.
  State settle_counts() noexcept {
    if (sharing_ == Sharing::gathers) {
      readback_->start({counts_.bytes().first(size_ * counts_nbytes_)}, stream_);
      sharing_ = Sharing::copies;
    }
    if (sharing_ == Sharing::copies) {
      switch (readback_->state()) {
        case cuda::Event::State::pending:
          return State::in_progress;
        case cuda::Event::State::failed:
          error_ = readback_->error();
          return State::failed;
        case cuda::Event::State::reached:
          sharing_ = Sharing::nothing;
      }
    }
    return State::ready;
  }
  // Allocates memory for `nbytes` of counts from each member. Throws Error (out_of_memory).
  void make_room_for_counts(std::size_t nbytes) {
    counts_nbytes_ = nbytes;
    if (counts_.bytes().size() >= size_ * nbytes) return;
    counts_ = cuda::DeviceMemory(size_ * nbytes);
    readback_.emplace(size_ * nbytes);
  }
  // Records the first error.
  void take(const char* call, ncclResult_t result) {
    if (result != ncclSuccess && result != ncclInProgress && !error_)
      error_ = failure(call, result, comm_);
  }

  enum class Sharing : std::uint8_t { nothing, gathers, copies };

  const Nccl& nccl_ = Nccl::get();
  CUstream_st* stream_;
  std::uint32_t size_, my_index_;
  cuda::DeviceMemory flag_;  // the number that meet() sums; its value is not used
  ncclComm_t comm_ = nullptr;
  ncclWindow_t window_ = nullptr;
  bool waits_for_window_ = false;
  Sharing sharing_ = Sharing::nothing;
  std::size_t counts_nbytes_ = 0;  // of one member
  cuda::DeviceMemory counts_;      // of all members
  std::optional<cuda::Readback> readback_;
  std::optional<Error> error_;
};

class Memory final : public NcclMemory {
 public:
  // It delegates to the default constructor, so that the destructor frees the memory if it cannot
  // be cleared.
  explicit Memory(std::uint64_t nbytes) : Memory() {
    void* address = nullptr;
    if (const ncclResult_t result = windows_.allocate(&address, nbytes); result != ncclSuccess) {
      const cuda::MemoryUse use = cuda::memory_use();
      constexpr double kGiB = 1U << 30U;
      throw Error(use.free_nbytes < nbytes ? ErrorCode::out_of_memory : ErrorCode::failed,
                  fmt::format("NCCL cannot allocate {:.2f} GiB of the device's memory, of which "
                              "{:.2f} GiB are free: {}",
                              static_cast<double>(nbytes) / kGiB,
                              static_cast<double>(use.free_nbytes) / kGiB,
                              failure("ncclMemAlloc", result, nullptr).message()));
    }
    bytes_ = {static_cast<std::byte*>(address), nbytes};
    cuda::fill_zero(bytes_);
  }
  ~Memory() override {
    if (!bytes_.empty()) (void)windows_.free(bytes_.data());
  }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept override { return bytes_; }

 private:
  Memory() = default;
  const Windows& windows_ = Windows::get();
  std::span<std::byte> bytes_;
};

}  // namespace

NcclId make_nccl_id() {
  ncclUniqueId unique;
  if (const ncclResult_t result = Nccl::get().get_unique_id(&unique); result != ncclSuccess)
    throw failure("ncclGetUniqueId", result, nullptr);
  NcclId id;
  std::memcpy(id.bytes.data(), &unique, sizeof unique);
  return id;
}

std::unique_ptr<NcclChannel> open_nccl_channel(const NcclId& id, std::uint32_t size,
                                               std::uint32_t my_index, CUstream_st* stream) {
  return std::make_unique<Channel>(id, size, my_index, stream);
}

std::unique_ptr<NcclMemory> allocate_nccl_memory(std::uint64_t nbytes) {
  return std::make_unique<Memory>(nbytes);
}

}  // namespace megascale::comm
