// The checks that both ends apply to requests, and the blocking interface Store, which drives a
// non-blocking StoreClient.
#include "megascale/comm/store/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/comm/store/embedded/client.h"
#include "megascale/comm/store/limits.h"
#include "megascale/comm/store/redis/client.h"

namespace megascale::comm {
namespace {

using Clock = std::chrono::steady_clock;

std::string_view name_of(StoreOp op) noexcept {
  switch (op) {
    case StoreOp::set:
      return "set";
    case StoreOp::set_new:
      return "set_new";
    case StoreOp::get:
      return "get";
    case StoreOp::add:
      return "add";
    case StoreOp::wait:
      return "wait";
    case StoreOp::erase:
      return "erase";
  }
  return "?";
}

std::string list_keys(std::span<const std::string> keys) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(keys.size(), kShown); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", keys[i]);
  return keys.size() > kShown ? text + ", ..." : text;
}

}  // namespace

std::string describe(const StoreRequest& request) {
  if (request.keys.size() == 1)
    return fmt::format("{} of {}", name_of(request.op), list_keys(request.keys));
  return fmt::format("{} of {} keys ({})", name_of(request.op), request.keys.size(),
                     list_keys(request.keys));
}

std::optional<std::string> find_fault(const StoreRequest& request) {
  const bool writes = request.op == StoreOp::set || request.op == StoreOp::set_new;
  const bool counts = request.op == StoreOp::add || request.op == StoreOp::wait;
  const std::size_t most = counts ? 1 : kMaxKeysPerRequest;
  if (request.keys.empty() || request.keys.size() > most)
    return fmt::format("{} keys, expected 1 to {}", request.keys.size(), most);
  const std::size_t values = writes ? request.keys.size() : 0;
  if (request.values.size() != values)
    return fmt::format("{} values, expected {}", request.values.size(), values);
  std::size_t nbytes = 0;
  for (const std::string& key : request.keys) {
    if (key.empty() || key.size() > kMaxKeyNbytes)
      return fmt::format("a key of {} bytes, expected 1 to {}", key.size(), kMaxKeyNbytes);
    nbytes += key.size() + sizeof(std::uint32_t);
  }
  for (const std::string& value : request.values) {
    if (value.size() > kMaxValueNbytes)
      return fmt::format("a value of {} bytes, expected at most {}", value.size(), kMaxValueNbytes);
    nbytes += value.size() + sizeof(std::uint32_t);
  }
  constexpr std::size_t kHeader = 64;
  if (nbytes + kHeader > kMaxFrameNbytes)
    return fmt::format("{} bytes in one request, expected at most {}", nbytes,
                       kMaxFrameNbytes - kHeader);
  if (request.timeout.count() < 0) return "a negative timeout";
  return std::nullopt;
}

std::unique_ptr<StoreClient> make_store_client(const StoreOptions& options, PollSet& polls,
                                               std::uint64_t token) {
  return options.address.kind == StoreKind::redis ? make_redis_client(options, polls, token)
                                                  : make_embedded_client(options, polls, token);
}

Result<std::vector<StoreReply>> finish(StoreClient& client, PollSet& polls) {
  while (!client.poll()) {
    const auto left = client.next_poll() - Clock::now();
    polls.wait(std::chrono::ceil<std::chrono::milliseconds>(left));
  }
  return client.take();
}

Store::Store(const StoreOptions& options)
    : client_(make_store_client(options, polls_, 0)), address_(to_string(options.address)) {}

Result<StoreReply> Store::call(StoreRequest request) {
  std::vector<StoreRequest> batch;
  batch.push_back(std::move(request));
  client_->start(std::move(batch));
  auto replies = finish(*client_, polls_);
  if (!replies) return tl::unexpected(replies.error());
  return std::move(replies->front());
}

Result<void> Store::set(std::string key, std::string value) {
  return set_all(std::vector{std::move(key)}, std::vector{std::move(value)});
}

Result<void> Store::set_all(std::vector<std::string> keys, std::vector<std::string> values) {
  auto reply = call({.op = StoreOp::set, .keys = std::move(keys), .values = std::move(values)});
  if (!reply) return tl::unexpected(reply.error());
  return {};
}

Result<bool> Store::set_new(std::string key, std::string value) {
  auto reply =
      call({.op = StoreOp::set_new, .keys = {std::move(key)}, .values = {std::move(value)}});
  if (!reply) return tl::unexpected(reply.error());
  return reply->status != StoreStatus::exists;
}

Result<std::string> Store::get(std::string key, std::chrono::milliseconds timeout) {
  auto values = get_all(std::vector{std::move(key)}, timeout);
  if (!values) return tl::unexpected(values.error());
  return std::move(values->front());
}

Result<std::vector<std::string>> Store::get_all(std::vector<std::string> keys,
                                                std::chrono::milliseconds timeout) {
  auto reply = call({.op = StoreOp::get, .keys = keys, .timeout = timeout});
  if (!reply) return tl::unexpected(reply.error());
  std::vector<std::string> values, missing;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (reply->values[i]) {
      values.push_back(std::move(*reply->values[i]));
    } else {
      missing.push_back(keys[i]);
    }
  }
  if (missing.empty()) return values;
  return tl::unexpected(Error(
      ErrorCode::timeout,
      fmt::format(
          "store {}: {} of {} keys were not set within {} ms: {}; look at the log of the rank "
          "that sets them",
          address_, missing.size(), keys.size(), timeout.count(), list_keys(missing))));
}

Result<std::vector<std::optional<std::string>>> Store::peek(std::vector<std::string> keys) {
  auto reply = call({.op = StoreOp::get, .keys = std::move(keys)});
  if (!reply) return tl::unexpected(reply.error());
  return std::move(reply->values);
}

Result<std::int64_t> Store::add(std::string key, std::int64_t number) {
  auto reply = call({.op = StoreOp::add, .keys = {std::move(key)}, .number = number});
  if (!reply) return tl::unexpected(reply.error());
  return reply->number;
}

Result<std::int64_t> Store::wait(std::string key, std::int64_t number,
                                 std::chrono::milliseconds timeout) {
  auto reply = call({.op = StoreOp::wait, .keys = {key}, .number = number, .timeout = timeout});
  if (!reply) return tl::unexpected(reply.error());
  if (reply->status == StoreStatus::ok) return reply->number;
  return tl::unexpected(Error(
      ErrorCode::timeout,
      fmt::format("store {}: counter '{}' reached {} of {} within {} ms; look at the logs of the "
                  "ranks that count",
                  address_, key, reply->number, number, timeout.count())));
}

Result<void> Store::erase(std::vector<std::string> keys) {
  auto reply = call({.op = StoreOp::erase, .keys = std::move(keys)});
  if (!reply) return tl::unexpected(reply.error());
  return {};
}

}  // namespace megascale::comm
