#ifndef MEGASCALE_COMM_STORE_POLL_SET_H_
#define MEGASCALE_COMM_STORE_POLL_SET_H_

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/base/files.h"

namespace megascale::comm {

// Sockets on which one thread sleeps (epoll, level-triggered). Not thread safe.
class PollSet {
 public:
  struct Ready {
    std::uint64_t token;
    bool readable, writable;  // both where the connection is broken: the next read says why
  };
  // Throws Error (io) when the system gives no descriptor.
  PollSet();
  // `fd` stays the caller's, who removes it before closing it. Throws Error (io).
  void add(int fd, std::uint64_t token, bool read, bool write);
  void change(int fd, std::uint64_t token, bool read, bool write);
  void remove(int fd) noexcept;
  // Those that are ready, at most 1,024 at a time; none when the limit passed first. The span is
  // valid until the next call.
  std::span<const Ready> wait(std::chrono::milliseconds limit);

 private:
  void change(int operation, int fd, std::uint64_t token, bool read, bool write);
  FileHandle epoll_;
  std::vector<epoll_event> events_;
  std::vector<Ready> ready_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_POLL_SET_H_
