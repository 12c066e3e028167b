// The protocol that the header describes. poll() lets the port send and receive, then carries the
// current transfer on: it matches what members have started, copies, adds and asks for pieces, and
// sends "released". Each poll() works on a limited number of bytes, so that transfers of other
// lanes on the same progress thread are not held up.
#include "megascale/comm/ucx/ucx_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "megascale/comm/sum.h"

namespace megascale::comm {
namespace {

std::vector<std::uint32_t> ranks_of(const std::vector<EndpointRecord>& members) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve(members.size());
  for (const EndpointRecord& member : members) ranks.push_back(member.rank);
  return ranks;
}

}  // namespace

UcxCommunicator::UcxCommunicator(std::shared_ptr<Port> port,
                                 const std::vector<EndpointRecord>& members, std::uint32_t my_index,
                                 std::uint64_t id, std::string name)
    : port_(std::move(port)),
      members_(members.size()),
      my_index_(my_index),
      id_(id),
      name_(std::move(name)),
      blocks_(ranks_of(members), my_index),
      sources_(members.size()) {
  const std::lock_guard lock(port_->mutex());
  for (std::uint32_t m = 0; m < size(); ++m) {
    if (m == my_index_) continue;
    members_[m].peer = &port_->connect(members[m]);
    for (Arrival& arrival : members_[m].arrivals) arrival.payload.reserve(kSmall);
  }
  mark_ = port_->take_mark(id_);
  port_->add(id_, *this);
}

UcxCommunicator::~UcxCommunicator() {
  const std::lock_guard lock(port_->mutex());
  if (active_) {
    fail(Error(ErrorCode::failed, fmt::format("rank {} left group {} in the middle of transfer {}",
                                              port_->options().rank, name_, sequence_)));
  }
  port_->remove(id_);
  port_->give_mark_back(mark_);
}

// ---- Between processes that cannot read each other's memory ----

bool UcxCommunicator::sends_pieces_to(std::uint32_t member) const noexcept {
  return parts_.is_read_by(member) &&
         !(is_in_memory_ && members_[member].arrivals[sequence_ % 2].message.maps);
}

// Both members of a pair have the other's "started", so they give the same answer.
bool UcxCommunicator::gets_pieces_from(std::uint32_t m) const noexcept {
  const Member& member = members_[m];
  return parts_.reads_from(m) &&
         (member.peer->memory == nullptr ||
          member.arrivals[sequence_ % 2].message.offset == Message::kNowhere);
}

// Returns true if the first window contains the whole part. Then nobody waits for "released".
bool UcxCommunicator::is_one_window() const noexcept {
  return !parts_.rule().sums_everything() && parts_.part_nbytes() <= kWindow * kPiece;
}

void UcxCommunicator::send_first_window(std::uint32_t member) noexcept {
  if (small_ || !sends_pieces_to(member)) return;
  const auto bytes = parts_.first_read_by(member);
  const auto begin = static_cast<std::uint64_t>(bytes.data() - parts_.exposed_to(member).data());
  const std::uint64_t end = std::min(bytes.size(), kWindow * kPiece);
  for (std::uint64_t at = 0; at < end; at += kPiece)
    send_piece(member, begin + at, std::min(kPiece, end - at));
}

void UcxCommunicator::send_piece(std::uint32_t member, std::uint64_t offset,
                                 std::uint64_t nbytes) noexcept {
  tell(member, MessageType::data, {.offset = offset, .nbytes = nbytes},
       parts_.exposed_to(member).subspan(offset, nbytes));
}

void UcxCommunicator::release(std::uint32_t member) noexcept {
  if (!parts_.reads_from(member) || (gets_pieces_from(member) && is_one_window())) return;
  tell(member, MessageType::released);
}

bool UcxCommunicator::waits_for_release_of(std::uint32_t member) const noexcept {
  return parts_.is_read_by(member) && members_[member].released <= sequence_ &&
         !(sends_pieces_to(member) && is_one_window());
}

// ---- Called by the progress thread ----

void UcxCommunicator::start(const Transfer& transfer) noexcept {
  const std::lock_guard lock(port_->mutex());
  parts_ = TransferParts(transfer, my_index_, size(), blocks_);
  active_ = true;
  all_started_ = false;
  if (parts_.rule().counted) {
    if (const auto error = blocks_.read(transfer)) fail(*error);
  }
  small_ = parts_.part_nbytes() <= kSmall;
  sum_is_done_ = !parts_.rule().sum;
  added_ = 0;
  for (Member& member : members_) {
    member.exposed = nullptr;
    member.matched = member.fetched = false;
    member.asked = member.received = 0;
    member.piece_is_here = {};
  }
  members_[my_index_].started = sequence_ + 1;
  if (error_) return;
  members_[my_index_].exposed = parts_.exposed_to(my_index_).data();

  Message message{.part_nbytes = parts_.part_nbytes(),
                  .argument = parts_.argument(),
                  .mark = mark_,
                  .rule_code = parts_.rule().code(),
                  .dtype = parts_.transfer().dtype};
  const auto memory = port_->memory();
  is_in_memory_ =
      !memory.empty() && parts_.exposed().data() >= memory.data() &&
      parts_.exposed().data() + parts_.exposed().size() <= memory.data() + memory.size();
  for (std::uint32_t m = 0; m < size(); ++m) {
    if (m == my_index_) continue;
    const auto exposed = parts_.exposed_to(m);
    message.nbytes = exposed.size();
    message.offset = is_in_memory_ ? static_cast<std::uint64_t>(exposed.data() - memory.data())
                                   : Message::kNowhere;
    if (parts_.rule().counted) {
      message.rows = blocks_.rows_to(m);
      message.expected_rows = blocks_.rows_from(m);
    }
    message.maps = members_[m].peer->memory != nullptr;
    tell(m, MessageType::started, message,
         small_ && parts_.is_read_by(m) ? parts_.part_for(m) : std::span<const std::byte>{});
    if (members_[m].started > sequence_) send_first_window(m);
  }
}

Progress UcxCommunicator::poll() noexcept {
  const std::lock_guard lock(port_->mutex());
  if (!error_) port_->progress();
  if (!error_ && active_) advance();
  if (error_) {
    if (!others_were_told()) return Progress::moving;
    active_ = false;
    return Progress::failed;
  }
  if (!over()) return all_started_ ? Progress::moving : Progress::waiting;
  active_ = false;
  ++sequence_;
  return Progress::done;
}

void UcxCommunicator::advance() noexcept {
  all_started_ = true;
  for (std::uint32_t m = 0; m < size(); ++m) {
    if (m == my_index_) continue;
    if (members_[m].started <= sequence_) {
      all_started_ = false;
    } else if (!members_[m].matched && !match(m)) {
      return;
    }
    if (members_[m].peer->lost && owes(m)) return fail_for_loss();
  }
  if (small_) {
    if (all_started_) take_small();
    return;
  }
  std::uint64_t budget = kBudget;
  if (!sum_is_done_) add_pieces(budget);
  // Each member begins with the one after it, so that they do not all read the same member at once.
  for (std::uint32_t i = 1; i <= size(); ++i) fetch((my_index_ + i) % size(), budget);
  if (budget == 0) port_->keep_awake();
}

// Checks that the member's "started" fits this member's transfer. Fails the group if it does not.
bool UcxCommunicator::match(std::uint32_t m) noexcept {
  Member& member = members_[m];
  const auto& [message, payload] = member.arrivals[sequence_ % 2];
  const TransferParts::Part needed = parts_.rule().sum ? parts_.sum_part() : parts_.part_from(m);
  const std::uint64_t part_nbytes =
      parts_.rule().counted ? needed.room.size() : parts_.part_nbytes();
  const std::uint64_t carried = small_ && parts_.reads_from(m) ? part_nbytes : 0;
  if (const auto error = compare_rows(m)) {
    fail(*error);
    return false;
  }
  if (message.rule_code != parts_.rule().partner_code() ||
      message.part_nbytes != parts_.part_nbytes() || message.argument != parts_.argument() ||
      (parts_.rule().sum && message.dtype != parts_.transfer().dtype) ||
      payload.size() != carried ||
      (parts_.reads_from(m) && !small_ && message.nbytes < needed.offset + needed.room.size())) {
    fail(Error(
        ErrorCode::failed,
        fmt::format("{} started {} of {} bytes as transfer {} of group {}, but rank {} started {} "
                    "of {} bytes: their plans differ; start all ranks with the same configuration",
                    member.peer->record.describe(), transfer_rules::name_of(message.rule_code),
                    message.part_nbytes, sequence_, name_, port_->options().rank,
                    parts_.rule().name, parts_.part_nbytes())));
    return false;
  }
  member.matched = true;
  if (member.peer->memory != nullptr && message.offset != Message::kNowhere) {
    const auto memory = member.peer->memory->bytes();
    if (message.offset <= memory.size() && message.nbytes <= memory.size() - message.offset)
      member.exposed = memory.data() + message.offset;
  }
  if (!small_ && gets_pieces_from(m)) member.asked = std::min(needed.room.size(), kWindow * kPiece);
  return true;
}

// For an all_to_all_v: checks that the block sizes of this member and member m agree. Both members
// find the same error, since neither is done before it has the other's "started".
std::optional<Error> UcxCommunicator::compare_rows(std::uint32_t m) const {
  const Message& message = members_[m].arrivals[sequence_ % 2].message;
  if (!parts_.rule().counted || message.rule_code != parts_.rule().partner_code())
    return std::nullopt;
  std::optional<Error> error;
  if (message.rows != blocks_.rows_from(m))
    error = blocks_.disagreement(m, message.rows, my_index_, blocks_.rows_from(m));
  else if (message.expected_rows != blocks_.rows_to(m))
    error = blocks_.disagreement(my_index_, blocks_.rows_to(m), m, message.expected_rows);
  if (error) error->add_context(fmt::format("running transfer {} of group {}", sequence_, name_));
  return error;
}

// Returns true if the current transfer still needs something from the member.
bool UcxCommunicator::owes(std::uint32_t m) const noexcept {
  const Member& member = members_[m];
  if (member.started <= sequence_) return true;
  if (small_) return false;
  return (parts_.reads_from(m) && !member.fetched) || waits_for_release_of(m);
}

void UcxCommunicator::take_small() noexcept {
  const auto source = [&](std::uint32_t m) {
    return m == my_index_ ? parts_.part_for(m).data()
                          : members_[m].arrivals[sequence_ % 2].payload.data();
  };
  if (parts_.rule().sum) {
    for (std::uint32_t m = 0; m < size(); ++m) sources_[m] = source(m);
    sum_in_order(parts_.transfer().receive, sources_, parts_.transfer().dtype);
  }
  for (std::uint32_t m = 0; m < size(); ++m) {
    if (!parts_.rule().sum) {
      const TransferParts::Part part = parts_.part_from(m);
      if (!part.room.empty() && part.room.data() != source(m))
        std::memcpy(part.room.data(), source(m), part.room.size());
    }
    members_[m].fetched = true;
  }
  sum_is_done_ = true;
}

// Sums this member's block, one piece of every member at a time.
void UcxCommunicator::add_pieces(std::uint64_t& budget) noexcept {
  if (!all_started_) return;
  const TransferParts::Part part = parts_.sum_part();
  while (added_ < part.room.size() && budget > 0) {
    const std::uint64_t n = std::min(kPiece, part.room.size() - added_);
    const std::uint64_t slot = added_ / kPiece % kWindow;
    bool here = true;
    for (std::uint32_t m = 0; m < size(); ++m) {
      Member& member = members_[m];
      if (member.exposed != nullptr) {
        sources_[m] = member.exposed + part.offset + added_;
        continue;
      }
      ask(member, part, added_ + kWindow * kPiece);
      here = here && member.piece_is_here[slot];
      sources_[m] = member.pieces.data() + slot * kPiece;
    }
    if (!here) return;
    sum_in_order(part.room.subspan(added_, n), sources_, parts_.transfer().dtype);
    for (Member& member : members_) member.piece_is_here[slot] = false;
    added_ += n;
    budget -= std::min(budget, n * size());
  }
  if (added_ < part.room.size()) return;
  for (const Member& member : members_) {
    if (!may_be_relied_on(member)) return;
  }
  sum_is_done_ = true;
  const bool in_two_passes = parts_.rule().sums_everything();
  for (std::uint32_t m = 0; m < size(); ++m) {
    members_[m].asked = 0;
    members_[m].fetched = !in_two_passes;
    if (m == my_index_) continue;
    if (in_two_passes) {
      tell(m, MessageType::summed);
    } else {
      release(m);
    }
  }
}

// Copies the part that comes from member m, or asks for pieces of it.
void UcxCommunicator::fetch(std::uint32_t m, std::uint64_t& budget) noexcept {
  Member& member = members_[m];
  if (member.fetched || !sum_is_done_ || (m != my_index_ && !member.matched)) return;
  if (parts_.rule().sums_everything() && m != my_index_ && member.summed <= sequence_) return;
  const TransferParts::Part part = parts_.part_from(m);
  if (!part.room.empty() && member.exposed != nullptr) {
    const std::byte* from = member.exposed + part.offset + member.received;
    std::byte* to = part.room.data() + member.received;
    const std::uint64_t n =
        from == to ? part.room.size() : std::min(budget, part.room.size() - member.received);
    if (from != to) {
      std::memcpy(to, from, n);
      budget -= n;
    }
    member.received += n;
  } else {
    ask(member, part, member.received + kWindow * kPiece);
  }
  // The mark of m is checked only if this member reads from m. A member that nobody reads from any
  // more may have left the group already and invalidated its mark.
  if (member.received < part.room.size() || (parts_.reads_from(m) && !may_be_relied_on(member)))
    return;
  member.fetched = true;
  release(m);
}

// Asks for further pieces of the part, until `up_to` bytes are asked for.
void UcxCommunicator::ask(Member& member, const TransferParts::Part& part,
                          std::uint64_t up_to) noexcept {
  while (member.asked < part.room.size() && member.asked < up_to) {
    const std::uint64_t n = std::min(kPiece, part.room.size() - member.asked);
    tell(static_cast<std::uint32_t>(&member - members_.data()), MessageType::get,
         {.offset = part.offset + member.asked, .nbytes = n});
    member.asked += n;
  }
}

// Call it after bytes were read from the memory of `member`. Returns true if they are valid, that
// is if the owner had not invalidated its mark until then.
bool UcxCommunicator::may_be_relied_on(const Member& member) const noexcept {
  if (member.peer == nullptr || member.exposed == nullptr) return true;
    // The fence puts the reads of the memory before the read of the mark. The thread sanitizer does
    // not support fences, but it does not see what other processes write either.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
  std::atomic_thread_fence(std::memory_order_acquire);
#pragma GCC diagnostic pop
  return member.peer->memory->marks().group[member.arrivals[sequence_ % 2].message.mark].load() ==
         id_;
}

bool UcxCommunicator::over() const noexcept {
  if (!active_ || !all_started_ || !sum_is_done_) return false;
  for (std::uint32_t m = 0; m < size(); ++m) {
    if (!members_[m].fetched) return false;
    if (!small_ && waits_for_release_of(m)) return false;
  }
  return true;
}

// ---- Messages ----

void UcxCommunicator::tell(std::uint32_t member, MessageType type, const Message& more,
                           std::span<const std::byte> payload) noexcept {
  Message message = more;
  message.token = port_->options().token;
  message.group = id_;
  message.sequence = sequence_;
  message.member = my_index_;
  message.type = type;
  port_->send(*members_[member].peer, message, payload);
}

void UcxCommunicator::receive(const Message& message, std::span<const std::byte> payload) noexcept {
  if (message.member >= size() || message.member == my_index_) return;
  Member& member = members_[message.member];
  if (message.type == MessageType::abort) {
    member.knows_of_abort = true;
    fail(Error(message.code,
               std::string(reinterpret_cast<const char*>(payload.data()), payload.size())));
    return tell(message.member, MessageType::abort_taken);
  }
  if (message.type == MessageType::abort_taken) member.knows_of_abort = true;
  if (error_) return;
  const std::uint64_t number = message.sequence + 1;
  switch (message.type) {
    case MessageType::started: {
      if (message.sequence != member.started || message.sequence > sequence_ + 1 ||
          payload.size() > kSmall)
        return;
      Arrival& arrival = member.arrivals[message.sequence % 2];
      arrival.message = message;
      arrival.payload.assign(payload.begin(), payload.end());
      member.started = number;
      if (active_ && message.sequence == sequence_) send_first_window(message.member);
      return;
    }
    case MessageType::summed:
      member.summed = number;
      return;
    case MessageType::released:
      member.released = number;
      return;
    case MessageType::get:
      return answer(member, message);
    case MessageType::data:
      return receive_data(member, message, payload);
    case MessageType::abort:
    case MessageType::abort_taken:
      return;
  }
}

// The sender's number may be what was changed. It is named only if it is that of another member.
void UcxCommunicator::receive_damaged(const Message& message) noexcept {
  const bool is_known = message.member < size() && message.member != my_index_;
  fail(Error(
      ErrorCode::corrupt_data,
      fmt::format("a message of {} to rank {} was changed on the way: its digest is not that "
                  "of its bytes (transfer {} of group {}); check the network between them, "
                  "and the memory of both hosts",
                  is_known ? fmt::format("rank {}", members_[message.member].peer->record.rank)
                           : "an unknown rank",
                  port_->options().rank, message.sequence, name_)));
}

void UcxCommunicator::answer(const Member& member, const Message& message) noexcept {
  const auto bytes = active_ ? parts_.exposed_to(message.member) : std::span<const std::byte>{};
  if (!active_ || message.sequence != sequence_ || message.nbytes > kPiece ||
      message.offset > bytes.size() || message.nbytes > bytes.size() - message.offset)
    return;
  send_piece(static_cast<std::uint32_t>(&member - members_.data()), message.offset, message.nbytes);
}

void UcxCommunicator::receive_data(Member& member, const Message& message,
                                   std::span<const std::byte> payload) {
  if (!active_ || message.sequence != sequence_ || member.exposed != nullptr) return;
  const bool adding = !sum_is_done_;
  const TransferParts::Part part =
      adding ? parts_.sum_part()
             : parts_.part_from(static_cast<std::uint32_t>(&member - members_.data()));
  const std::uint64_t at = message.offset - part.offset;
  if (message.offset < part.offset || at > part.room.size() ||
      payload.size() > part.room.size() - at || at % kPiece != 0 || payload.size() > kPiece)
    return;
  if (adding) {
    const std::uint64_t slot = at / kPiece % kWindow;
    if (member.pieces.empty()) member.pieces.resize(kWindow * kPiece);
    std::memcpy(member.pieces.data() + slot * kPiece, payload.data(), payload.size());
    member.piece_is_here[slot] = true;
  } else {
    std::memcpy(part.room.data() + at, payload.data(), payload.size());
    member.received += payload.size();
  }
}

// ---- Failures ----

void UcxCommunicator::abort(const Error& error) noexcept {
  const std::lock_guard lock(port_->mutex());
  fail(error);
}

// Every member sends the error to all others, even if it got the error from one of them. So the
// member that ends first has told all others.
void UcxCommunicator::fail(const Error& error) noexcept {
  if (error_) return;
  error_ = error;
  failed_at_ = std::chrono::steady_clock::now();
  // Must come before this member's memory is used for anything else, since a peer may be reading
  // it.
  port_->invalidate(mark_);
  const std::string& text = error.message();
  const auto bytes =
      std::as_bytes(std::span(text)).first(std::min(text.size(), Port::kSmallNbytes));
  for (std::uint32_t m = 0; m < size(); ++m) {
    if (m != my_index_) tell(m, MessageType::abort, {.code = error.code()}, bytes);
  }
  port_->keep_awake();
  port_->wakeup().notify();
}

// Makes the group fail because the transfer needs a lost member. The error names the member that
// was lost first, since the others may have ended because of this loss.
void UcxCommunicator::fail_for_loss() noexcept {
  const Peer* first = nullptr;
  for (const Member& member : members_) {
    if (member.peer == nullptr || !member.peer->lost) continue;
    if (first == nullptr || member.peer->loss_number < first->loss_number) first = member.peer;
  }
  fail(Error(
      ErrorCode::peer_lost,
      fmt::format("{} is lost: {}; transfer {} ({}) of group {} cannot go on",
                  first->record.describe(), first->loss, sequence_, parts_.rule().name, name_)));
}

// Returns true once all members know of the failure, or after kPatience. Only then does poll()
// report it, because the rank may end as soon as it sees the failure.
bool UcxCommunicator::others_were_told() noexcept {
  port_->progress();
  const bool all = std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.peer == nullptr || member.peer->lost || member.knows_of_abort;
  });
  if (all || std::chrono::steady_clock::now() - failed_at_ > kPatience) return true;
  port_->keep_awake();
  return false;
}

Error UcxCommunicator::error() const {
  const std::lock_guard lock(port_->mutex());
  return error_.value_or(Error(ErrorCode::failed, "no error"));
}

Awaited UcxCommunicator::awaited() const {
  const std::lock_guard lock(port_->mutex());
  Awaited awaited;
  for (std::uint32_t m = 0; m < size(); ++m) {
    if (members_[m].started <= sequence_) awaited.members.push_back(m);
  }
  if (!awaited.members.empty()) return awaited;
  awaited.started = true;
  for (std::uint32_t m = 0; m < size(); ++m) {
    if (m != my_index_ && owes(m)) awaited.members.push_back(m);
  }
  return awaited;
}

}  // namespace megascale::comm
