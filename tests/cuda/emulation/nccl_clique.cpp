#include "cuda/emulation/nccl_clique.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "cuda/emulation/numbers.h"
#include "megascale/base/error.h"

namespace megascale::emulation {
namespace {

// Of who has called for which meeting. Taken after the device's lock.
std::mutex meetings_mutex;

// By stream: the calls that it is at, and that wait for other members. Under the device's lock.
std::map<cudaStream_t, const Launched*>& blocked() {
  static std::map<cudaStream_t, const Launched*> all;
  return all;
}

template <class T>
void add(std::vector<std::byte>& sum, const void* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, sum.data() + i * sizeof(T), sizeof a);
    std::memcpy(&b, static_cast<const std::byte*>(values) + i * sizeof(T), sizeof b);
    if constexpr (std::is_same_v<T, std::uint16_t>) {
      a = to_bfloat16(of_bfloat16(a) + of_bfloat16(b));
    } else {
      a += b;
    }
    std::memcpy(sum.data() + i * sizeof(T), &a, sizeof a);
  }
}
void add(ncclDataType_t type, std::vector<std::byte>& sum, const void* values, std::size_t count) {
  switch (type) {
    case ncclFloat32:
      return add<float>(sum, values, count);
    case ncclFloat64:
      return add<double>(sum, values, count);
    case ncclInt64:
      return add<std::int64_t>(sum, values, count);
    case ncclBfloat16:
      return add<std::uint16_t>(sum, values, count);
    default:
      break_off("sums of this type are not emulated");
  }
}

}  // namespace

void break_off(const std::string& what) {
  MEGASCALE_CHECK(false, what.c_str());
  std::abort();
}

std::size_t itemsize_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      return 4;
  }
}

std::string Operation::text() const {
  if (is_of_pair()) {
    return fmt::format("{} of {} bytes {} member {}", name_of(call), nbytes(),
                       call == Call::send ? "to" : "from", root);
  }
  return fmt::format("{} of {} elements (type {}, operation {}, root {})", name_of(call), count,
                     static_cast<int>(type), static_cast<int>(op), root);
}

// All inputs are read before the first output is written: one may lie in the other.
void Meeting::move() {
  if (moved) return;
  moved = true;
  // The memory of a member that has aborted may be gone.
  if (std::ranges::any_of(launched, [](const auto& one) { return one.second->aborted.load(); }))
    return;
  const Operation& first = operations.begin()->second;
  const auto put = [](void* to, const std::vector<std::byte>& bytes) {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  };
  const auto bytes_of = [](const void* from, std::size_t nbytes) {
    const auto* begin = static_cast<const std::byte*>(from);
    return std::vector<std::byte>(begin, begin + nbytes);
  };
  const std::size_t nbytes = first.nbytes();
  if (first.is_of_pair()) {
    for (auto& [side, operation] : operations) {
      if (operation.call == Call::send)
        put(operations.at(1 - side).receive, bytes_of(operation.send, nbytes));
    }
    return;
  }
  std::vector<std::vector<std::byte>> results;
  for (const auto& [member, mine] : operations) {
    std::vector<std::byte> result;
    for (const auto& [other, theirs] : operations) {
      const auto* from = static_cast<const std::byte*>(theirs.send);
      switch (first.call) {
        case Call::all_gather: {
          const auto part = bytes_of(from, nbytes);
          result.insert(result.end(), part.begin(), part.end());
          break;
        }
        case Call::broadcast:
          if (other == first.root) result = bytes_of(from, nbytes);
          break;
        default:
          if (first.call == Call::reduce_scatter) from += static_cast<std::size_t>(member) * nbytes;
          if (result.empty()) {
            result = bytes_of(from, nbytes);
          } else {
            add(first.type, result, from, first.count);
          }
      }
    }
    results.push_back(std::move(result));
  }
  std::size_t i = 0;
  for (const auto& [member, mine] : operations) put(mine.receive, results[i++]);
}

bool Launched::may_go() {
  if (aborted) return true;
  if (!arrived) {
    arrived = true;
    for (const auto& meeting : meetings) ++meeting->arrived;
    blocked()[stream] = this;
  }
  const bool go = std::ranges::all_of(meetings, [](const auto& one) { return one->is_complete(); });
  if (!go) find_deadlock();
  return go;
}

void Launched::run() {
  blocked().erase(stream);
  if (!aborted) {
    for (const auto& meeting : meetings) meeting->move();
  }
  done = true;
}

// A stream whose calls wait for a member waits for what the stream of that member is at. A circle
// never ends.
void Launched::find_deadlock() const {
  const std::lock_guard lock(meetings_mutex);
  std::set<const Launched*> seen;
  std::vector<const Launched*> to_see{this};
  while (!to_see.empty()) {
    const Launched* at = to_see.back();
    to_see.pop_back();
    if (!seen.insert(at).second) continue;
    for (const auto& meeting : at->meetings) {
      for (const auto& [place, other] : meeting->launched) {
        if (other->arrived || other->aborted) continue;
        const auto head = blocked().find(other->stream);
        if (head == blocked().end()) continue;
        if (head->second == this) {
          break_off(
              fmt::format("a device would hang: member {} is in {} and waits for a call of member "
                          "{} that comes "
                          "behind {}, which waits too",
                          at->member, at->text, member, text));
        }
        to_see.push_back(head->second);
      }
    }
  }
}

void Clique::join(int member, int device, int size) {
  const std::lock_guard lock(mutex_);
  if (devices_[static_cast<std::size_t>(member)] >= 0)
    break_off(fmt::format("two members {} of one communicator", member));
  if (size != size_) {
    error_ = ncclInvalidUsage;
    error_text_ = fmt::format("member {} says {} members, others {}", member, size, size_);
  }
  const auto same = std::ranges::find(devices_, device);
  if (same != devices_.end()) {
    error_ = ncclInvalidUsage;
    error_text_ = fmt::format("Duplicate GPU: members {} and {} both on device {}",
                              same - devices_.begin(), member, device);
  }
  devices_[static_cast<std::size_t>(member)] = device;
}

bool Clique::is_formed() {
  const std::lock_guard lock(mutex_);
  return std::ranges::none_of(devices_, [](int device) { return device < 0; });
}

ncclResult_t Clique::error(std::string& text) {
  const std::lock_guard lock(mutex_);
  text = error_text_;
  return error_;
}

std::shared_ptr<Launched> Clique::launch(int member, const std::vector<Operation>& operations) {
  const auto launched = std::make_shared<Launched>();
  launched->member = member;
  launched->stream = operations.front().stream;
  launched->text = operations.front().text();
  {
    const std::lock_guard lock(meetings_mutex);
    for (const Operation& operation : operations)
      launched->meetings.push_back(meeting_of(member, operation));
    for (std::size_t i = 0; i < operations.size(); ++i) {
      // The two ends of a pair may be one member.
      const int place =
          operations[i].is_of_pair() ? operations[i].call == Call::send ? 0 : 1 : member;
      launched->meetings[i]->launched[place] = launched;
    }
  }
  enqueue_meeting(
      launched->stream, [launched] { return launched->may_go(); }, [launched] { launched->run(); });
  return launched;
}

std::shared_ptr<Meeting> Clique::meeting_of(int member, const Operation& operation) {
  if (operation.is_of_pair()) {
    const bool sends = operation.call == Call::send;
    Pair& pair =
        pairs_[sends ? std::pair(member, operation.root) : std::pair(operation.root, member)];
    std::size_t& number = sends ? pair.sends : pair.receives;
    if (number == pair.meetings.size()) {
      pair.meetings.push_back(std::make_shared<Meeting>());
      pair.meetings.back()->members = 2;
    }
    const auto meeting = pair.meetings[number++];
    meeting->operations[sends ? 0 : 1] = operation;
    if (const auto other = meeting->operations.find(sends ? 1 : 0);
        other != meeting->operations.end() &&
        (other->second.count != operation.count || other->second.type != operation.type)) {
      break_off(
          fmt::format("a device would hang: member {} calls {}, and its partner {} "
                      "(types {} and {})",
                      member, operation.text(), other->second.text(),
                      static_cast<int>(operation.type), static_cast<int>(other->second.type)));
    }
    return meeting;
  }
  std::size_t& number = collectives_[static_cast<std::size_t>(member)];
  if (number == meetings_.size()) {
    meetings_.push_back(std::make_shared<Meeting>());
    meetings_.back()->members = static_cast<std::size_t>(size_);
  }
  const auto meeting = meetings_[number++];
  if (!meeting->operations.empty()) {
    const auto& [other, first] = *meeting->operations.begin();
    if (first.call != operation.call || first.count != operation.count ||
        first.type != operation.type || first.op != operation.op || first.root != operation.root) {
      break_off(fmt::format("collective {} of the communicator: member {} calls {}, member {} {}",
                            number, member, operation.text(), other, first.text()));
    }
  }
  meeting->operations[member] = operation;
  return meeting;
}

void Clique::come(const std::string& name, std::size_t value, int member) {
  const std::lock_guard lock(mutex_);
  auto& all = came_[name];
  if (!all.empty() && all.begin()->second != value) {
    break_off(fmt::format("{}: member {} with {} bytes, member {} with {}", name, member, value,
                          all.begin()->first, all.begin()->second));
  }
  all[member] = value;
}

bool Clique::all_came(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return came_[name].size() == static_cast<std::size_t>(size_);
}

}  // namespace megascale::emulation
