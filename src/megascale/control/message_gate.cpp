// Compares the numbers of a message with the highest ones so far.
#include "megascale/control/message_gate.h"

#include <fmt/format.h>

#include <algorithm>

namespace megascale::control {

HeartbeatGate::Verdict HeartbeatGate::check(const Heartbeat& heartbeat, std::int64_t epoch) {
  const auto refuse = [](Refusal refusal, std::string reason) {
    return Verdict{.answer = Answer::refuse, .reason = std::move(reason), .refusal = refusal};
  };
  if (heartbeat.job != job_) {
    return refuse(Refusal::restart,
                  fmt::format("expected job {}, found job {}", job_, heartbeat.job));
  }
  if (heartbeat.epoch > epoch) {
    return refuse(Refusal::ignore,
                  fmt::format("expected an epoch of at most {}, found {}: another driver has taken "
                              "the job over",
                              epoch, heartbeat.epoch));
  }
  Seen& seen = hosts_[heartbeat.host];
  if (heartbeat.incarnation < seen.incarnation) {
    return refuse(Refusal::leave,
                  fmt::format("the executor of host {} (incarnation {}) was replaced by a newer "
                              "one (incarnation {})",
                              heartbeat.host, heartbeat.incarnation, seen.incarnation));
  }
  if (heartbeat.incarnation == seen.incarnation && heartbeat.sequence <= seen.sequence)
    return {.answer = Answer::ignore, .reason = {}, .refusal = Refusal::none};
  seen = {.incarnation = heartbeat.incarnation, .sequence = heartbeat.sequence};
  return {};
}

bool OrderGate::admits(const Order& order) const noexcept {
  if (order.number <= number_) return false;
  // A new epoch begins with a start. A check and a release are about the host, every other order about
  // the epoch that the executor has.
  if (order.kind == OrderKind::start) return order.epoch > epoch_;
  return order.kind == OrderKind::release || order.kind == OrderKind::check ||
         order.epoch == epoch_;
}

void OrderGate::done(const Order& order) noexcept {
  number_ = std::max(number_, order.number);
  if (order.kind == OrderKind::start) epoch_ = std::max(epoch_, order.epoch);
}

}  // namespace megascale::control
