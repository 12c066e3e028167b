// Reads what was appended since the last call.
#include "megascale/control/stall_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "megascale/base/files.h"

namespace megascale::control {
namespace {

constexpr const char* kKey = "checkpoint_stall_seconds";

}  // namespace

void StallReader::begin() {
  std::error_code none;
  const auto nbytes = std::filesystem::file_size(metrics_, none);
  offset_ = none ? 0 : nbytes;
  rest_.clear();
  seconds_ = 0;
}

double StallReader::read() {
  const FileHandle file(::open(metrics_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return seconds_;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const ssize_t count =
        ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset_));
    if (count <= 0) return seconds_;
    offset_ += static_cast<std::uint64_t>(count);
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
      if (c != '\n') {
        rest_.push_back(c);
        continue;
      }
      take(rest_);
      rest_.clear();
    }
  }
}

void StallReader::take(const std::string& line) {
  if (line.find(kKey) == std::string::npos) return;  // most lines; parsing costs more
  const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return;
  const auto found = object.find(kKey);
  if (found == object.end() || !found->is_number()) return;
  const double seconds = found->get<double>();
  if (std::isfinite(seconds) && seconds > 0) seconds_ += seconds;
}

}  // namespace megascale::control
