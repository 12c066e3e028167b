// Measures how fast a tokenizer encodes texts on one core: measure_tokenizer TOKENIZER TEXTS.
// TEXTS holds for each text a uint32 with its number of bytes and the bytes (peers.mjs writes it).
// Counts the processor's time, so that busy neighbours change little. Prints megabytes and tokens
// per second: of the first pass, and of the best of three passes after it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/data/tokenizer.h"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print("expected: measure_tokenizer TOKENIZER TEXTS\n");
    return 2;
  }
  try {
    const auto tokenizer = megascale::open_tokenizer(argv[1]);
    const std::string file = megascale::read_text(argv[2]);
    std::vector<std::int32_t> ids;
    std::size_t tokens = 0, nbytes = 0;
    double first = 0, best = 0;
    for (int pass = 0; pass < 4; ++pass) {
      tokens = nbytes = 0;
      const double begin = cpu_seconds();
      for (std::string_view rest = file; !rest.empty();) {
        std::uint32_t size = 0;
        std::memcpy(&size, rest.data(), sizeof size);
        ids.clear();
        tokenizer->encode(rest.substr(sizeof size, size), ids);
        tokens += ids.size();
        nbytes += size;
        rest.remove_prefix(sizeof size + size);
      }
      const double seconds = cpu_seconds() - begin;
      if (pass == 0) first = seconds;
      best = best == 0 ? seconds : std::min(best, seconds);
    }
    fmt::print(
        "{{\"first\": {:.2f}, \"best\": {:.2f}, \"tokens\": {}, \"tokens_per_second\": {:.0f}}}\n",
        static_cast<double>(nbytes) * 1e-6 / first, static_cast<double>(nbytes) * 1e-6 / best,
        tokens, static_cast<double>(tokens) / best);
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}
