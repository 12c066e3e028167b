// The only place that calls getenv(), so that the lint suppression stands once.
#include "megascale/base/environment.h"

#include <cstdlib>

namespace megascale {

const char* environment_variable(const char* name) noexcept {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace megascale
