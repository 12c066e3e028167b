// One fuzzer: MEGASCALE_FUZZ_TARGET names the function of targets.h. With clang and
// -fsanitize=fuzzer the library brings main(); otherwise the main() below runs the files given, so
// that a finding can be replayed with any compiler.
#include <cstdint>
#include <cstdio>

#include "fuzz/targets.h"
#include "megascale/base/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)megascale::fuzz::MEGASCALE_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  return 0;
}

#ifndef MEGASCALE_LIBFUZZER
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string text = megascale::read_text(argv[i]);
    const bool accepted =
        megascale::fuzz::MEGASCALE_FUZZ_TARGET(std::as_bytes(std::span(text.data(), text.size())));
    std::printf("%s: %s\n", argv[i], accepted ? "accepted" : "refused");
  }
  return 0;
}
#endif
