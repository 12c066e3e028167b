#ifndef MEGASCALE_CONTROL_DRIVER_LINK_H_
#define MEGASCALE_CONTROL_DRIVER_LINK_H_

#include <sys/types.h>

#include <functional>
#include <string>

#include "megascale/base/files.h"
#include "megascale/control/link.h"

namespace megascale::control {

// A driver that is a child of this process: starts it, connects to it, and starts it again whenever
// it has ended or does not answer. The driver's state is in the job record, so it goes on where it
// was. The driver ends with this process.
class DriverLink final : public Link {
 public:
  struct Options {
    std::string run_dir;
    const sigset_t* blocked = nullptr;  // blocked signals of the driver
    double answer_seconds = 30;         // a driver that is silent for longer is killed
    std::function<void(const std::string&)> on_message;
  };
  explicit DriverLink(Options options);
  DriverLink(const DriverLink&) = delete;
  DriverLink& operator=(const DriverLink&) = delete;
  ~DriverLink() override;

  void service(std::int64_t now_ns) override;
  [[nodiscard]] bool ready() const override;
  void send(const Heartbeat& heartbeat, std::int64_t now_ns) override;
  [[nodiscard]] std::optional<Reply> receive() override;
  void add_to(std::vector<pollfd>& descriptors) const override;
  [[nodiscard]] std::optional<std::string> hopeless() const override;

 private:
  void start(std::int64_t now_ns);
  void take_end(std::int64_t now_ns);

  Options options_;
  pid_t process_ = -1;  // -1: none
  FileHandle pidfd_, socket_;
  std::int64_t sent_ns_ = 0;        // of the heartbeat without an answer; 0: there is none
  std::int64_t next_start_ns_ = 0;  // not before
  int mute_ends_ = 0;               // drivers in a row that have ended without an answer
  std::string last_end_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DRIVER_LINK_H_
