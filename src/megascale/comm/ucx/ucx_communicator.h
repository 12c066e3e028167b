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

// One rank's end of a group of ranks that are processes. Internal to comm/ucx.
//
// Problem  The contract of Communicator: no transfer is done before every member has started it,
//          receive memory is written only after its owner's start(), sums add in member order.
//
// Idea     start() sends "started" to every member, with the place of the bytes that this member
//          exposes. Only the owner of a buffer writes it. Bytes then move in one of three ways:
//          - Same host: the reader copies, or adds, from the peer's shared memory, and then sends
//            "released".
//          - Between hosts: the owner of the bytes sends them in pieces. It sends the first window
//            of pieces (kWindow) as soon as both have started, so most transfers need no request.
//            The reader asks for further pieces with "get". Then the owner waits for "released",
//            since it must answer. It does not wait if one window was enough: pieces are copies.
//          - Small parts travel with "started" itself: one message per pair, and no "released".
//          A transfer is done for this member when it has all its bytes and has got every
//          "released" that it waits for.
//
// Sums     A sum takes one piece of every member at a time and adds in member order. An all_reduce
//          has two passes: each member sums its own block and sends "summed"; then it fetches the
//          summed blocks of the others and always sends "released".
//
// Bounds   A member is at most one transfer ahead of another. So two places per member hold all
//          "started" messages: that of the current transfer and that of the next. At most one
//          window of pieces per member is on its way.
namespace megascale::comm {

class UcxCommunicator final : public Communicator, private Port::Group {
 public:
  // `id` identifies the group in messages between ranks; `name` is for errors. Throws the errors of
  // UcxWorker::make_group.
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
  static constexpr std::uint64_t kSmall = 7936;  // bytes of the largest part that "started" carries
  static constexpr std::uint64_t kPiece = Port::kLargeNbytes;
  static constexpr std::uint64_t kWindow = 8;  // pieces of a member that may be on their way
  // Bytes that one poll() copies or adds at most, so that other lanes are not held up.
  static constexpr std::uint64_t kBudget = 1U << 20U;
  // After a failure, the longest wait until the other members know of it. If this rank ended before
  // they know, they would report it as lost.
  static constexpr std::chrono::milliseconds kPatience{250};

  struct Arrival {
    Message message;
    std::vector<std::byte> payload;
  };
  struct Member {
    Peer* peer = nullptr;  // null: this rank
    bool knows_of_abort = false;
    // By message type: the number of transfers for which this member has sent it.
    std::uint64_t started = 0, summed = 0, released = 0;
    // Its "started" of transfers with even and odd numbers.
    std::array<Arrival, 2> arrivals;
    // For the current transfer:
    const std::byte* exposed = nullptr;  // its exposed memory, mapped here; null: it sends pieces
    bool matched = false;                // its "started" fits this member's transfer
    bool fetched = false;                // all its bytes are here
    std::uint64_t asked = 0, received = 0;  // bytes of its part asked for, and here
    std::array<bool, kWindow> piece_is_here{};
    std::vector<std::byte> pieces;  // for sums: its pieces, piece i at place i modulo kWindow
  };
  void receive(const Message& message, std::span<const std::byte> payload) noexcept override;
  void receive_damaged(const Message& message) noexcept override;
  void receive_data(Member& member, const Message& message, std::span<const std::byte> payload);
  void answer(const Member& member, const Message& message) noexcept;
  // True if this member must send pieces to the other, or gets pieces from it, because the reader
  // cannot read the owner's memory. Both members of a pair come to the same answer.
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
  // The current transfer, or the next one if none is active.
  std::uint64_t sequence_ = 0;
  // small_: the parts travel with "started".
  bool active_ = false, small_ = false, all_started_ = false, sum_is_done_ = false;
  bool is_in_memory_ = false;  // the exposed bytes of this member lie in its UcxOptions::memory
  BlockTable blocks_;          // for an all_to_all_v
  TransferParts parts_;
  std::uint64_t added_ = 0;  // bytes of this member's block that are summed
  std::vector<const std::byte*> sources_;
  std::optional<Error> error_;
  std::chrono::steady_clock::time_point failed_at_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_UCX_COMMUNICATOR_H_
