// One pass over the event log. Each event is checked against what the events before have
// established.
#include "megascale/control/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace megascale::control {
namespace {

class Checker {
 public:
  explicit Checker(std::span<const Incident> incidents) {
    for (const Incident& incident : incidents) incidents_[incident.number] = &incident;
  }

  void take(const LogEntry& entry) {
    switch (entry.kind) {
      case EntryKind::session_started:
        first_of_session_ = true;
        break;
      case EntryKind::attempt_found:  // what was before it is not in the log
        epoch_ = std::max(epoch_, entry.epoch - 1);
        any_trained_ = false;
        break;
      case EntryKind::attempt_started:
        start(entry);
        break;
      case EntryKind::attempt_training:
        train(entry);
        break;
      case EntryKind::attempt_ended:
        active_ = 0;
        furthest_ = std::max(furthest_, entry.step);
        break;
      case EntryKind::checkpoint_committed:
        commit(entry);
        break;
      case EntryKind::copy_committed:
        copied_.insert(entry.step);
        furthest_ = std::max(furthest_, entry.step);
        break;
      case EntryKind::rolled_back:
        committed_.erase(committed_.upper_bound(entry.step), committed_.end());
        break;
      case EntryKind::incident_opened:
        if (!open_.insert(entry.incident).second)
          violate('e', entry, "an incident is opened twice");
        require_reasons(entry);
        break;
      case EntryKind::incident_closed:
        if (open_.erase(entry.incident) == 0)
          violate('e', entry, "an incident is closed that is not open");
        break;
      case EntryKind::order_given:
      case EntryKind::order_done:
        note_order(entry);
        break;
      case EntryKind::session_ended:
        // A person may end a session at any moment; a job that ends by itself leaves nothing open.
        break;
      default:
        break;
    }
  }

  std::vector<Violation> finish(std::optional<std::int64_t> faults) {
    for (const auto& [number, incident] : incidents_) {
      if (incident->closed_ns != 0 && incident->outcome.empty())
        add('e', fmt::format("incident {} is closed without an outcome", number));
    }
    const auto found = static_cast<std::int64_t>(incidents_.size());
    if (faults && found != *faults)
      add('g', fmt::format("expected {} incidents, found {}", *faults, found));
    return std::move(violations_);
  }

 private:
  void add(char invariant, std::string what) {
    violations_.push_back({.invariant = invariant, .what = std::move(what)});
  }
  void violate(char invariant, const LogEntry& entry, const std::string& what) {
    add(invariant, fmt::format("event {} (epoch {}): {}", entry.number, entry.epoch, what));
  }

  void start(const LogEntry& entry) {
    if (active_ != 0)
      violate('a', entry, fmt::format("an attempt starts while attempt {} is active", active_));
    if (entry.epoch != epoch_ + 1)
      violate('a', entry, fmt::format("expected epoch {}", epoch_ + 1));
    if (!first_of_session_ && !incidents_.contains(entry.incident))
      violate('e', entry, "a restart without an incident");
    active_ = epoch_ = entry.epoch;
    first_of_session_ = false;
  }

  void train(const LogEntry& entry) {
    // The state of the first attempt may come from elsewhere (checkpoint.load).
    const bool is_first = std::exchange(any_trained_, true) == false;
    if (entry.step > furthest_ && !is_first)
      violate('c', entry,
              fmt::format("it begins at step {}, only {} steps were done", entry.step, furthest_));
    if (entry.step > 0 && !committed_.contains(entry.step) && !copied_.contains(entry.step) &&
        !is_first)
      violate('d', entry, fmt::format("the state of step {} was never committed", entry.step));
    furthest_ = std::max(furthest_, entry.step);
  }

  void commit(const LogEntry& entry) {
    if (!committed_.empty() && entry.step <= *committed_.rbegin()) {
      violate('b', entry,
              fmt::format("step {} is committed after step {}", entry.step, *committed_.rbegin()));
    }
    committed_.insert(entry.step);
    // Its steps were done, even if the executor died before it could say so.
    furthest_ = std::max(furthest_, entry.step);
  }

  void require_reasons(const LogEntry& entry) {
    const auto found = incidents_.find(entry.incident);
    if (found == incidents_.end()) return violate('e', entry, "the incident is not recorded");
    const Incident& incident = *found->second;
    if (incident.rule.empty() || incident.evidence.empty() || incident.action.empty())
      violate('e', entry, "the incident lacks rule, evidence or action");
  }

  void note_order(const LogEntry& entry) {
    std::set<std::string>& seen = entry.kind == EntryKind::order_given ? given_ : done_;
    const std::string order = entry.text.substr(0, entry.text.find(' '));
    if (!seen.insert(order).second)
      violate('e', entry, fmt::format("order {} appears twice", order));
  }

  std::map<std::int64_t, const Incident*> incidents_;
  std::set<std::int64_t> open_, committed_, copied_;
  std::set<std::string> given_, done_;  // numbers of orders
  std::int64_t active_ = 0, epoch_ = 0, furthest_ = 0;
  bool first_of_session_ = true, any_trained_ = false;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> check_invariants(std::span<const LogEntry> log,
                                        std::span<const Incident> incidents,
                                        std::optional<std::int64_t> faults) {
  Checker checker(incidents);
  for (const LogEntry& entry : log) checker.take(entry);
  return checker.finish(faults);
}

}  // namespace megascale::control
