// Walks through the log: an event ends the bucket that was open and opens another one. Two events
// tell of the past, and move time that was counted already: the end of an attempt's progress
// (detection), and the sum of its stalls.
#include "megascale/control/ledger.h"

#include <algorithm>
#include <initializer_list>

namespace megascale::control {
namespace {

constexpr std::array<std::string_view, kBuckets> kNames{
    "stepping", "checkpoint_stall", "detection", "checks", "restart", "repeated", "idle"};

std::int64_t to_ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

class Walk {
 public:
  explicit Walk(Ledger& ledger) : ledger_(ledger) {}

  void take(const LogEntry& entry) {
    if (entry.kind == EntryKind::session_started) begin(entry.time_ns);
    if (!open_) return;
    advance(entry.time_ns);
    switch (entry.kind) {
      case EntryKind::attempt_started:
        bucket_ = Bucket::restart;
        attempt_ = {};
        has_attempt_ = true;
        break;
      case EntryKind::checks_started:
        bucket_ = Bucket::checks;
        break;
      case EntryKind::checks_ended:
        bucket_ = has_attempt_ ? Bucket::idle : Bucket::restart;
        break;
      case EntryKind::attempt_training:
        bucket_ = Bucket::repeated;
        break;
      case EntryKind::attempt_caught_up:
        bucket_ = Bucket::stepping;
        break;
      case EntryKind::attempt_stopping:
        move(to_ns(entry.seconds), Bucket::detection,
             {bucket_, Bucket::stepping, Bucket::repeated, Bucket::restart});
        bucket_ = Bucket::restart;
        break;
      case EntryKind::stall:
        move(to_ns(entry.seconds), Bucket::checkpoint_stall, {Bucket::stepping, Bucket::repeated});
        break;
      case EntryKind::attempt_ended:  // at a session's begin it may be that of the session before
        if (has_attempt_) bucket_ = Bucket::idle;
        break;
      case EntryKind::session_ended:
        open_ = false;
        break;
      default:
        break;
    }
  }
  // The log ends within a session.
  void end(std::int64_t alive_ns) {
    if (open_) advance(alive_ns);
  }

 private:
  void begin(std::int64_t now_ns) {
    open_ = true;
    has_attempt_ = false;
    at_ns_ = now_ns;
    bucket_ = Bucket::restart;
    attempt_ = {};
  }
  void advance(std::int64_t now_ns) {
    const std::int64_t passed = std::max<std::int64_t>(now_ns - at_ns_, 0);
    of(ledger_.ns, bucket_) += passed;
    of(attempt_, bucket_) += passed;
    ledger_.wall_ns += passed;
    at_ns_ = std::max(at_ns_, now_ns);
  }
  // Moves time of this attempt to another bucket, from the first buckets that have some.
  void move(std::int64_t ns, Bucket to, std::initializer_list<Bucket> from_buckets) {
    for (const Bucket from : from_buckets) {
      const std::int64_t moved = std::clamp<std::int64_t>(ns, 0, of(attempt_, from));
      of(attempt_, from) -= moved;
      of(ledger_.ns, from) -= moved;
      of(ledger_.ns, to) += moved;
      ns -= moved;
    }
  }
  static std::int64_t& of(std::array<std::int64_t, kBuckets>& ns, Bucket bucket) {
    return ns[static_cast<std::size_t>(bucket)];
  }

  Ledger& ledger_;
  bool open_ = false;         // within a session
  bool has_attempt_ = false;  // an attempt has started in this session
  std::int64_t at_ns_ = 0;
  Bucket bucket_ = Bucket::restart;
  std::array<std::int64_t, kBuckets> attempt_{};  // time of the current attempt by bucket
};

}  // namespace

std::string_view to_string(Bucket bucket) noexcept {
  return kNames[static_cast<std::size_t>(bucket)];
}

double Ledger::effective() const noexcept {
  return wall_ns == 0 ? 0 : seconds(Bucket::stepping) / (static_cast<double>(wall_ns) * 1e-9);
}

Ledger make_ledger(std::span<const LogEntry> log, std::int64_t alive_ns) {
  Ledger ledger;
  Walk walk(ledger);
  for (const LogEntry& entry : log) walk.take(entry);
  walk.end(alive_ns);
  return ledger;
}

}  // namespace megascale::control
