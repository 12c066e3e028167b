// Failures of libraries on request.
#include <map>
#include <mutex>
#include <string>

#include "cuda/emulation/emulation.h"

namespace megascale::emulation {
namespace {

std::mutex mutex;
// By function: how many calls succeed before.
std::map<std::string, int, std::less<>>& refused() {
  static std::map<std::string, int, std::less<>> functions;
  return functions;
}

}  // namespace

void refuse_next(std::string_view function, int calls) {
  const std::lock_guard lock(mutex);
  refused()[std::string(function)] = calls;
}
void refuse_nothing() {
  const std::lock_guard lock(mutex);
  refused().clear();
}
bool is_to_be_refused(std::string_view function) {
  const std::lock_guard lock(mutex);
  return refused().contains(function);
}
bool is_refused(std::string_view function) {
  const std::lock_guard lock(mutex);
  const auto found = refused().find(function);
  if (found == refused().end() || found->second-- > 0) return false;
  refused().erase(found);
  return true;
}

}  // namespace megascale::emulation
