#ifndef MEGASCALE_CONTROL_LINK_H_
#define MEGASCALE_CONTROL_LINK_H_

#include <poll.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "megascale/control/messages.h"

namespace megascale::control {

// The executor's connection to its driver. The executor sends a heartbeat and gets a reply later; it
// never waits for the driver, which may be slow or gone. One thread may use it.
class Link {
 public:
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  virtual ~Link() = default;
  // Keeps the connection in order: notices that it is broken and makes it anew. Call it before each
  // wait.
  virtual void service(std::int64_t now_ns) = 0;
  // Returns whether a heartbeat may be sent: the driver is connected, and has answered the last one.
  [[nodiscard]] virtual bool ready() const = 0;
  virtual void send(const Heartbeat& heartbeat, std::int64_t now_ns) = 0;
  // Returns a reply that has come.
  [[nodiscard]] virtual std::optional<Reply> receive() = 0;
  // Adds the descriptors that wake the caller when receive() or service() has something to do.
  virtual void add_to(std::vector<pollfd>& descriptors) const = 0;
  // Returns why no driver can be had; nothing as long as one may come.
  [[nodiscard]] virtual std::optional<std::string> hopeless() const = 0;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_LINK_H_
