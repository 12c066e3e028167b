// Executes store requests on hash maps. A request that must wait is kept as a waiter, which is
// listed under each key that it waits for, and in order of deadline. A write looks up the waiters
// of its keys only, so its cost does not depend on the number of waiting clients.
#include "megascale/comm/store/embedded/table.h"

#include <fmt/format.h>

#include <limits>

namespace megascale::comm {
namespace {

tl::unexpected<Error> refuse(std::string message) {
  return tl::unexpected(Error(ErrorCode::failed, std::move(message)));
}

// Memory of an entry besides its key and value, in bytes: nodes and buckets of the map.
constexpr std::size_t kEntryNbytes = 128;

}  // namespace

std::optional<Result<StoreReply>> StoreTable::execute(Client client, StoreRequest request,
                                                      TimePoint now) {
  switch (request.op) {
    case StoreOp::set:
    case StoreOp::set_new:
      return write(request);
    case StoreOp::add:
      return add(request);
    case StoreOp::erase:
      return erase(request);
    case StoreOp::get:
    case StoreOp::wait:
      break;
  }
  Result<StoreReply> found = look(request);
  if (!found || found->status == StoreStatus::ok || request.timeout.count() == 0) return found;
  const TimePoint deadline = now + request.timeout;
  begin_wait(client, std::move(request), deadline);
  return std::nullopt;
}

Result<StoreReply> StoreTable::write(StoreRequest& request) {
  std::size_t grows = 0, shrinks = 0;
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    const std::string& key = request.keys[i];
    const auto old = values_.find(key);
    if (request.op == StoreOp::set_new && (old != values_.end() || counters_.contains(key)))
      return StoreReply{.status = StoreStatus::exists, .number = static_cast<std::int64_t>(i)};
    if (counters_.contains(key))
      return refuse(fmt::format("'{}' is a counter and cannot be set: erase it first", key));
    grows += request.values[i].size();
    if (old == values_.end()) {
      grows += key.size() + kEntryNbytes;
    } else {
      shrinks += old->second.size();
    }
  }
  if (nbytes_ + grows > max_nbytes_ + shrinks) {
    return refuse(fmt::format("the store is full: it holds {} bytes, {} more do not fit into {}",
                              nbytes_, grows, max_nbytes_));
  }
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    const auto [at, is_new] = values_.try_emplace(request.keys[i]);
    nbytes_ += request.values[i].size() + (is_new ? request.keys[i].size() + kEntryNbytes : 0);
    nbytes_ -= at->second.size();
    at->second = std::move(request.values[i]);
    if (is_new) key_appeared(request.keys[i]);
  }
  return StoreReply{};
}

Result<StoreReply> StoreTable::add(const StoreRequest& request) {
  const std::string& key = request.keys.front();
  if (values_.contains(key))
    return refuse(fmt::format("'{}' is a value and cannot be counted: erase it first", key));
  auto at = counters_.find(key);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(at == counters_.end() ? 0 : at->second, request.number, &sum))
    return refuse(fmt::format("counter '{}' would overflow", key));
  const bool is_new = at == counters_.end();
  if (is_new) {
    const std::size_t grows = key.size() + kEntryNbytes;
    if (nbytes_ + grows > max_nbytes_)
      return refuse(
          fmt::format("the store is full: it holds {} of {} bytes", nbytes_, max_nbytes_));
    nbytes_ += grows;
    at = counters_.emplace(key, 0).first;
  }
  at->second = sum;
  if (is_new) key_appeared(key);
  counter_moved(key, sum);
  return StoreReply{.number = sum};
}

Result<StoreReply> StoreTable::erase(const StoreRequest& request) {
  for (const std::string& key : request.keys) {
    if (const auto value = values_.find(key); value != values_.end()) {
      nbytes_ -= value->second.size() + key.size() + kEntryNbytes;
      values_.erase(value);
    } else if (counters_.erase(key) != 0) {
      nbytes_ -= key.size() + kEntryNbytes;
    }
  }
  return StoreReply{};
}

Result<StoreReply> StoreTable::look(const StoreRequest& request) const {
  StoreReply reply;
  if (request.op == StoreOp::wait) {
    const std::string& key = request.keys.front();
    if (values_.contains(key)) return refuse(fmt::format("'{}' is a value, not a counter", key));
    const auto counter = counters_.find(key);
    reply.number = counter == counters_.end() ? 0 : counter->second;
    if (reply.number < request.number) reply.status = StoreStatus::timed_out;
    return reply;
  }
  reply.values.reserve(request.keys.size());
  for (const std::string& key : request.keys) {
    auto& value = reply.values.emplace_back();
    if (const auto found = values_.find(key); found != values_.end()) {
      value = found->second;
    } else if (const auto counter = counters_.find(key); counter != counters_.end()) {
      value = std::to_string(counter->second);
    } else {
      reply.status = StoreStatus::timed_out;
    }
  }
  return reply;
}

void StoreTable::begin_wait(Client client, StoreRequest request, TimePoint deadline) {
  Waiter waiter{.request = std::move(request), .deadline = deadline};
  for (const std::string& key : waiter.request.keys) {
    if (waiter.request.op == StoreOp::get && (values_.contains(key) || counters_.contains(key)))
      continue;
    // A key that the request names twice counts as missing once.
    if (waiting_for_[key].insert(client).second) ++waiter.missing;
  }
  deadlines_.emplace(deadline, client);
  waiters_.emplace(client, std::move(waiter));
}

void StoreTable::key_appeared(const std::string& key) {
  const auto found = waiting_for_.find(key);
  if (found == waiting_for_.end()) return;
  std::vector<Client> complete;
  for (auto at = found->second.begin(); at != found->second.end();) {
    Waiter& waiter = waiters_.at(*at);
    if (waiter.request.op != StoreOp::get) {
      ++at;
      continue;
    }
    if (--waiter.missing == 0) complete.push_back(*at);
    at = found->second.erase(at);
  }
  if (found->second.empty()) waiting_for_.erase(found);
  for (const Client client : complete) end_wait(client);
}

void StoreTable::counter_moved(const std::string& key, std::int64_t value) {
  const auto found = waiting_for_.find(key);
  if (found == waiting_for_.end()) return;
  std::vector<Client> reached;
  for (const Client client : found->second) {
    const StoreRequest& request = waiters_.at(client).request;
    if (request.op == StoreOp::wait && value >= request.number) reached.push_back(client);
  }
  for (const Client client : reached) end_wait(client);
}

// Answers a waiting request with the current values. If a key was erased in the meantime, it is
// missing again, and the wait continues.
void StoreTable::end_wait(Client client) {
  Waiter waiter = remove_waiter(client);
  Result<StoreReply> found = look(waiter.request);
  if (found && found->status != StoreStatus::ok) {
    begin_wait(client, std::move(waiter.request), waiter.deadline);
  } else {
    answers_.push_back({client, std::move(found)});
  }
}

void StoreTable::expire(TimePoint now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const Client client = deadlines_.begin()->second;
    answers_.push_back({client, look(remove_waiter(client).request)});
  }
}

std::optional<StoreTable::TimePoint> StoreTable::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

StoreTable::Waiter StoreTable::remove_waiter(Client client) {
  auto node = waiters_.extract(client);
  Waiter waiter = std::move(node.mapped());
  deadlines_.erase({waiter.deadline, client});
  for (const std::string& key : waiter.request.keys) {
    const auto waiting = waiting_for_.find(key);
    if (waiting == waiting_for_.end()) continue;
    waiting->second.erase(client);
    if (waiting->second.empty()) waiting_for_.erase(waiting);
  }
  return waiter;
}

void StoreTable::forget(Client client) {
  if (waiters_.contains(client)) (void)remove_waiter(client);
}

}  // namespace megascale::comm
