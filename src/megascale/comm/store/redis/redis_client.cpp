// Maps store requests to Redis commands, one at a time if they may wait. A get or wait has phases:
// a script asks for the values and marks what is missing (Phase::ask); if something is missing, the
// client blocks on the stream of the first missing key (Phase::block) and then asks again; when the
// time is over it asks once more without marks (Phase::ask_last). hiredis only encodes commands and
// decodes replies. The connection and its deadlines are those of SocketClient.
#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>

#include "megascale/comm/store/redis/client.h"
#include "megascale/comm/store/redis/scripts.h"
#include "megascale/comm/store/socket_client.h"

namespace megascale::comm {
namespace {

// Lifetime of keys: one day. The server deletes the keys of old jobs by itself.
constexpr std::string_view kLifetimeSeconds = "86400";

struct ReaderDeleter {
  void operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }
};
struct ReplyDeleter {
  void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, ReplyDeleter>;

std::string_view text_of(const redisReply& reply) { return {reply.str, reply.len}; }

class RedisClient final : public SocketClient {
 public:
  RedisClient(const StoreOptions& options, PollSet& polls, std::uint64_t token)
      : SocketClient(options, polls, token),
        prefix_(fmt::format("megascale:{{{}}}:", options.job)) {}

 private:
  void greet() override {
    reader_.reset(redisReaderCreate());  // drops the input of an earlier connection
    if (!reader_) throw std::bad_alloc();
    command({"AUTH", options().secret.text()});
  }

  Result<bool> authenticate() override {
    const auto reply = next_reply();
    if (!reply) return tl::unexpected(reply.error());
    if (!*reply) return false;
    if ((*reply)->type != REDIS_REPLY_ERROR) return true;
    const std::string_view text = text_of(**reply);
    if (text.find("max number of clients") != std::string_view::npos) {
      return tl::unexpected(
          Error(ErrorCode::peer_lost,
                fmt::format("{}: raise its maxclients well above the number of ranks", text)));
    }
    std::string_view advice = "look at the server's log";
    if (text.starts_with("WRONGPASS") || text.starts_with("ERR invalid password"))
      advice = "its requirepass differs from this rank's MEGASCALE_JOB_SECRET";
    if (text.find("without any password") != std::string_view::npos)
      advice = "anybody could use it; start it with requirepass set to the job's secret";
    return tl::unexpected(Error(ErrorCode::bad_usage, fmt::format("{}: {}", text, advice)));
  }

  void send_requests() override {
    sent_ = 0;
    send_more();
  }

  // Sends the next requests, up to and including the first that may wait. Later requests must not
  // overtake it, so they are sent after its reply.
  void send_more() {
    while (sent_ < batch().size()) {
      const StoreRequest& request = batch()[sent_++];
      if (request.op == StoreOp::get || request.op == StoreOp::wait) {
        values_.assign(request.op == StoreOp::get ? request.keys.size() : 0, std::nullopt);
        end_ = Clock::now() + request.timeout;
        phase_ = request.timeout.count() > 0 ? Phase::ask : Phase::ask_last;
        ask(request);
        return;
      }
      write(request);
    }
  }

  void write(const StoreRequest& request) {
    std::string script;
    if (request.op == StoreOp::set_new) script = redis::kSetNew;
    std::vector<std::string> arguments = request.values;
    if (request.op == StoreOp::set || request.op == StoreOp::set_new) script += redis::kSet;
    if (request.op == StoreOp::erase) script = redis::kErase;
    if (request.op == StoreOp::add) {
      script = redis::kAdd;
      arguments.push_back(std::to_string(request.number));
    }
    arguments.emplace_back(kLifetimeSeconds);
    eval(script, request.keys, arguments);
  }

  // Asks for the values of a get that have not arrived yet, or for the counter of a wait.
  void ask(const StoreRequest& request) {
    const std::string life(phase_ == Phase::ask ? kLifetimeSeconds : "0");
    if (request.op == StoreOp::wait)
      return eval(redis::kWait, request.keys, {std::to_string(request.number), life});
    asked_.clear();
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < request.keys.size(); ++i) {
      if (values_[i]) continue;
      asked_.push_back(i);
      keys.push_back(request.keys[i]);
    }
    if (phase_ == Phase::ask) return eval(redis::kGet, keys, {life});
    // No key is to be marked, so a plain MGET suffices. It costs the server half as much as the
    // script.
    std::vector<std::string> full;
    full.reserve(keys.size());
    std::vector<std::string_view> parts{"MGET"};
    for (const std::string& key : keys) parts.push_back(full.emplace_back(prefix_ + key));
    command(parts);
  }

  // Blocks on a stream until the first missing key is set, or until the counter reaches the number.
  void block(const StoreRequest& request) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now());
    if (left.count() <= 0) {
      phase_ = Phase::ask_last;
      return ask(request);
    }
    phase_ = Phase::block;
    std::string stream = prefix_;
    if (request.op == StoreOp::wait) {
      stream += fmt::format("{}:signal:{}", request.keys.front(), request.number);
    } else {
      const auto missing = std::find(values_.begin(), values_.end(), std::nullopt);
      stream += request.keys[static_cast<std::size_t>(missing - values_.begin())] + ":signal";
    }
    command({"XREAD", "COUNT", "1", "BLOCK", std::to_string(left.count()), "STREAMS", stream, "0"});
  }

  Result<bool> receive() override {
    while (replies().size() < batch().size()) {
      const auto reply = next_reply();
      if (!reply) return tl::unexpected(reply.error());
      if (!*reply) return false;
      if ((*reply)->type == REDIS_REPLY_ERROR) {
        return tl::unexpected(
            Error(ErrorCode::failed, fmt::format("Redis refuses: {}", text_of(**reply))));
      }
      const StoreRequest& request = batch()[replies().size()];
      const bool asks = request.op == StoreOp::get || request.op == StoreOp::wait;
      const auto done = asks ? take_answer(request, **reply) : take_number(request, **reply);
      if (!done) return tl::unexpected(done.error());
      if (*done && asks) send_more();
    }
    return true;
  }

  // Processes a reply to any other request.
  Result<bool> take_number(const StoreRequest& request, const redisReply& reply) {
    if (reply.type != REDIS_REPLY_INTEGER) return tl::unexpected(unexpected_type(reply));
    StoreReply& result = replies().emplace_back();
    if (request.op == StoreOp::add) result.number = reply.integer;
    if (request.op == StoreOp::set_new && reply.integer > 0) {
      result.status = StoreStatus::exists;
      result.number = reply.integer - 1;
    }
    return true;
  }

  // Processes a reply to a get or wait. Returns true if the request is complete; otherwise another
  // command has been sent.
  Result<bool> take_answer(const StoreRequest& request, const redisReply& reply) {
    std::optional<std::int64_t> count;
    if (phase_ == Phase::block) {
      const redisReply* value = value_of_entry(reply);
      if (value == nullptr) {  // XREAD has timed out
        phase_ = Phase::ask_last;
        ask(request);
        return false;
      }
      phase_ = Phase::ask;
      if (request.op == StoreOp::wait) {
        count = number_of(*value);
      } else {
        *std::find(values_.begin(), values_.end(), std::nullopt) = text_of(*value);
        if (!has_all()) {
          ask(request);
          return false;
        }
      }
    } else if (request.op == StoreOp::wait) {
      count = number_of(reply);
    } else {
      if (reply.type != REDIS_REPLY_ARRAY || reply.elements != asked_.size())
        return tl::unexpected(unexpected_type(reply));
      for (std::size_t i = 0; i < asked_.size(); ++i) {
        const redisReply& value = *reply.element[i];
        if (value.type == REDIS_REPLY_STRING) values_[asked_[i]] = text_of(value);
      }
    }
    if (request.op == StoreOp::wait && !count) return tl::unexpected(unexpected_type(reply));
    const bool there = request.op == StoreOp::wait ? *count >= request.number : has_all();
    if (!there && phase_ == Phase::ask) {
      block(request);
      return false;
    }
    replies().push_back({.status = there ? StoreStatus::ok : StoreStatus::timed_out,
                         .number = count.value_or(0),
                         .values = std::move(values_)});
    return true;
  }

  [[nodiscard]] bool has_all() const {
    return std::find(values_.begin(), values_.end(), std::nullopt) == values_.end();
  }

  static std::optional<std::int64_t> number_of(const redisReply& reply) {
    std::int64_t number = 0;
    const std::string_view text = reply.type == REDIS_REPLY_STRING ? text_of(reply) : "";
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }

  // Returns the value in a reply of XREAD, [[stream, [[id, [field, value]]]]], or null for any
  // other reply.
  static const redisReply* value_of_entry(const redisReply& reply) {
    const redisReply* at = &reply;
    for (const std::size_t place : {0U, 1U, 0U, 1U, 1U}) {
      if (at->type != REDIS_REPLY_ARRAY || at->elements <= place) return nullptr;
      at = at->element[place];
    }
    return at->type == REDIS_REPLY_STRING ? at : nullptr;
  }

  static Error unexpected_type(const redisReply& reply) {
    return {ErrorCode::corrupt_data,
            fmt::format("a reply of type {} that this request cannot have", reply.type)};
  }

  // Returns the next reply, or null while it is not complete.
  Result<Reply> next_reply() {
    if (!input().empty()) {
      const std::string_view bytes = input().view();
      (void)redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
      input().consume(bytes.size());
    }
    void* reply = nullptr;
    if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) {
      return tl::unexpected(
          Error(ErrorCode::corrupt_data,
                fmt::format("expected a Redis server, found another: {}", reader_->errstr)));
    }
    return Reply(static_cast<redisReply*>(reply));
  }

  // Sends an EVAL command; every key gets the job's prefix.
  void eval(std::string_view script, const std::vector<std::string>& keys,
            const std::vector<std::string>& arguments) {
    const std::string count = std::to_string(keys.size());
    std::vector<std::string> full;
    full.reserve(keys.size());
    std::vector<std::string_view> parts{"EVAL", script, count};
    for (const std::string& key : keys) parts.push_back(full.emplace_back(prefix_ + key));
    parts.insert(parts.end(), arguments.begin(), arguments.end());
    command(parts);
  }

  void command(const std::vector<std::string_view>& parts) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string_view part : parts) {
      texts.push_back(part.data());
      sizes.push_back(part.size());
    }
    char* bytes = nullptr;
    const auto nbytes =
        redisFormatCommandArgv(&bytes, static_cast<int>(parts.size()), texts.data(), sizes.data());
    if (nbytes < 0) throw std::bad_alloc();
    send({bytes, static_cast<std::size_t>(nbytes)});
    redisFreeCommand(bytes);
    count_request();
  }

  enum class Phase : std::uint8_t {
    ask,       // a script reads the values and marks the first missing key
    block,     // the client is blocked on a stream
    ask_last,  // the values are read once more, without marks
  };
  std::string prefix_;
  std::unique_ptr<redisReader, ReaderDeleter> reader_;
  std::size_t sent_ = 0;  // number of requests of the batch that have been sent
  // State of the get or wait that is being answered:
  Phase phase_ = Phase::ask;
  Clock::time_point end_;
  std::vector<std::optional<std::string>> values_;
  std::vector<std::size_t> asked_;  // indices of the keys that the last command asked for
};

}  // namespace

std::unique_ptr<StoreClient> make_redis_client(const StoreOptions& options, PollSet& polls,
                                               std::uint64_t token) {
  return std::make_unique<RedisClient>(options, polls, token);
}

bool has_redis() noexcept { return true; }

}  // namespace megascale::comm
