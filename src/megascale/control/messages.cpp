// The words of the enumerations, which messages, records and people read.
#include "megascale/control/messages.h"

namespace megascale::control {

std::string_view to_string(RankState state) noexcept {
  switch (state) {
    case RankState::running:
      return "running";
    case RankState::stopped:
      return "stopped";
    case RankState::ended:
      return "ended";
  }
  return "?";
}

std::string_view to_string(OrderKind kind) noexcept {
  switch (kind) {
    case OrderKind::start:
      return "start";
    case OrderKind::stop:
      return "stop";
    case OrderKind::check:
      return "check";
    case OrderKind::save:
      return "save";
    case OrderKind::release:
      return "release";
  }
  return "?";
}

std::string_view to_string(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::none:
      return "none";
    case Refusal::ignore:
      return "ignore";
    case Refusal::leave:
      return "leave";
    case Refusal::restart:
      return "restart";
  }
  return "?";
}

}  // namespace megascale::control
