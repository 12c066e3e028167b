#ifndef MEGASCALE_CONTROL_MESSAGE_GATE_H_
#define MEGASCALE_CONTROL_MESSAGE_GATE_H_

#include <cstdint>
#include <map>
#include <string>

#include "megascale/control/messages.h"

// Keeps stale, duplicate and reordered messages from having an effect, on both sides. Each class is
// for one thread.
namespace megascale::control {

// The driver's side.
class HeartbeatGate {
 public:
  enum class Answer : std::uint8_t {
    take,
    ignore,  // a duplicate, or one that a later one has overtaken: no effect, but a reply is due
    refuse   // see `reason`
  };
  struct Verdict {
    Answer answer = Answer::take;
    std::string reason;
    Refusal refusal = Refusal::none;  // what the sender has to do
  };
  explicit HeartbeatGate(std::string job) : job_(std::move(job)) {}
  // The newest incarnation of a host's executor that an earlier driver has heard of.
  void remember(const std::string& host, std::int64_t incarnation) {
    hosts_[host].incarnation = incarnation;
  }
  // `epoch` is that of the newest attempt. Refused are heartbeats of another job, of an executor that
  // a newer incarnation has replaced, and of an epoch that this driver has not begun: then another
  // driver has taken the job over.
  Verdict check(const Heartbeat& heartbeat, std::int64_t epoch);

 private:
  struct Seen {
    std::int64_t incarnation = 0, sequence = 0;
  };
  std::string job_;
  std::map<std::string, Seen> hosts_;
};

// The executor's side.
class OrderGate {
 public:
  // Returns whether the order must be carried out now. False: it was before, or it belongs to an
  // epoch that is over.
  [[nodiscard]] bool admits(const Order& order) const noexcept;
  // The order has been carried out.
  void done(const Order& order) noexcept;
  // The highest number of the orders that were carried out or refused as stale.
  [[nodiscard]] std::int64_t acknowledged() const noexcept { return number_; }
  [[nodiscard]] std::int64_t epoch() const noexcept { return epoch_; }

 private:
  std::int64_t number_ = 0, epoch_ = 0;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_MESSAGE_GATE_H_
