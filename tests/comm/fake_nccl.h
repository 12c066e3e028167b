#ifndef MEGASCALE_TESTS_COMM_FAKE_NCCL_H_
#define MEGASCALE_TESTS_COMM_FAKE_NCCL_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "comm/nccl_rules.h"
#include "megascale/comm/nccl/nccl_channel.h"
#include "megascale/comm/sum.h"

namespace megascale::comm {

// Memory that may be a window of groups: a check fails where it ends before they do.
class FakeNcclMemory final : public NcclMemory {
 public:
  explicit FakeNcclMemory(std::uint64_t nbytes) : bytes_(nbytes) { all().insert(this); }
  ~FakeNcclMemory() override {
    MEGASCALE_CHECK(windows_ == 0, "memory that ends while it is a window of a group");
    all().erase(this);
  }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept override { return bytes_; }

  // As of a member that has the memory as its window, and no more.
  static void count_window(std::span<const std::byte> memory, int by) {
    for (FakeNcclMemory* one : all()) {
      if (one->bytes_.data() != memory.data()) continue;
      MEGASCALE_CHECK(one->bytes_.size() == memory.size(), "a window of part of the memory");
      one->windows_ += by;
      return;
    }
    MEGASCALE_CHECK(false, "a window of memory that NCCL did not allocate");
  }

 private:
  static std::set<FakeNcclMemory*>& all() {
    // Never destroyed: memories that are static end after it.
    static auto* const memories = new std::set<FakeNcclMemory*>;
    return *memories;
  }
  mutable std::vector<std::byte> bytes_;
  int windows_ = 0;
};

// What NCCL does with calls, on memory of this process: a call is carried out when all members have
// made theirs, and handed over then. Sums add in member order. Windows are registered by all
// members, before anything else; then a transfer of all has equal offsets in them.
class FakeNccl : public std::enable_shared_from_this<FakeNccl> {
 public:
  explicit FakeNccl(std::uint32_t size) : calls_(size) {}
  [[nodiscard]] std::unique_ptr<NcclChannel> open(std::uint32_t member) {
    const std::lock_guard lock(mutex_);
    ++open_;
    return std::make_unique<Channel>(shared_from_this(), member);
  }
  // As after a cable was pulled: state() of all members is `failed`.
  void break_network() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
  }
  // As where an abort gives memory back, for which the device has to be through with the other's
  // transfers: one of this group ends once one of the other's has begun.
  void let_aborts_wait_for(std::shared_ptr<FakeNccl> other) { other_ = std::move(other); }
  // As where devices do not reach each other.
  void refuse_windows() {
    const std::lock_guard lock(mutex_);
    refuses_windows_ = true;
  }
  // Members that have a window.
  [[nodiscard]] int windows() {
    const std::lock_guard lock(mutex_);
    return windows_;
  }
  [[nodiscard]] int aborted() {
    const std::lock_guard lock(mutex_);
    return aborted_;
  }

 private:
  enum class Kind {
    all_gather,
    reduce_scatter,
    all_reduce,
    broadcast,
    exchange,
    counts,
    meet,
    window
  };
  struct Call {
    Kind kind = Kind::meet;
    std::span<std::byte> receive{};
    std::span<const std::byte> send{};
    DType dtype = DType::float32;
    std::uint32_t root = 0;
    std::vector<NcclChannel::Outgoing> sends{};
    std::vector<NcclChannel::Incoming> receives{};
  };
  using Bytes = std::vector<std::byte>;

  class Channel final : public NcclChannel {
   public:
    Channel(std::shared_ptr<FakeNccl> group, std::uint32_t member)
        : group_(std::move(group)), member_(member) {}
    ~Channel() override {
      const std::lock_guard lock(group_->mutex_);
      give_window_back();
    }
    void all_gather(std::span<std::byte> receive, std::span<const std::byte> send) override {
      make({.kind = Kind::all_gather, .receive = receive, .send = send});
    }
    void reduce_scatter(std::span<std::byte> receive, std::span<const std::byte> send,
                        DType dtype) override {
      make({.kind = Kind::reduce_scatter, .receive = receive, .send = send, .dtype = dtype});
    }
    void all_reduce(std::span<std::byte> values, DType dtype) override {
      make({.kind = Kind::all_reduce, .receive = values, .dtype = dtype});
    }
    void broadcast(std::span<std::byte> bytes, std::uint32_t root) override {
      make({.kind = Kind::broadcast, .receive = bytes, .root = root});
    }
    void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
      make({.kind = Kind::exchange,
            .sends = {sends.begin(), sends.end()},
            .receives = {receives.begin(), receives.end()}});
    }
    void share_counts(std::span<const std::byte> send,
                      std::span<const std::byte> receive) override {
      counts_.assign(send.begin(), send.end());
      counts_.insert(counts_.end(), receive.begin(), receive.end());
      all_counts_.assign(counts_.size() * group_->calls_.size(), std::byte{0});
      make({.kind = Kind::counts, .receive = all_counts_, .send = counts_});
    }
    [[nodiscard]] std::span<const std::byte> shared_counts() const noexcept override {
      return all_counts_;
    }
    void meet() override { make({.kind = Kind::meet}); }
    void register_window(std::span<std::byte> memory) override {
      MEGASCALE_CHECK(made_ == 0, "a window behind a transfer");
      window_ = memory;
      {
        const std::lock_guard lock(group_->mutex_);
        FakeNcclMemory::count_window(memory, 1);
        ++group_->windows_;
      }
      make({.kind = Kind::window, .receive = memory});
    }
    State state() noexcept override {
      const std::lock_guard lock(group_->mutex_);
      if (group_->broken_) return State::failed;
      if (group_->refuses_windows_ && !window_.empty()) return State::failed;
      const bool formed = group_->open_ == group_->calls_.size();
      return formed && group_->done_ == made_ ? State::ready : State::in_progress;
    }
    [[nodiscard]] Error error() const override {
      if (group_->refuses_windows_) return {ErrorCode::unsupported, "NCCL made no window"};
      return {ErrorCode::failed, "NCCL: unhandled"};
    }
    void abort() noexcept override {
      ++group_->aborts_begun_;
      while (group_->other_ && group_->other_->aborts_begun_ == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::lock_guard lock(group_->mutex_);
      MEGASCALE_CHECK(!is_over_, "a second abort()");
      is_over_ = true;
      ++group_->aborted_;
      give_window_back();
    }

   private:
    void make(Call call) {
      const std::lock_guard lock(group_->mutex_);
      MEGASCALE_CHECK(!is_over_, "a call after abort()");
      MEGASCALE_CHECK(group_->open_ == group_->calls_.size(), "a call before the group is formed");
      MEGASCALE_CHECK(group_->done_ == made_, "a call while another is in progress");
      ++made_;
      group_->calls_[member_] = std::make_unique<Call>(std::move(call));
      group_->carry_out();
    }
    void give_window_back() {
      if (window_.empty()) return;
      FakeNcclMemory::count_window(window_, -1);
      --group_->windows_;
      window_ = {};
    }
    std::shared_ptr<FakeNccl> group_;
    std::uint32_t member_;
    std::uint64_t made_ = 0;
    bool is_over_ = false;  // aborted
    std::span<std::byte> window_;
    Bytes counts_, all_counts_;
  };

  // Under the lock.
  void carry_out() {
    for (const auto& call : calls_) {
      if (call == nullptr) return;
    }
    check_calls();
    check_windows();
    std::vector<Bytes> results;  // first all, as outputs may lie in inputs
    for (std::uint32_t m = 0; m < calls_.size(); ++m) results.push_back(result_of(m));
    for (std::uint32_t m = 0; m < calls_.size(); ++m) put(*calls_[m], results[m]);
    for (auto& call : calls_) call.reset();
    ++done_;
  }

  static const char* name_of(Kind kind) {
    constexpr std::array<const char*, 8> kNames{"all_gather", "reduce_scatter", "all_reduce",
                                                "broadcast",  "exchange",       "share_counts",
                                                "meet",       "register_window"};
    return kNames[static_cast<std::size_t>(kind)];
  }
  [[noreturn]] static void fail(const std::string& what) {
    MEGASCALE_CHECK(false, what.c_str());
    std::abort();
  }
  // What NCCL does not check: a device would hang, or give other values.
  void check_calls() {
    const Call& first = *calls_[0];
    for (std::uint32_t m = 0; m < calls_.size(); ++m) {
      const Call& call = *calls_[m];
      if (call.kind != first.kind) {
        fail(fmt::format("members that make different calls: member {} {}, member 0 {}", m,
                         name_of(call.kind), name_of(first.kind)));
      }
      if (call.kind == Kind::window && call.receive.size() != first.receive.size())
        fail("windows of different sizes");
      const bool sums = call.kind == Kind::reduce_scatter || call.kind == Kind::all_reduce;
      if (call.send.size() != first.send.size() || call.receive.size() != first.receive.size() ||
          call.root != first.root || (sums && call.dtype != first.dtype)) {
        fail(
            fmt::format("member {} calls {} of {} to {} bytes, root {}, type {}; member 0 of {} to "
                        "{} bytes, root {}, type {}",
                        m, name_of(call.kind), call.send.size(), call.receive.size(), call.root,
                        to_string(call.dtype), first.send.size(), first.receive.size(), first.root,
                        to_string(first.dtype)));
      }
      check_call(m, call);
    }
    check_pairs();
  }
  // The rules of one member's call.
  void check_call(std::uint32_t m, const Call& call) const {
    if (call.root >= calls_.size())
      fail(fmt::format("root {} in a group of {}", call.root, calls_.size()));
    const bool gathers = call.kind == Kind::all_gather || call.kind == Kind::counts;
    const std::span<const std::byte> whole = gathers ? call.receive : call.send,
                                     part = gathers ? call.send : call.receive;
    if (gathers || call.kind == Kind::reduce_scatter) {
      if (whole.size() != calls_.size() * part.size()) {
        fail(fmt::format("{} of {} bytes in {} members of {}", name_of(call.kind), whole.size(),
                         calls_.size(), part.size()));
      }
      if (nccl_rules::overlaps_out_of_place(whole, part, m)) {
        fail(fmt::format("member {}'s part of {} overlaps the whole, but is not at its place", m,
                         name_of(call.kind)));
      }
    }
  }
  // Each pair's sends and receives match in their order.
  void check_pairs() const {
    if (calls_[0]->kind != Kind::exchange) return;
    const auto sizes = [](const auto& parts, std::uint32_t peer) {
      std::vector<std::size_t> found;
      for (const auto& part : parts) {
        if (part.peer == peer) found.push_back(part.bytes.size());
      }
      return found;
    };
    for (std::uint32_t from = 0; from < calls_.size(); ++from) {
      for (const auto& part : calls_[from]->sends) check_peer(from, part.peer);
      for (const auto& part : calls_[from]->receives) check_peer(from, part.peer);
      for (std::uint32_t to = 0; to < calls_.size(); ++to) {
        const auto sent = sizes(calls_[from]->sends, to),
                   received = sizes(calls_[to]->receives, from);
        if (sent != received) {
          fail(
              fmt::format("member {} sends {} bytes to member {}, which receives {}: a device "
                          "would hang",
                          from, fmt::join(sent, " and "), to, fmt::join(received, " and ")));
        }
      }
    }
  }
  void check_peer(std::uint32_t m, std::uint32_t peer) const {
    if (peer >= calls_.size())
      fail(fmt::format("peer {} of member {} in a group of {}", peer, m, calls_.size()));
  }
  void check_windows() {
    if (calls_[0]->kind == Kind::window) {
      for (const auto& call : calls_) window_of_.push_back(call->receive);
    } else if (!window_of_.empty() && calls_[0]->kind != Kind::meet &&
               calls_[0]->kind != Kind::counts) {
      for (std::uint32_t m = 0; m < calls_.size(); ++m) check_offsets(m);
    }
  }
  // Of what is not empty.
  [[nodiscard]] std::ptrdiff_t offset_of(std::uint32_t m, std::span<const std::byte> bytes) const {
    if (bytes.empty()) return 0;
    const std::span<std::byte> window = window_of_[m];
    MEGASCALE_CHECK(bytes.data() >= window.data() &&
                        bytes.data() + bytes.size() <= window.data() + window.size(),
                    "a transfer outside of the window");
    return bytes.data() - window.data();
  }
  // A member's part of the whole may lie in its place there.
  void check_offsets(std::uint32_t m) const {
    const Call &mine = *calls_[m], &first = *calls_[0];
    for (const NcclChannel::Outgoing& part : mine.sends) (void)offset_of(m, part.bytes);
    for (const NcclChannel::Incoming& part : mine.receives) (void)offset_of(m, part.bytes);
    const auto send = offset_of(m, mine.send), receive = offset_of(m, mine.receive),
               first_send = offset_of(0, first.send), first_receive = offset_of(0, first.receive);
    const auto place = [m](std::span<const std::byte> part) {
      return static_cast<std::ptrdiff_t>(m * part.size());
    };
    const bool in_place = mine.kind == Kind::all_gather
                              ? send == receive + place(mine.send) && receive == first_receive
                              : mine.kind == Kind::reduce_scatter &&
                                    receive == send + place(mine.receive) && send == first_send;
    MEGASCALE_CHECK(in_place || (send == first_send && receive == first_receive),
                    "a transfer at unequal offsets in the windows");
  }

  [[nodiscard]] Bytes result_of(std::uint32_t m) const {
    const Call& mine = *calls_[m];
    Bytes result;
    const auto append = [&](std::span<const std::byte> bytes) {
      result.insert(result.end(), bytes.begin(), bytes.end());
    };
    switch (mine.kind) {
      case Kind::all_gather:
      case Kind::counts:
        for (const auto& call : calls_) append(call->send);
        break;
      case Kind::reduce_scatter:
        return sum(mine, [&](const Call& call) {
          return call.send.subspan(m * mine.receive.size(), mine.receive.size());
        });
      case Kind::all_reduce:
        return sum(mine, [](const Call& call) { return std::span<const std::byte>(call.receive); });
      case Kind::broadcast:
        append(calls_[mine.root]->receive);
        break;
      case Kind::exchange:
        for (std::size_t i = 0; i < mine.receives.size(); ++i) append(sent_for(m, i));
        break;
      case Kind::meet:
      case Kind::window:
        break;
    }
    return result;
  }

  template <class Part>
  [[nodiscard]] Bytes sum(const Call& mine, Part part) const {
    Bytes result(mine.receive.size());
    std::vector<const std::byte*> sources;
    for (const auto& call : calls_) sources.push_back(part(*call).data());
    sum_in_order(result, sources, mine.dtype);
    return result;
  }

  // What the i-th receive of a member gets: of a pair of members, sends and receives match in
  // order.
  [[nodiscard]] std::span<const std::byte> sent_for(std::uint32_t m, std::size_t i) const {
    const Call& mine = *calls_[m];
    const std::uint32_t peer = mine.receives[i].peer;
    const auto before =
        std::count_if(mine.receives.begin(), mine.receives.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const auto& receive) { return receive.peer == peer; });
    std::ptrdiff_t seen = 0;
    for (const NcclChannel::Outgoing& send : calls_[peer]->sends) {
      if (send.peer == m && seen++ == before) return send.bytes;
    }
    fail("a receive that nobody sends for");
  }

  static void put(const Call& call, std::span<const std::byte> result) {
    if (call.kind != Kind::exchange) {
      if (!result.empty()) std::memcpy(call.receive.data(), result.data(), result.size());
      return;
    }
    std::size_t at = 0;
    for (const NcclChannel::Incoming& receive : call.receives) {
      if (!receive.bytes.empty())
        std::memcpy(receive.bytes.data(), result.data() + at, receive.bytes.size());
      at += receive.bytes.size();
    }
  }

  std::shared_ptr<FakeNccl> other_;
  std::atomic<int> aborts_begun_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> calls_;
  std::size_t open_ = 0;
  std::uint64_t done_ = 0;
  std::vector<std::span<std::byte>> window_of_;  // by member; empty: none
  bool broken_ = false, refuses_windows_ = false;
  int aborted_ = 0, windows_ = 0;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_TESTS_COMM_FAKE_NCCL_H_
