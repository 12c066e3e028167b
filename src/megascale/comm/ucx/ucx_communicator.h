#ifndef MEGASCALE_COMM_UCX_UCX_COMMUNICATOR_H_
#define MEGASCALE_COMM_UCX_UCX_COMMUNICATOR_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "megascale/comm/transfer_parts.h"
#include "megascale/comm/ucx/port.h"

// A group of ranks that are processes. Internal to comm/ucx.
//
// Problem  The contract of Communicator: no transfer is done before every member has started it,
//          receive memory is written only after its owner's start(), sums add in member order.
// Idea     start() tells every member "started", with where the bytes that this member exposes
//          lie. On the same host whoever needs bytes reads the peer's memory where it lies (one
//          copy, or none where it adds) and says "released". Between hosts the peer sends pieces:
//          the first window of them as soon as both have started, so that most transfers cost one
//          way of the network, the others when asked; then nobody waits for the reader, unless the
//          window was not all. A transfer is over when this member has all its bytes and every
//          reader that it waits for has released it. So only the owner writes its memory, and a sum
//          takes one piece of every member at a time, in member order. An all_reduce is two such
//          passes: each member sums its block, says "summed", and fetches the blocks of the others.
//          Small parts travel with "started" itself: one message per pair, and no release.
// Bounds   A member is at most one transfer ahead of another, so two places per member hold all
//          messages that can come early; pieces on their way are at most a window.
namespace megascale::comm {

class UcxCommunicator final : public Communicator, private Port::Group {
 public:
  // `id` is the group's on the wire, `name` the one for messages.
  UcxCommunicator(std::shared_ptr<Port> port, const std::vector<EndpointRecord>& members,
                  std::uint32_t my_index, std::uint64_t id, std::string name);
  ~UcxCommunicator() override;
  [[nodiscard]] std::uint32_t size() const noexcept override {
    return static_cast<std::uint32_t>(members_.size());
  }
  [[nodiscard]] std::uint32_t my_index() const noexcept override { return my_index_; }
  void start(const Transfer& transfer) noexcept override;
  Progress poll() noexcept override;
  void abort(const Error& error) noexcept override;
  [[nodiscard]] Error error() const override;
  [[nodiscard]] Awaited awaited() const override;

 private:
  static constexpr std::uint64_t kSmall = 7936;  // part of a member that "started" carries
  static constexpr std::uint64_t kPiece = Port::kLargeNbytes;
  static constexpr std::uint64_t kWindow = 8;          // pieces asked for and not yet there
  static constexpr std::uint64_t kBudget = 1U << 20U;  // bytes that one poll() may touch
  // After a failure: how long to wait until the others have taken the news. A rank that ends before
  // would be taken for the one that was lost.
  static constexpr std::chrono::milliseconds kPatience{250};

  struct Arrival {
    Message message;
    std::vector<std::byte> payload;
  };
  struct Member {
    Peer* peer = nullptr;  // null: this rank
    bool knows_of_abort = false;
    std::uint64_t started = 0, summed = 0, released = 0;  // transfers so far
    std::array<Arrival, 2> arrivals;                      // of "started", by parity
    // Of the transfer under way:
    const std::byte* exposed = nullptr;  // its memory, readable here; null: ask for it
    bool matched = false;                // what it started fits what this member started
    bool fetched = false;
    std::uint64_t asked = 0, received = 0;  // bytes of its part
    std::array<bool, kWindow> piece_is_here{};
    std::vector<std::byte> pieces;  // of sums, by piece modulo kWindow
  };
  void receive(const Message& message, std::span<const std::byte> payload) noexcept override;
  void receive_data(Member& member, const Message& message, std::span<const std::byte> payload);
  void answer(const Member& member, const Message& message) noexcept;
  // Bytes between processes that cannot read each other's memory.
  [[nodiscard]] bool sends_pieces_to(std::uint32_t member) const noexcept;
  [[nodiscard]] bool gets_pieces_from(std::uint32_t member) const noexcept;
  void send_first_window(std::uint32_t member) noexcept;
  void send_piece(std::uint32_t member, std::uint64_t offset, std::uint64_t nbytes) noexcept;
  [[nodiscard]] bool is_one_window() const noexcept;
  void release(std::uint32_t member) noexcept;
  [[nodiscard]] bool waits_for_release_of(std::uint32_t member) const noexcept;

  void advance() noexcept;
  bool match(std::uint32_t member) noexcept;
  [[nodiscard]] std::optional<Error> compare_rows(std::uint32_t member) const;
  [[nodiscard]] bool owes(std::uint32_t member) const noexcept;
  void take_small() noexcept;
  void add_pieces(std::uint64_t& budget) noexcept;
  void fetch(std::uint32_t member, std::uint64_t& budget) noexcept;
  void ask(Member& member, const TransferParts::Part& part, std::uint64_t up_to) noexcept;
  [[nodiscard]] bool may_be_relied_on(const Member& member) const noexcept;
  [[nodiscard]] bool over() const noexcept;
  void tell(std::uint32_t member, MessageType type, const Message& more = {},
            std::span<const std::byte> payload = {}) noexcept;
  void fail(const Error& error) noexcept;
  void fail_for_loss() noexcept;
  [[nodiscard]] bool others_were_told() noexcept;

  std::shared_ptr<Port> port_;
  std::vector<Member> members_;
  std::uint32_t my_index_;
  std::uint64_t id_;
  std::string name_;
  std::uint16_t mark_ = 0;
  // The transfer under way, or the next.
  std::uint64_t sequence_ = 0;
  bool active_ = false, small_ = false, all_started_ = false, sum_is_done_ = false;
  bool is_in_memory_ = false;  // what this member exposes lies in its SharedMemory
  BlockTable blocks_;          // of an all_to_all_v
  TransferParts parts_;
  std::uint64_t added_ = 0;  // bytes of the sum
  std::vector<const std::byte*> sources_;
  std::optional<Error> error_;
  std::chrono::steady_clock::time_point failed_at_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_UCX_COMMUNICATOR_H_
