#include <cstdio>

#include "megascale/cli/command.h"

namespace megascale::cli {

void say(std::string_view text, std::string_view end) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fwrite(end.data(), 1, end.size(), stderr);
}

}  // namespace megascale::cli
