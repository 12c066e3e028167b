#ifndef MEGASCALE_ENGINE_ROUTE_FILE_H_
#define MEGASCALE_ENGINE_ROUTE_FILE_H_

#include <cstdint>
#include <filesystem>
#include <span>

#include "megascale/base/files.h"

namespace megascale::engine {

// The sizes of a file of routes, which holds the choices of one global batch in all layers with experts.
struct RouteShape {
  std::int64_t layers = 0;  // with experts
  std::int64_t tokens = 0;  // of the global batch: sequences in the order of sample numbers
  std::int64_t top_k = 0, experts = 0;
  friend bool operator==(const RouteShape&, const RouteShape&) = default;
};

// The choices of the router and their scores (docs/formats/routes.md). Many ranks may write one file,
// each the choices of its own tokens. One object serves one thread.
class RouteFile {
 public:
  // A choice that nobody has written.
  static constexpr std::int32_t kUnknown = -1;
  // Opens a file for writing; parts that others have written stay. Throws Error (io).
  static RouteFile to_write(const std::filesystem::path& path, const RouteShape& shape);
  // Throws Error: io, or bad_input if the file is no such file, of another shape or not complete.
  static RouteFile to_read(const std::filesystem::path& path, const RouteShape& shape);
  // The choices of consecutive tokens from `token` on, top_k for each. Throw Error: io, or bad_input
  // if choices that are read are no different experts.
  void write(std::int64_t layer, std::int64_t token, std::span<const std::int32_t> choices,
             std::span<const float> scores) const;
  void read(std::int64_t layer, std::int64_t token, std::span<std::int32_t> choices) const;
  void read_scores(std::int64_t layer, std::int64_t token, std::span<float> scores) const;

 private:
  RouteFile(std::filesystem::path path, const RouteShape& shape, OpenMode mode);
  [[nodiscard]] std::uint64_t offset(std::int64_t layer, std::int64_t token, bool scores) const;
  void read_exactly(std::uint64_t offset, std::span<std::byte> bytes) const;
  std::filesystem::path path_;
  RouteShape shape_;
  FileHandle file_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_ROUTE_FILE_H_
