// The words under which the event log stores its kinds.
#include "megascale/control/records.h"

#include <algorithm>
#include <array>

namespace megascale::control {
namespace {

constexpr std::array<std::string_view, 24> kEntryKinds{
    "session_started",  "session_ended",    "driver_started",
    "attempt_started",  "attempt_training", "attempt_caught_up",
    "attempt_stopping", "attempt_ended",    "checkpoint_committed",
    "copy_committed",   "rolled_back",      "incident_opened",
    "consequence",      "incident_closed",  "order_given",
    "order_done",       "host_seen",        "refused",
    "host_blocked",     "host_allowed",     "checks_started",
    "checks_ended",     "attempt_found",    "stall"};

}  // namespace

std::string_view to_string(EntryKind kind) noexcept {
  return kEntryKinds[static_cast<std::size_t>(kind)];
}

std::optional<EntryKind> parse_entry_kind(std::string_view word) noexcept {
  const auto* found = std::find(kEntryKinds.begin(), kEntryKinds.end(), word);
  if (found == kEntryKinds.end()) return std::nullopt;
  return static_cast<EntryKind>(found - kEntryKinds.begin());
}

}  // namespace megascale::control
