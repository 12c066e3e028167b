// One request at a time passes from the executor's thread to the thread of calls, and one answer
// back. An eventfd wakes the executor's poll().
#include "megascale/control/remote/remote_link.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "megascale/base/error.h"
#include "megascale/control/message_text.h"
#include "megascale/control/remote/control_messages.h"

namespace megascale::control {

RemoteLink::RemoteLink(DriverClient& client, Options options)
    : client_(client),
      options_(std::move(options)),
      event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_.get() < 0) throw Error(ErrorCode::io, "eventfd cannot be made");
  thread_ = std::thread([this] { work(); });
}

RemoteLink::~RemoteLink() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_comes_.notify_all();
  thread_.join();
}

void RemoteLink::service(std::int64_t now_ns) {
  std::uint64_t count = 0;
  (void)!::read(event_.get(), &count, sizeof count);
  std::vector<std::string> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(messages_);
    if (answered_ns_ == 0 || std::exchange(has_answered_, false)) answered_ns_ = now_ns;
    now_ns_ = now_ns;
  }
  for (const std::string& message : messages) options_.on_message(message);
}

bool RemoteLink::ready() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

void RemoteLink::send(const Heartbeat& heartbeat, std::int64_t /*now_ns*/) {
  {
    const std::lock_guard lock(mutex_);
    request_ = to_text(heartbeat);
    busy_ = true;
  }
  work_comes_.notify_all();
}

std::optional<Reply> RemoteLink::receive() {
  const std::lock_guard lock(mutex_);
  if (replies_.empty()) return std::nullopt;
  Reply reply = std::move(replies_.front());
  replies_.erase(replies_.begin());
  return reply;
}

void RemoteLink::add_to(std::vector<pollfd>& descriptors) const {
  descriptors.push_back({event_.get(), POLLIN, 0});
}

std::optional<std::string> RemoteLink::hopeless() const {
  const std::lock_guard lock(mutex_);
  if (static_cast<double>(now_ns_ - answered_ns_) * 1e-9 < options_.wait_seconds)
    return std::nullopt;
  return fmt::format("no driver has answered for {:.0f} s: {}", options_.wait_seconds, last_error_);
}

void RemoteLink::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_comes_.wait(lock, [this] { return ending_ || request_; });
    if (ending_) return;
    const std::string request = *std::exchange(request_, std::nullopt);
    lock.unlock();
    auto answer = [&]() -> Result<std::string> {
      try {
        return client_.call(kHeartbeatVerb, request, options_.limit);
      } catch (const Error& error) {
        return tl::unexpected(error);
      }
    }();
    const bool answered = answer.has_value();
    const auto renewed = answered ? client_.renew_if_due(options_.limit) : std::nullopt;
    lock.lock();
    if (renewed) messages_.push_back(*renewed);
    take(std::move(answer));
    // An executor may send again at once when a rank has ended.
    if (!answered) work_comes_.wait_for(lock, options_.pause, [this] { return ending_; });
    busy_ = false;
    wake();
  }
}

// Called with the lock.
void RemoteLink::take(Result<std::string> answer) {
  if (!answer) {
    last_error_ = answer.error().message();
    if (!std::exchange(is_lost_, true))
      messages_.push_back(fmt::format("{}; the ranks go on", last_error_));
    return;
  }
  if (std::exchange(is_lost_, false)) messages_.emplace_back("the driver answers again");
  has_answered_ = true;
  try {
    Reply reply = parse_reply(*answer);
    if (reply.refusal == Refusal::ignore) return take_refusal(reply.refused);
    if (reply.term < options_.term) {
      return take_refusal(fmt::format(
          "a driver of term {} answers, and one of term {} has taken the job over: it is ignored",
          reply.term, options_.term));
    }
    options_.term = reply.term;
    replies_.push_back(std::move(reply));
  } catch (const Error& error) {
    messages_.push_back(error.message());
  }
}

// That driver is not the one of the job.
void RemoteLink::take_refusal(std::string why) {
  has_answered_ = false;
  client_.try_the_next();
  if (last_error_ == why) return;
  last_error_ = std::move(why);
  messages_.push_back(last_error_);
}

void RemoteLink::wake() const noexcept {
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

}  // namespace megascale::control
