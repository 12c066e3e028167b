#ifndef MEGASCALE_COMM_STORE_POLL_SET_H_
#define MEGASCALE_COMM_STORE_POLL_SET_H_

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/base/files.h"

namespace megascale::comm {

// A set of sockets on which one thread can sleep until one of them is ready (level-triggered
// epoll). Not thread safe.
class PollSet {
 public:
  struct Ready {
    std::uint64_t token;
    // Both are true if the connection is broken; the next read or write returns the reason.
    bool readable, writable;
  };
  // Throws Error (io) if no file descriptor is left.
  PollSet();
  // Adds a socket, or changes an added one. `read` and `write` select the events to report, and
  // `token` identifies the socket in wait(). The caller keeps the ownership of `fd` and must remove
  // it before closing it. Throws Error (io).
  void add(int fd, std::uint64_t token, bool read, bool write);
  void change(int fd, std::uint64_t token, bool read, bool write);
  // Removes a socket. A negative or unknown `fd` is ignored.
  void remove(int fd) noexcept;
  // Sleeps until a socket is ready, at most `limit`. Returns the ready sockets, at most 1,024 at a
  // time; none if the time is over. The span is valid until the next call.
  std::span<const Ready> wait(std::chrono::milliseconds limit);

 private:
  void change(int operation, int fd, std::uint64_t token, bool read, bool write);
  FileHandle epoll_;
  std::vector<epoll_event> events_;
  std::vector<Ready> ready_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_POLL_SET_H_
