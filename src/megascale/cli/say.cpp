#include <cstdio>

#include "megascale/cli/command.h"

namespace megascale::cli {

void say(std::string_view text, std::string_view end) noexcept {
  // In one piece: ranks that are processes share a stderr.
  std::fprintf(stderr, "%.*s%.*s", static_cast<int>(text.size()), text.data(),
               static_cast<int>(end.size()), end.data());
}

}  // namespace megascale::cli
