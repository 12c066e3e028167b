#ifndef MEGASCALE_COMM_UCX_PORT_H_
#define MEGASCALE_COMM_UCX_PORT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/base/wakeup.h"
#include "megascale/comm/communicator.h"
#include "megascale/comm/ucx/endpoint_record.h"
#include "megascale/comm/ucx/firewall.h"
#include "megascale/comm/ucx/shared_memory.h"
#include "megascale/comm/ucx/ucx_worker.h"

struct ucp_context;
struct ucp_worker;
struct ucp_ep;

// The port of a rank: connections to peers and messages between ranks. All calls of UCX are in this
// class and its source file. Internal to comm/ucx.
namespace megascale::comm {

// Windows and pieces are explained in ucx_communicator.h.
enum class MessageType : std::uint8_t {
  started,      // the sender has started transfer `sequence`; payload: its part, if that is small
  summed,       // the sender has summed its block of an all_reduce
  released,     // the sender has read all that it needs of the receiver's memory
  get,          // asks for bytes [offset, offset + nbytes) that the receiver exposes
  data,         // these bytes of what the sender exposes; the first window is sent without a `get`
  abort,        // payload: the message of the error; its code is in `code`
  abort_taken,  // the reply to `abort`
};

// The header of every message. It is sent as it lies in memory, since all ranks of a job run one
// binary. Fields marked "started" are set in messages of that type only.
struct Message {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  std::uint64_t token = 0;     // UcxOptions::token; messages with another token are dropped
  std::uint64_t group = 0;     // id of the group
  std::uint64_t sequence = 0;  // the transfer's number in the group
  // get, data: the first byte, counted in the exposed bytes.
  // started: where the bytes exposed to the receiver begin in the sender's memory (UcxOptions::memory),
  // or kNowhere if they do not lie there.
  std::uint64_t offset = 0;
  std::uint64_t nbytes = 0;       // started: number of bytes exposed to the receiver
  std::uint64_t part_nbytes = 0;  // started: TransferParts::part_nbytes(); equal on all members
  // started, all_to_all_v only: rows that the sender sends to the receiver, and expects from it.
  std::uint64_t rows = 0, expected_rows = 0;
  std::uint32_t member = 0;    // the sender's number in the group
  std::uint32_t argument = 0;  // started: TransferParts::argument(); equal on all members
  std::uint16_t mark = 0;      // started: index of the group's entry in the sender's ValidMarks
  MessageType type = MessageType::started;
  std::uint16_t rule_code = 0;  // TransferRule::code()
  DType dtype = DType::float32;
  ErrorCode code = ErrorCode::failed;
  bool maps = false;  // started: the sender can read the receiver's memory directly
};
// The header of every message with UcxOptions::checksums.
struct MessageWithDigest {
  Message message;
  std::uint64_t digest = 0;  // of `message` and of the payload
};
static_assert(sizeof(MessageWithDigest) == sizeof(Message) + sizeof(std::uint64_t));

// Another rank, as this port sees it. There is one per rank, which all groups share.
struct Peer {
  EndpointRecord record;
  std::unique_ptr<PeerMemory> memory;  // null: this process cannot read its memory directly
  ucp_ep* endpoint = nullptr;
  int process = -1;  // a pidfd of its process, if it is on this host
  bool lost = false;
  std::string loss;               // the reason for the loss, for errors
  std::uint64_t loss_number = 0;  // 0 for the first loss that this port saw, 1 for the next, ...
  // Messages that UCX has not sent yet. More than a few mean that the peer is slow or stopped.
  std::size_t sending = 0;
};

// Threads: a caller must hold mutex() for every call, except for address(), memory(), options(),
// wakeup() and descriptor(). The calls of Group are made with mutex() held.
class Port {
 public:
  // Receives the messages of one group.
  class Group {
   public:
    virtual ~Group() = default;
    virtual void receive(const Message& message, std::span<const std::byte> payload) noexcept = 0;
    // Fails the group: the digest of a message, which may have been for another group, is not that
    // of its bytes.
    virtual void receive_damaged(const Message& message) noexcept = 0;
  };
  // Sizes of the two kinds of send buffers. A large payload and its headers fit in one segment of
  // UCX's TCP transport (64 KiB). UCX would split a longer message in two and copy it once more.
  static constexpr std::size_t kSmallNbytes = std::size_t{8} * 1024,
                               kLargeNbytes = std::size_t{60} * 1024;

  // Throws the errors of UcxWorker's constructor.
  Port(Wakeup& wakeup, const UcxOptions& options);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port();

  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }
  [[nodiscard]] Wakeup& wakeup() noexcept { return *wakeup_; }
  [[nodiscard]] const std::vector<std::byte>& address() const noexcept { return address_; }
  // Returns the memory that peers on this host can read directly; empty: none.
  [[nodiscard]] std::span<const std::byte> memory() const noexcept {
    return options_.memory ? options_.memory->bytes() : std::span<std::byte>();
  }
  [[nodiscard]] const UcxOptions& options() const noexcept { return options_; }

  // Returns the peer with this record, which is connected or marked as lost. Throws Error (io) if
  // its process cannot be watched.
  Peer& connect(const EndpointRecord& record);
  // From now on, messages to the group `id` go to `group`. Messages that came earlier are delivered
  // first.
  void add(std::uint64_t id, Group& group);
  void remove(std::uint64_t id) noexcept;
  // Takes a free entry of ValidMarks and sets it to the group's id: the group's memory is valid.
  // Throws Error (unsupported) if no entry is free.
  [[nodiscard]] std::uint16_t take_mark(std::uint64_t id);
  void invalidate(std::uint16_t mark) noexcept { marks_[mark].store(0); }
  void give_mark_back(std::uint16_t mark);

  // From now on, the TCP ports take packets from these addresses only (comm/ucx/firewall.h). Throws
  // Error (io).
  void accept_only(std::span<const IpAddress> allowed) const;
  // Sends a message; header and payload (at most kLargeNbytes) are copied. A message to a lost peer
  // is dropped.
  void send(Peer& peer, const Message& message, std::span<const std::byte> payload = {}) noexcept;
  // Lets UCX send and receive, and marks peers as lost. Returns false if nothing has happened.
  bool progress() noexcept;
  // Keeps the progress thread from sleeping next time, because it has work or may have.
  void keep_awake() noexcept { awake_ = true; }
  // Returns true if keep_awake() was called since the last call. The caller must then poll all its
  // transfers.
  [[nodiscard]] bool stop_keeping_awake() noexcept { return std::exchange(awake_, false); }
  // As in EventSource.
  [[nodiscard]] int arm() noexcept;
  [[nodiscard]] int descriptor() const noexcept { return events_; }
  // Returns true while UCX still has messages to send to peers that are not lost.
  [[nodiscard]] bool sending() const noexcept;

 private:
  struct Callbacks;
  struct SendBuffer;
  struct Early {
    Message message;
    std::vector<std::byte> payload;
  };

  void open_ucx();
  void open_descriptors();
  void open_endpoint(Peer& peer, bool same_host);
  void flush() noexcept;
  void close() noexcept;
  void watch_process(Peer& peer);
  void look_at_processes() noexcept;
  void lose(Peer& peer, std::string why) noexcept;
  void receive(const Message& message, std::span<const std::byte> payload) noexcept;
  void receive_damaged(const Message& message) noexcept;
  [[nodiscard]] std::size_t header_nbytes() const noexcept {
    return options_.checksums ? sizeof(MessageWithDigest) : sizeof(Message);
  }
  void post(SendBuffer& buffer) noexcept;
  SendBuffer& take_buffer(std::size_t payload_nbytes);
  void sent(SendBuffer& buffer) noexcept;

  std::mutex mutex_;
  Wakeup* wakeup_;
  UcxOptions options_;
  OwnMarks marks_;
  ucp_context* context_ = nullptr;
  ucp_worker* worker_ = nullptr;
  std::vector<int> listeners_;  // UCX's listening TCP sockets
  int events_ = -1;             // epoll: UCX and processes_
  int processes_ = -1;          // epoll: the pidfds of peers
  std::vector<std::byte> address_;
  std::map<std::string, std::unique_ptr<Peer>> peers_;  // by digest of the record
  std::map<std::uint64_t, Group*> groups_;
  // Arguments of Callbacks::broken, one for each endpoint.
  std::vector<std::unique_ptr<std::pair<Port*, Peer*>>> suspect_arguments_;
  // Messages for groups that this rank has not made yet, by group.
  std::map<std::uint64_t, std::vector<Early>> early_;
  std::size_t early_count_ = 0;
  std::optional<Message> damaged_;   // came when this rank had no group that it could fail
  std::set<std::uint64_t> removed_;  // groups that have ended here; messages to them are dropped
  std::vector<std::uint16_t> free_marks_;
  std::vector<std::unique_ptr<SendBuffer>> buffers_;
  std::vector<SendBuffer*> free_small_, free_large_;
  // Messages sent from inside callbacks of UCX. They are posted after UCX has returned: UCX 1.13
  // stops the process (an assertion) if a callback sends over a broken connection whose error event
  // is next in line.
  std::vector<SendBuffer*> outbox_;
  bool inside_ucx_ = false;
  // Peers whose connection broke. They count as lost once the messages that they sent are handled.
  std::vector<Peer*> suspects_;
  std::uint64_t losses_ = 0;
  std::uint32_t idle_looks_ = 0;  // calls of progress() since UCX last moved something
  bool awake_ = false;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_PORT_H_
