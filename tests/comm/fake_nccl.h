#ifndef MEGASCALE_TESTS_COMM_FAKE_NCCL_H_
#define MEGASCALE_TESTS_COMM_FAKE_NCCL_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "megascale/comm/nccl/nccl_channel.h"
#include "megascale/comm/sum.h"

namespace megascale::comm {

// What NCCL does with calls, on memory of this process: a call is carried out when all members have
// made theirs, and handed over then. Sums add in member order.
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
  [[nodiscard]] int aborted() {
    const std::lock_guard lock(mutex_);
    return aborted_;
  }

 private:
  enum class Kind { all_gather, reduce_scatter, all_reduce, broadcast, exchange, meet };
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
    void meet() override { make({.kind = Kind::meet}); }
    State state() noexcept override {
      const std::lock_guard lock(group_->mutex_);
      if (group_->broken_) return State::failed;
      const bool formed = group_->open_ == group_->calls_.size();
      return formed && group_->done_ == made_ ? State::ready : State::in_progress;
    }
    [[nodiscard]] Error error() const override { return {ErrorCode::failed, "NCCL: unhandled"}; }
    void abort() noexcept override {
      const std::lock_guard lock(group_->mutex_);
      ++group_->aborted_;
    }

   private:
    void make(Call call) {
      const std::lock_guard lock(group_->mutex_);
      MEGASCALE_CHECK(group_->done_ == made_, "a call while another is in progress");
      ++made_;
      group_->calls_[member_] = std::make_unique<Call>(std::move(call));
      group_->carry_out();
    }
    std::shared_ptr<FakeNccl> group_;
    std::uint32_t member_;
    std::uint64_t made_ = 0;
  };

  // Under the lock.
  void carry_out() {
    for (const auto& call : calls_) {
      if (call == nullptr) return;
    }
    std::vector<Bytes> results;  // first all, as outputs may lie in inputs
    for (std::uint32_t m = 0; m < calls_.size(); ++m) results.push_back(result_of(m));
    for (std::uint32_t m = 0; m < calls_.size(); ++m) put(*calls_[m], results[m]);
    for (auto& call : calls_) call.reset();
    ++done_;
  }

  [[nodiscard]] Bytes result_of(std::uint32_t m) const {
    const Call& mine = *calls_[m];
    Bytes result;
    const auto append = [&](std::span<const std::byte> bytes) {
      result.insert(result.end(), bytes.begin(), bytes.end());
    };
    switch (mine.kind) {
      case Kind::all_gather:
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
    MEGASCALE_CHECK(false, "a receive that nobody sends for: a device would hang");
    return {};
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

  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> calls_;
  std::size_t open_ = 0;
  std::uint64_t done_ = 0;
  bool broken_ = false;
  int aborted_ = 0;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_TESTS_COMM_FAKE_NCCL_H_
