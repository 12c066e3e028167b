// A thin wrapper of Linux epoll.
#include "megascale/comm/store/poll_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::comm {

PollSet::PollSet() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), events_(1024) {
  if (epoll_.get() < 0)
    throw Error(ErrorCode::io,
                fmt::format("epoll_create1: {}", std::generic_category().message(errno)));
}

void PollSet::change(int operation, int fd, std::uint64_t token, bool read, bool write) {
  epoll_event event{};
  event.events = (read ? EPOLLIN : 0U) | (write ? EPOLLOUT : 0U);
  event.data.u64 = token;
  if (::epoll_ctl(epoll_.get(), operation, fd, &event) != 0)
    throw Error(ErrorCode::io,
                fmt::format("epoll_ctl: {}", std::generic_category().message(errno)));
}

void PollSet::add(int fd, std::uint64_t token, bool read, bool write) {
  change(EPOLL_CTL_ADD, fd, token, read, write);
}

void PollSet::change(int fd, std::uint64_t token, bool read, bool write) {
  change(EPOLL_CTL_MOD, fd, token, read, write);
}

void PollSet::remove(int fd) noexcept {
  if (fd >= 0) (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

std::span<const PollSet::Ready> PollSet::wait(std::chrono::milliseconds limit) {
  const auto timeout = std::clamp<std::int64_t>(limit.count(), 0, std::numeric_limits<int>::max());
  const int count = ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()),
                                 static_cast<int>(timeout));
  if (count < 0 && errno != EINTR)
    throw Error(ErrorCode::io,
                fmt::format("epoll_wait: {}", std::generic_category().message(errno)));
  ready_.clear();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
    ready_.push_back({event.data.u64, broken || (event.events & EPOLLIN) != 0,
                      broken || (event.events & EPOLLOUT) != 0});
  }
  return ready_;
}

}  // namespace megascale::comm
