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
    case OrderKind::release:
      return "release";
  }
  return "?";
}

}  // namespace megascale::control
