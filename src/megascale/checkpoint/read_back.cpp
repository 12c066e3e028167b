// Reads with O_DIRECT, which bypasses the page cache, in large aligned blocks: with the small
// read-ahead of the cache, reading back took longer than writing. Memory, offsets and sizes are
// aligned. A file system without O_DIRECT is read through its cache.
#include "megascale/checkpoint/read_back.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/aligned_buffer.h"
#include "megascale/checkpoint/shard.h"

namespace megascale::checkpoint {
namespace {

// A file that is read past the cache, or through it if the file system refuses the former.
class UncachedFile {
 public:
  explicit UncachedFile(std::filesystem::path path)
      : path_(std::move(path)),
        file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)),
        through_cache_(file_.get() < 0) {
    if (through_cache_) file_ = open_file(path_, OpenMode::read);
  }
  // Reads up to `count` bytes at `offset`, both aligned. Returns their number, which is smaller only
  // at the end of the file: there a second read would be unaligned. Throws Error (io).
  std::size_t read(std::uint64_t offset, std::byte* to, std::size_t count) {
    if (!through_cache_) {
      ssize_t got = 0;
      do {
        got = ::pread(file_.get(), to, count, static_cast<off_t>(offset));
      } while (got < 0 && errno == EINTR);
      if (got >= 0) return static_cast<std::size_t>(got);
      through_cache_ = true;
      file_ = open_file(path_, OpenMode::read);
    }
    return read_at(file_, offset, {to, count}, path_);
  }

 private:
  std::filesystem::path path_;
  FileHandle file_;
  bool through_cache_;
};

void read_shard(const std::filesystem::path& path, const ShardFile& shard, std::byte* buffer,
                WritePace* pace) {
  if (shard.pieces.empty()) return;
  UncachedFile file(path);
  DigestStream digest;  // of the piece under way
  auto piece = shard.pieces.begin();
  std::uint64_t at = piece->begin;
  while (piece != shard.pieces.end()) {
    const std::uint64_t begin = at / kDirectAlignment * kDirectAlignment;
    const std::uint64_t count = std::min(round_to_direct(shard.nbytes - begin), kDirectBlock);
    if (pace != nullptr) pace->before_block(count);
    const std::uint64_t end = std::min(begin + file.read(begin, buffer, count), shard.nbytes);
    if (end <= at) {
      throw Error(ErrorCode::corrupt_data,
                  fmt::format("{}: expected {} bytes, found the end of the file at byte {}",
                              path.string(), shard.nbytes, end));
    }
    while (at < end) {
      const std::uint64_t stop = std::min(end, piece->end);
      digest.update(std::span<const std::byte>(buffer + (at - begin), stop - at));
      at = stop;
      if (at < piece->end) break;
      require_digest(path, *piece, digest.finish());
      digest = DigestStream();
      ++piece;
    }
  }
}

}  // namespace

void read_back(const std::filesystem::path& directory, std::span<const ShardFile> shards,
               WritePace* pace) try {
  const AlignedBuffer buffer = make_aligned_buffer();
  for (const ShardFile& shard : shards)
    read_shard(directory / shard.file, shard, buffer.get(), pace);
} catch (Error& error) {
  error.add_context("reading back what was just written");
  throw;
}

}  // namespace megascale::checkpoint
