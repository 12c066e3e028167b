// Sends and receives the messages of a rank as active messages of UCX, and finds lost peers. UCX
// reports a broken network connection. It does not report one over shared memory, so processes of
// this host are watched with pidfds. An epoll set combines both for a sleeping progress thread.
#include "megascale/comm/ucx/port.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <ucp/api/ucp.h>
#include <ucs/config/global_opts.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <system_error>

#include "megascale/base/digest.h"
#include "megascale/base/environment.h"

namespace megascale::comm {
namespace {

constexpr unsigned kMessageId = 0;  // the id of our active messages in UCX; there is only one kind

// The largest number of messages that are kept for groups that this rank has not made yet. Without
// it, a process that knows the token could fill the memory with such messages.
constexpr std::size_t kEarlyMax = 65536;

// While the progress thread polls, it checks for ended processes once in so many polls in which UCX
// has moved nothing.
constexpr std::uint32_t kLooksPerProcessCheck = 4096;

// A process that is killed first closes its files, then counts as ended. The longest wait from the
// first to the second, in milliseconds.
constexpr int kEndMs = 200;

// A damaged message counts as one of this job if so few bits of its token differ. Of all numbers,
// one in three billion does: a stranger does not hit one of them by chance.
constexpr int kFlippedBitsMax = 8;

// Returns the digest of a message. The header is that in the send or receive buffer, with the bytes
// between its members.
std::uint64_t digest_of(std::span<const std::byte, sizeof(Message)> header,
                        std::span<const std::byte> payload) noexcept {
  return digest64(header) + 3 * digest64(payload);
}

[[noreturn]] void refuse(ErrorCode code, std::string_view what, ucs_status_t status) {
  throw Error(code, fmt::format("UCX cannot {}: {}", what, ucs_status_string(status)));
}

}  // namespace

struct Port::SendBuffer {
  Port* port;
  Peer* peer = nullptr;
  MessageWithDigest header;
  std::vector<std::byte> payload;
  std::size_t payload_nbytes = 0;
};

struct Port::Callbacks {
  static ucs_status_t received(void* port, const void* header, std::size_t header_nbytes,
                               void* data, std::size_t nbytes,
                               const ucp_am_recv_param_t* parameters) {
    auto* own = static_cast<Port*>(port);
    const bool whole = (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0;
    if (header_nbytes != own->header_nbytes() || !whole) return UCS_OK;
    MessageWithDigest received;
    std::memcpy(&received, header, header_nbytes);
    const std::span payload(static_cast<const std::byte*>(data), nbytes);
    const std::span<const std::byte, sizeof(Message)> message(static_cast<const std::byte*>(header),
                                                              sizeof(Message));
    if (own->options_.checksums && received.digest != digest_of(message, payload)) {
      own->receive_damaged(received.message);
    } else {
      own->receive(received.message, payload);
    }
    return UCS_OK;
  }
  static void sent(void* request, ucs_status_t, void* buffer) {
    auto* done = static_cast<SendBuffer*>(buffer);
    done->port->sent(*done);
    ucp_request_free(request);
  }
  static void broken(void* argument, ucp_ep_h, ucs_status_t status) {
    auto* suspect = static_cast<std::pair<Port*, Peer*>*>(argument);
    suspect->second->loss = fmt::format("its connection broke ({})", ucs_status_string(status));
    suspect->first->suspects_.push_back(suspect->second);
  }
};

Port::Port(Wakeup& wakeup, const UcxOptions& options) : wakeup_(&wakeup), options_(options) {
  for (std::size_t i = ValidMarks::kCount; i-- > 0;)
    free_marks_.push_back(static_cast<std::uint16_t>(i));
  try {
    open_ucx();
    open_descriptors();
  } catch (...) {
    close();
    throw;
  }
}

Port::~Port() {
  flush();
  close();
}

// Waits at most a second until all messages are sent: the last one, perhaps an abort, should still
// reach live peers. For UCX a message counts as sent when it is copied, and the copy is lost when
// the worker is destroyed. So the worker is flushed too.
void Port::flush() noexcept {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (sending() && std::chrono::steady_clock::now() < deadline) progress();
  // A peer that takes no messages lets no flush end either. The worker's end would leak the endpoint
  // of a flush that has not ended.
  if (sending()) return;
  const ucp_request_param_t parameters{};
  const ucs_status_ptr_t request = ucp_worker_flush_nbx(worker_, &parameters);
  if (request == nullptr || UCS_PTR_IS_ERR(request)) return;
  while (ucp_request_check_status(request) == UCS_INPROGRESS &&
         std::chrono::steady_clock::now() < deadline) {
    progress();
  }
  ucp_request_free(request);
}

void Port::open_ucx() {
  // UCX would print its own lines about lost peers on stdout. Transfers report lost peers anyway.
  if (environment_variable("UCX_LOG_LEVEL") == nullptr)
    ucs_global_opts_set_value("LOG_LEVEL", "fatal");
  ucp_config_t* config = nullptr;
  if (const ucs_status_t status = ucp_config_read(nullptr, nullptr, &config); status != UCS_OK)
    refuse(ErrorCode::failed, "read its configuration", status);
  ucs_status_t status = ucp_config_modify(config, "TLS", options_.transports.c_str());
  if (status == UCS_OK) status = ucp_config_modify(config, "NET_DEVICES", options_.devices.c_str());
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
  parameters.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  if (status == UCS_OK) status = ucp_init(&parameters, config, &context_);
  ucp_config_release(config);
  const std::string with =
      fmt::format("with transports '{}' and devices '{}' (ucx_info -d lists them)",
                  options_.transports, options_.devices);
  if (status != UCS_OK) refuse(ErrorCode::bad_usage, "start " + with, status);

  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // mutex_
  const std::vector<int> listeners_before = listening_sockets();
  status = ucp_worker_create(context_, &worker, &worker_);
  if (status != UCS_OK) refuse(ErrorCode::bad_usage, "open its transports " + with, status);
  std::ranges::set_difference(listening_sockets(), listeners_before,
                              std::back_inserter(listeners_));

  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kMessageId;
  handler.cb = Callbacks::received;
  handler.arg = this;
  status = ucp_worker_set_am_recv_handler(worker_, &handler);
  if (status != UCS_OK) refuse(ErrorCode::failed, "take messages", status);

  ucp_address_t* address = nullptr;
  std::size_t nbytes = 0;
  status = ucp_worker_get_address(worker_, &address, &nbytes);
  if (status != UCS_OK) refuse(ErrorCode::failed, "return its address", status);
  EndpointRecord record = EndpointRecord::of_this_process();
  record.rank = options_.rank;
  record.shared_memory = options_.shared_memory;
  record.marks_fd = marks_.descriptor();
  record.memory_fd = options_.memory ? options_.memory->descriptor() : -1;
  record.memory_nbytes = memory().size();
  const auto* bytes = reinterpret_cast<const std::byte*>(address);
  record.ucx.assign(bytes, bytes + nbytes);
  ucp_worker_release_address(worker_, address);
  address_ = record.encode();
}

void Port::open_descriptors() {
  int ucx_events = -1;
  if (const ucs_status_t status = ucp_worker_get_efd(worker_, &ucx_events); status != UCS_OK)
    refuse(ErrorCode::failed, "sleep on its events", status);
  events_ = ::epoll_create1(EPOLL_CLOEXEC);
  processes_ = ::epoll_create1(EPOLL_CLOEXEC);
  ::epoll_event on_ucx{.events = EPOLLIN, .data = {}}, on_processes{.events = EPOLLIN, .data = {}};
  if (events_ < 0 || processes_ < 0 ||
      ::epoll_ctl(events_, EPOLL_CTL_ADD, ucx_events, &on_ucx) != 0 ||
      ::epoll_ctl(events_, EPOLL_CTL_ADD, processes_, &on_processes) != 0) {
    throw Error(ErrorCode::io, fmt::format("cannot wait for messages of other ranks: {}",
                                           std::generic_category().message(errno)));
  }
}

void Port::close() noexcept {
  for (const auto& [record, peer] : peers_) {
    if (peer->process >= 0) ::close(peer->process);
  }
  if (events_ >= 0) ::close(events_);
  if (processes_ >= 0) ::close(processes_);
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

void Port::accept_only(std::span<const IpAddress> allowed) const {
  if (!listeners_.empty()) (void)comm::accept_only(listeners_, allowed);
}

// ---- Peers ----

Peer& Port::connect(const EndpointRecord& record) {
  std::string key = digest128(record.encode());
  if (const auto known = peers_.find(key); known != peers_.end()) return *known->second;
  auto owned = std::make_unique<Peer>();
  owned->record = record;
  const bool same_host = EndpointRecord::decode(address_).same_host(record);
  if (same_host) {
    watch_process(*owned);
    if (!owned->lost && record.memory_nbytes > 0) try {
        owned->memory = std::make_unique<PeerMemory>(record);
      } catch (const Error&) {
        // The kernel does not allow this process to read the memory (another user): messages carry
        // the bytes instead.
      }
  }
  if (!owned->lost) open_endpoint(*owned, same_host);
  return *peers_.emplace(std::move(key), std::move(owned)).first->second;
}

void Port::open_endpoint(Peer& peer, bool same_host) {
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address = reinterpret_cast<const ucp_address_t*>(peer.record.ucx.data());
  // UCX uses shared memory only if it need not report broken connections. On the same host the
  // pidfd reports the end of the peer.
  parameters.err_mode = same_host ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  suspect_arguments_.push_back(std::make_unique<std::pair<Port*, Peer*>>(this, &peer));
  parameters.err_handler = {.cb = Callbacks::broken, .arg = suspect_arguments_.back().get()};
  const ucs_status_t status = ucp_ep_create(worker_, &parameters, &peer.endpoint);
  if (status == UCS_OK) return;
  // The peer's process may be about to end: wait a moment, so that the error names this reason.
  ::pollfd end{.fd = peer.process, .events = POLLIN, .revents = 0};
  if (same_host && ::poll(&end, 1, kEndMs) > 0) return lose(peer, "its process has ended");
  // Either the two have no transport in common, or the peer is gone. Transfers that need it report
  // this.
  peer.endpoint = nullptr;
  lose(peer, fmt::format("it cannot be reached with transports '{}' and devices '{}' ({})",
                         options_.transports, options_.devices, ucs_status_string(status)));
}

void Port::watch_process(Peer& peer) {
  const auto ended = [&] { lose(peer, "its process has ended"); };
  peer.process = static_cast<int>(::syscall(SYS_pidfd_open, peer.record.pid, 0U));
  if (peer.process < 0 && errno == ESRCH) return ended();
  ::epoll_event event{.events = EPOLLIN, .data = {.ptr = &peer}};
  if (peer.process < 0 || ::epoll_ctl(processes_, EPOLL_CTL_ADD, peer.process, &event) != 0) {
    throw Error(ErrorCode::io,
                fmt::format("cannot watch the process of {}: {}", peer.record.describe(),
                            std::generic_category().message(errno)));
  }
  // The pid may belong to another process by now.
  if (process_start_ticks(peer.record.pid) != peer.record.start_ticks) ended();
}

void Port::look_at_processes() noexcept {
  std::array<::epoll_event, 16> events{};
  const int count = ::epoll_wait(processes_, events.data(), events.size(), 0);
  for (int i = 0; i < count; ++i) {
    auto* peer = static_cast<Peer*>(events[static_cast<std::size_t>(i)].data.ptr);
    ::epoll_ctl(processes_, EPOLL_CTL_DEL, peer->process, nullptr);
    peer->loss = "its process has ended";
    suspects_.push_back(peer);
    awake_ = true;
  }
}

void Port::lose(Peer& peer, std::string why) noexcept {
  if (peer.lost) return;
  peer.lost = true;
  peer.loss_number = losses_++;
  peer.loss = std::move(why);
  awake_ = true;
  wakeup_->notify();
}

// ---- Groups ----

void Port::add(std::uint64_t id, Group& group) {
  groups_[id] = &group;
  if (damaged_) return group.receive_damaged(*damaged_);
  const auto early = early_.extract(id);
  if (early.empty()) return;
  early_count_ -= early.mapped().size();
  for (const Early& one : early.mapped()) group.receive(one.message, one.payload);
}

void Port::remove(std::uint64_t id) noexcept {
  groups_.erase(id);
  removed_.insert(id);
}

std::uint16_t Port::take_mark(std::uint64_t id) {
  if (free_marks_.empty()) {
    throw Error(ErrorCode::unsupported, fmt::format("rank {} is in more than {} groups at a time",
                                                    options_.rank, ValidMarks::kCount));
  }
  const std::uint16_t mark = free_marks_.back();
  free_marks_.pop_back();
  marks_[mark].store(id);
  return mark;
}

void Port::give_mark_back(std::uint16_t mark) {
  invalidate(mark);
  free_marks_.push_back(mark);
}

// ---- Messages ----

Port::SendBuffer& Port::take_buffer(std::size_t payload_nbytes) {
  const bool small = payload_nbytes <= kSmallNbytes;
  auto& free = small ? free_small_ : free_large_;
  if (free.empty()) {
    buffers_.push_back(std::make_unique<SendBuffer>());
    buffers_.back()->port = this;
    buffers_.back()->payload.resize(small ? kSmallNbytes : kLargeNbytes);
    return *buffers_.back();
  }
  SendBuffer& buffer = *free.back();
  free.pop_back();
  return buffer;
}

void Port::sent(SendBuffer& buffer) noexcept {
  --buffer.peer->sending;
  (buffer.payload.size() <= kSmallNbytes ? free_small_ : free_large_).push_back(&buffer);
}

void Port::send(Peer& peer, const Message& message, std::span<const std::byte> payload) noexcept {
  if (peer.lost) return;
  SendBuffer& buffer = take_buffer(payload.size());
  buffer.peer = &peer;
  buffer.header.message = message;
  buffer.payload_nbytes = payload.size();
  std::copy(payload.begin(), payload.end(), buffer.payload.begin());
  if (options_.checksums) {
    // The payload is digested where the sender has it, so that its copy is covered too.
    const auto header = std::as_bytes(std::span(&buffer.header.message, 1));
    buffer.header.digest = digest_of(header.first<sizeof(Message)>(), payload);
  }
  ++peer.sending;
  if (inside_ucx_) {
    outbox_.push_back(&buffer);
  } else {
    post(buffer);
  }
}

void Port::post(SendBuffer& buffer) noexcept {
  if (buffer.peer->lost) return sent(buffer);
  ucp_request_param_t parameters{};
  parameters.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  parameters.cb.send = Callbacks::sent;
  parameters.user_data = &buffer;
  const ucs_status_ptr_t request =
      ucp_am_send_nbx(buffer.peer->endpoint, kMessageId, &buffer.header, header_nbytes(),
                      buffer.payload.data(), buffer.payload_nbytes, &parameters);
  if (request != nullptr && !UCS_PTR_IS_ERR(request)) return;  // sent() comes later
  if (UCS_PTR_IS_ERR(request)) {
    buffer.peer->loss =
        fmt::format("nothing can be sent to it ({})", ucs_status_string(UCS_PTR_STATUS(request)));
    suspects_.push_back(buffer.peer);
    awake_ = true;
  }
  sent(buffer);
}

void Port::receive(const Message& message, std::span<const std::byte> payload) noexcept {
  awake_ = true;
  if (message.token != options_.token) return;
  if (const auto group = groups_.find(message.group); group != groups_.end())
    return group->second->receive(message, payload);
  if (removed_.contains(message.group) || early_count_ >= kEarlyMax ||
      payload.size() > kSmallNbytes)
    return;
  ++early_count_;
  early_[message.group].push_back({message, {payload.begin(), payload.end()}});
}

// If this rank has no group with the id, the id may be what was changed, so every group fails.
void Port::receive_damaged(const Message& message) noexcept {
  awake_ = true;
  if (std::popcount(message.token ^ options_.token) > kFlippedBitsMax) return;
  if (groups_.empty()) damaged_ = message;
  if (const auto group = groups_.find(message.group); group != groups_.end())
    return group->second->receive_damaged(message);
  for (const auto& [id, group] : groups_) group->receive_damaged(message);
}

bool Port::progress() noexcept {
  inside_ucx_ = true;
  const bool moved = ucp_worker_progress(worker_) != 0;
  inside_ucx_ = false;
  // inside_ucx_ is false now, so send() posts at once and outbox_ does not grow during the loop.
  for (std::size_t i = 0; i < outbox_.size(); ++i) post(*outbox_[i]);
  outbox_.clear();
  if (moved) {
    idle_looks_ = 0;
    return true;
  }
  // Suspects count as lost only now, when all messages that they sent are handled: a peer may do
  // its part of a transfer and then end.
  if (!suspects_.empty()) {
    for (Peer* peer : std::exchange(suspects_, {})) lose(*peer, peer->loss);
    return true;
  }
  if (++idle_looks_ % kLooksPerProcessCheck == 0) look_at_processes();
  return false;
}

int Port::arm() noexcept {
  look_at_processes();
  if (stop_keeping_awake() || ucp_worker_arm(worker_) != UCS_OK) return 0;
  // UCX does not signal when a peer makes room in its queue in shared memory, so poll every
  // millisecond while messages wait for it.
  return sending() ? 1 : EventSource::kForEver;
}

bool Port::sending() const noexcept {
  return std::any_of(peers_.begin(), peers_.end(), [](const auto& peer) {
    return !peer.second->lost && peer.second->sending > 0;
  });
}

}  // namespace megascale::comm
