// Choices are stored as expert + 1, so that the zeros of a part that nobody has written are no choice.
#include "megascale/engine/route_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "megascale/base/error.h"

namespace megascale::engine {
namespace {

constexpr std::array<char, 8> kMagic{'M', 'S', 'R', 'O', 'U', 'T', 'E', 'S'};
constexpr std::uint32_t kVersion = 1;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t top_k = 0, experts = 0, layers = 0;
  std::uint64_t tokens = 0;
  std::array<std::uint64_t, 4> reserved{};
};
static_assert(sizeof(Header) == 64);

Header header_of(const RouteShape& shape) {
  return {.top_k = static_cast<std::uint32_t>(shape.top_k),
          .experts = static_cast<std::uint32_t>(shape.experts),
          .layers = static_cast<std::uint32_t>(shape.layers),
          .tokens = static_cast<std::uint64_t>(shape.tokens)};
}

std::string shape_text(const Header& header) {
  return fmt::format("{} layers, {} tokens, {} of {} experts", header.layers, header.tokens,
                     header.top_k, header.experts);
}

}  // namespace

RouteFile::RouteFile(std::filesystem::path path, const RouteShape& shape, OpenMode mode)
    : path_(std::move(path)), shape_(shape), file_(open_file(path_, mode)) {}

RouteFile RouteFile::to_write(const std::filesystem::path& path, const RouteShape& shape) {
  RouteFile file(path, shape, OpenMode::update);
  const Header header = header_of(shape);
  write_at(file.file_, 0, std::as_bytes(std::span(&header, 1)), path);
  return file;
}

RouteFile RouteFile::to_read(const std::filesystem::path& path, const RouteShape& shape) {
  RouteFile file(path, shape, OpenMode::read);
  Header header, expected = header_of(shape);
  const std::size_t read =
      read_at(file.file_, 0, std::as_writable_bytes(std::span(&header, 1)), path);
  if (read != sizeof header || header.magic != kMagic || header.version != kVersion) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected a file of routes of version {}, found another file",
                            path.string(), kVersion));
  }
  if (header.reserved != expected.reserved) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected zeros in bytes {} to {}, found others: the file is "
                            "damaged; record the step again",
                            path.string(), offsetof(Header, reserved), sizeof header - 1));
  }
  if (std::memcmp(&header, &expected, sizeof header) != 0) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected routes of {}, found {}: the model and the global batch must "
                    "be those of the run that recorded them",
                    path.string(), shape_text(expected), shape_text(header)));
  }
  const std::uint64_t nbytes = file.offset(shape.layers, 0, false);
  if (const std::uint64_t found = std::filesystem::file_size(path); found != nbytes) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected {} bytes of routes, found {}: the file is damaged, or the "
                    "run that recorded it ended within the step; record the step again",
                    path.string(), nbytes, found));
  }
  return file;
}

std::uint64_t RouteFile::offset(std::int64_t layer, std::int64_t token, bool scores) const {
  const std::int64_t block = scores ? 2 * layer + 1 : 2 * layer;
  return sizeof(Header) +
         static_cast<std::uint64_t>((block * shape_.tokens + token) * shape_.top_k) *
             sizeof(std::int32_t);
}

void RouteFile::write(std::int64_t layer, std::int64_t token, std::span<const std::int32_t> choices,
                      std::span<const float> scores) const {
  std::vector<std::int32_t> stored(choices.begin(), choices.end());
  for (std::int32_t& choice : stored) ++choice;
  write_at(file_, offset(layer, token, false), std::as_bytes(std::span(stored)), path_);
  write_at(file_, offset(layer, token, true), std::as_bytes(scores), path_);
}

void RouteFile::read_exactly(std::uint64_t at, std::span<std::byte> bytes) const {
  if (read_at(file_, at, bytes, path_) != bytes.size())
    throw Error(ErrorCode::io, path_.string() + ": the file became shorter while it was read");
}

void RouteFile::read(std::int64_t layer, std::int64_t token,
                     std::span<std::int32_t> choices) const {
  read_exactly(offset(layer, token, false), std::as_writable_bytes(choices));
  const auto top_k = static_cast<std::size_t>(shape_.top_k);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::int64_t choice = std::int64_t{choices[i]} - 1;  // a damaged one may be the smallest
    const auto before = choices.first(i).subspan(i / top_k * top_k);  // of the same token
    const bool again =
        choice != kUnknown && std::find(before.begin(), before.end(), choice) != before.end();
    if (choice < kUnknown || choice >= shape_.experts || again) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("{}: expected {} different experts from 0 to {} for each token, found "
                      "{}{} for token {} in layer {} of those with experts: the file is "
                      "damaged",
                      path_.string(), top_k, shape_.experts - 1, choice, again ? " twice" : "",
                      token + static_cast<std::int64_t>(i / top_k), layer));
    }
    choices[i] = static_cast<std::int32_t>(choice);
  }
}

void RouteFile::read_scores(std::int64_t layer, std::int64_t token, std::span<float> scores) const {
  read_exactly(offset(layer, token, true), std::as_writable_bytes(scores));
}

}  // namespace megascale::engine
