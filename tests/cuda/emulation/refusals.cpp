// Failures of libraries on request.
#include <mutex>
#include <set>
#include <string>

#include "cuda/emulation/emulation.h"

namespace megascale::emulation {
namespace {

std::mutex mutex;
std::set<std::string, std::less<>>& refused() {
  static std::set<std::string, std::less<>> functions;
  return functions;
}

}  // namespace

void refuse_next(std::string_view function) {
  const std::lock_guard lock(mutex);
  refused().emplace(function);
}
bool is_refused(std::string_view function) {
  const std::lock_guard lock(mutex);
  const auto found = refused().find(function);
  if (found == refused().end()) return false;
  refused().erase(found);
  return true;
}

}  // namespace megascale::emulation
