#include "megascale/kernels/cuda/gemm_tuning.h"

#include <fmt/format.h>

#include <sstream>

#include "megascale/base/files.h"
#include "megascale/cuda/device.h"

namespace megascale::kernels::cuda {
namespace {

GemmTuning& current() {
  static GemmTuning tuning;
  return tuning;
}

// What a tuning holds for: candidates are places in a list that the library makes for the device.
std::string heading() {
  return fmt::format("megascale gemm tuning: {}, cuBLASLt {}",
                     ::megascale::cuda::properties(0).name, gemm_library_version());
}

}  // namespace

std::string key_of(const GemmConfig& config) {
  const char* kind = config.kind == GemmKind::forward          ? "forward"
                     : config.kind == GemmKind::input_gradient ? "input_gradient"
                                                               : "weight_gradient";
  return fmt::format("{} {}x{}->{} {}{}{}", kind, config.rows, config.in, config.out,
                     to_string(config.dtype), config.bias ? " bias" : "",
                     config.accumulate ? " accumulate" : "");
}

GemmTuning read_tuning(const std::filesystem::path& path) {
  std::istringstream lines(read_text(path));
  std::string line;
  std::getline(lines, line);
  if (line != heading()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected \"{}\", found \"{}\"; `megascale bench gemm --tune` "
                            "measures anew",
                            path.string(), heading(), line));
  }
  GemmTuning tuning;
  while (std::getline(lines, line)) {
    const std::size_t colon = line.rfind(": ");
    std::size_t candidate = 0;
    if (colon == std::string::npos || !(std::istringstream(line.substr(colon + 2)) >> candidate)) {
      throw Error(ErrorCode::bad_input, fmt::format("{}: expected PRODUCT: CANDIDATE, found \"{}\"",
                                                    path.string(), line));
    }
    tuning[line.substr(0, colon)] = candidate;
  }
  return tuning;
}

void write_tuning(const std::filesystem::path& path, const GemmTuning& tuning) {
  std::string text = heading() + "\n";
  for (const auto& [key, candidate] : tuning) text += fmt::format("{}: {}\n", key, candidate);
  write_text_atomically(path, text);
}

void use_tuning(GemmTuning tuning) { current() = std::move(tuning); }

Gemm tuned(const GemmConfig& config) {
  Gemm gemm(config);
  const auto entry = current().find(key_of(config));
  if (entry == current().end()) return gemm;
  if (entry->second >= gemm.candidates()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the tuning takes candidate {} of {}, there are {}", entry->second,
                            entry->first, gemm.candidates()));
  }
  gemm.choose(entry->second);
  return gemm;
}

}  // namespace megascale::kernels::cuda
