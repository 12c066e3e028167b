#ifndef MEGASCALE_COMM_UCX_PORT_H_
#define MEGASCALE_COMM_UCX_PORT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/base/wakeup.h"
#include "megascale/comm/communicator.h"
#include "megascale/comm/ucx/endpoint_record.h"
#include "megascale/comm/ucx/shared_memory.h"
#include "megascale/comm/ucx/ucx_worker.h"

struct ucp_context;
struct ucp_worker;
struct ucp_ep;

// Messages between ranks, and the peers they come from: all that touches UCX. Internal to comm/ucx.
namespace megascale::comm {

enum class MessageType : std::uint8_t {
  started,   // the sender has started transfer `sequence`; payload: its part for the receiver, if
             // small
  summed,    // the sender's block of an all_reduce is the sum
  released,  // the sender has read all it needs of the receiver's memory
  get,       // asks for [offset, offset + nbytes) of what the receiver exposes in this transfer
  data,      // those bytes of what the sender exposes; the first ones unasked
  abort,     // payload: the error's message; `code`
  abort_taken,  // the answer
};

// What is sent before the payload, as it lies in memory: ranks of a job run one binary.
struct Message {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  std::uint64_t token = 0;
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;  // the transfer's number in the group
  std::uint64_t offset =
      0;  // started: of the bytes exposed to the receiver in the sender's SharedMemory, or kNowhere
  std::uint64_t nbytes = 0;       // started: of what the sender exposes to the receiver
  std::uint64_t part_nbytes = 0;  // started: of one member's part; all members must agree
  // started, all_to_all_v: rows that the sender has for the receiver, and expects from it
  std::uint64_t rows = 0, expected_rows = 0;
  std::uint32_t member = 0;    // the sender, in the group
  std::uint32_t argument = 0;  // started: root, offset or row size; all members must agree
  std::uint16_t mark = 0;      // started: the sender's ValidMarks entry
  MessageType type = MessageType::started;
  std::uint16_t rule_code = 0;  // TransferRule::code()
  DType dtype = DType::float32;
  ErrorCode code = ErrorCode::failed;
  bool maps = false;  // started: the sender can read the receiver's SharedMemory where it lies
};

// Another rank. One per rank and port, shared by groups.
struct Peer {
  EndpointRecord record;
  std::unique_ptr<SharedMemory> memory;  // null: it cannot be read directly
  ucp_ep* endpoint = nullptr;
  int process = -1;  // a pidfd, of a peer on this host
  bool lost = false;
  std::string loss;               // why
  std::uint64_t loss_number = 0;  // of all losses of the port, in the order in which they were seen
  std::size_t sending = 0;  // messages that UCX has not taken yet: the peer is slow, or stopped
};

// Everything below is called with mutex() held.
class Port {
 public:
  // Receives the messages of one group.
  class Group {
   public:
    virtual ~Group() = default;
    virtual void receive(const Message& message, std::span<const std::byte> payload) noexcept = 0;
  };
  // The large one fits a segment of UCX's TCP transport (64 KiB) together with the headers: what
  // does not is sent as two messages and put together in a copy more.
  static constexpr std::size_t kSmallNbytes = std::size_t{8} * 1024,
                               kLargeNbytes = std::size_t{60} * 1024;

  Port(Wakeup& wakeup, const UcxOptions& options);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port();

  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }
  [[nodiscard]] Wakeup& wakeup() noexcept { return *wakeup_; }
  [[nodiscard]] const std::vector<std::byte>& address() const noexcept { return address_; }
  [[nodiscard]] SharedMemory& memory() noexcept { return memory_; }
  [[nodiscard]] const UcxOptions& options() const noexcept { return options_; }

  // The peer with this record, connected or lost. Throws Error (io).
  Peer& connect(const EndpointRecord& record);
  // Messages to `id` go to the group from now on, those that came before it first.
  void add(std::uint64_t id, Group& group);
  void remove(std::uint64_t id) noexcept;
  // An entry of ValidMarks that says: this group's memory may be relied on.
  [[nodiscard]] std::uint16_t take_mark(std::uint64_t id);
  void invalidate(std::uint16_t mark) noexcept { memory_.marks().group[mark].store(0); }
  void give_mark_back(std::uint16_t mark);

  // Copies both; at most kLargeNbytes of payload. To a lost peer: nothing.
  void send(Peer& peer, const Message& message, std::span<const std::byte> payload = {}) noexcept;
  // False: nothing has happened.
  bool progress() noexcept;
  // The progress thread has work, or may have: it does not sleep now.
  void keep_awake() noexcept { awake_ = true; }
  // Whether it had: whoever asks looks at all its transfers next.
  [[nodiscard]] bool stop_keeping_awake() noexcept { return std::exchange(awake_, false); }
  [[nodiscard]] int arm() noexcept;
  [[nodiscard]] int descriptor() const noexcept { return events_; }
  // UCX has not taken all messages to peers that live.
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
  void post(SendBuffer& buffer) noexcept;
  SendBuffer& take_buffer(std::size_t payload_nbytes);
  void sent(SendBuffer& buffer) noexcept;

  std::mutex mutex_;
  Wakeup* wakeup_;
  UcxOptions options_;
  SharedMemory memory_;
  ucp_context* context_ = nullptr;
  ucp_worker* worker_ = nullptr;
  int events_ = -1;     // epoll: UCX and processes_
  int processes_ = -1;  // epoll: the pidfds of peers
  std::vector<std::byte> address_;
  std::map<std::string, std::unique_ptr<Peer>> peers_;  // by digest of the record
  std::map<std::uint64_t, Group*> groups_;
  std::vector<std::unique_ptr<std::pair<Port*, Peer*>>> suspect_arguments_;  // of UCX's callbacks
  std::map<std::uint64_t, std::vector<Early>> early_;  // for groups that are not made here yet
  std::size_t early_count_ = 0;
  std::set<std::uint64_t> removed_;
  std::vector<std::uint16_t> free_marks_;
  std::vector<std::unique_ptr<SendBuffer>> buffers_;
  std::vector<SendBuffer*> free_small_, free_large_;
  // What callbacks of UCX send: posted when UCX has returned. UCX 1.13 stops the process where a
  // send from a callback finds a connection broken whose own event is next in line.
  std::vector<SendBuffer*> outbox_;
  bool inside_ucx_ = false;
  std::vector<Peer*> suspects_;  // their connections broke; lost once what they sent is dealt with
  std::uint64_t losses_ = 0;
  std::uint32_t idle_looks_ = 0;
  bool awake_ = false;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_PORT_H_
