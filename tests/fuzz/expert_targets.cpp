// Files about experts: recorded choices of routers, and recorded loads.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/engine/route_file.h"
#include "megascale/study/forecast/recorded_loads.h"

namespace megascale::fuzz {
namespace {

// A file in memory, since routes are read by path. All inputs of a process use one.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz.routes", MFD_CLOEXEC)) {
    MEGASCALE_CHECK(descriptor_ >= 0, "a file in memory");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  void put(std::span<const std::byte> bytes) const {
    MEGASCALE_CHECK(ftruncate(descriptor_, 0) == 0, "the file is emptied");
    MEGASCALE_CHECK(
        pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "the file is written");
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Checks that a refusal does not show the same shape as expected and as found.
void expect_two_shapes(const std::string& message) {
  constexpr std::string_view kExpected = "expected routes of ", kFound = ", found ";
  const std::size_t first = message.find(kExpected), second = message.find(kFound);
  if (first == std::string::npos || second == std::string::npos) return;
  const std::size_t begin = first + kExpected.size(), found = second + kFound.size();
  MEGASCALE_CHECK(message.substr(begin, second - begin) !=
                      message.substr(found, message.find(": the model", found) - found),
                  message);
}

}  // namespace

bool routes(std::span<const std::byte> input) {
  using engine::RouteFile;
  static const MemoryFile memory;
  memory.put(input);
  const engine::RouteShape shape{.layers = 2, .tokens = 3, .top_k = 2, .experts = 5};
  try {
    const RouteFile file = RouteFile::to_read(memory.path(), shape);
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      std::array<std::int32_t, 6> choices{};
      file.read(layer, 0, choices);
      for (std::size_t i = 0; i < choices.size(); ++i) {
        MEGASCALE_CHECK(choices[i] >= RouteFile::kUnknown && choices[i] < shape.experts,
                        "an expert");
        MEGASCALE_CHECK(
            i % 2 == 0 || choices[i] != choices[i - 1] || choices[i] == RouteFile::kUnknown,
            "different experts");
      }
      std::array<float, 6> scores{};
      file.read_scores(layer, 0, scores);
    }
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input, error.message());
    MEGASCALE_CHECK(error.message().starts_with(memory.path() + ": "), error.message());
    expect_two_shapes(error.message());
    return false;
  }
}

bool recorded_loads(std::span<const std::byte> input) {
  ModelConfig model;
  model.num_layers = 6;
  model.moe.num_experts = 4;
  model.moe.router_topk = 2;
  model.moe.first_dense_layers = 1;
  model.moe.layer_freq = 2;
  try {
    const auto loads =
        study::parse_recorded_loads(std::string(as_text(input)), "fuzz.jsonl", model);
    MEGASCALE_CHECK(!loads.are_even(), "loads of a layer");
    for (const auto& [layer, counts] : loads.by_layer) {
      MEGASCALE_CHECK(layer >= 0 && layer < model.num_layers && has_experts(model, layer),
                      "a layer with experts");
      MEGASCALE_CHECK(counts.size() == 4, "a count of each expert");
      const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
      for (const double count : counts)
        MEGASCALE_CHECK(count >= 0 && 2 * count <= all, "one choice of each token");
      const double busiest = loads.of_busiest_rank(layer, 4);
      MEGASCALE_CHECK(busiest >= 1 && busiest <= 2, "a load over the mean");
    }
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_usage, error.message());
    MEGASCALE_CHECK(error.message().starts_with("fuzz.jsonl: "), error.message());
    return false;
  }
}

}  // namespace megascale::fuzz
