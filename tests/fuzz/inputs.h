#ifndef MEGASCALE_TESTS_FUZZ_INPUTS_H_
#define MEGASCALE_TESTS_FUZZ_INPUTS_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace megascale::fuzz {

// A target of targets.h with what its fuzzers start from.
struct Subject {
  std::string name;  // of the target, and of its program fuzz_NAME
  bool (*target)(std::span<const std::byte>);
  std::vector<std::string> good;   // inputs that it accepts
  std::vector<std::string> words;  // that mutations put in
};

// All targets.
[[nodiscard]] std::vector<Subject> subjects();

}  // namespace megascale::fuzz

#endif  // MEGASCALE_TESTS_FUZZ_INPUTS_H_
