// Messages of all subcommands go to stderr, so that stdout has only their results; and the form of
// these results as lines of JSON.
#include <cstdio>

#include "megascale/cli/command.h"

namespace megascale::cli {

void say(std::string_view text, std::string_view end) noexcept {
  // One call for both parts, so that lines of several processes on one stderr do not mix.
  std::fprintf(stderr, "%.*s%.*s", static_cast<int>(text.size()), text.data(),
               static_cast<int>(end.size()), end.data());
}

std::string json_line(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace megascale::cli
