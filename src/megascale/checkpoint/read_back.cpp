// Reads with O_DIRECT, which bypasses the page cache, in large aligned blocks: with the small
// read-ahead of the cache, reading back took longer than writing. Memory, offsets and sizes are
// aligned to 4 KiB, the largest alignment that common disks ask for. A file system without O_DIRECT
// is read through its cache.
#include "megascale/checkpoint/read_back.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "megascale/base/digest.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/shard.h"

namespace megascale::checkpoint {
namespace {

constexpr std::uint64_t kDirectAlignment = 4096, kDirectBlock = std::uint64_t{4} << 20;

struct Free {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using Buffer = std::unique_ptr<std::byte, Free>;

Buffer make_buffer() {
  Buffer buffer(static_cast<std::byte*>(std::aligned_alloc(kDirectAlignment, kDirectBlock)));
  if (!buffer) throw std::bad_alloc();
  return buffer;
}

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

// Reads a piece and compares its digest. Throws Error.
void compare(const std::filesystem::path& path, const StoredPiece& piece, std::byte* buffer,
             WritePace* pace) {
  UncachedFile file(path);
  DigestStream digest;
  for (std::uint64_t at = piece.begin; at < piece.end;) {
    const std::uint64_t begin = at / kDirectAlignment * kDirectAlignment;
    const std::uint64_t all =
        (piece.end - begin + kDirectAlignment - 1) / kDirectAlignment * kDirectAlignment;
    const std::uint64_t count = std::min(all, kDirectBlock);
    if (pace != nullptr) pace->before_block(count);
    const std::uint64_t end = std::min(begin + file.read(begin, buffer, count), piece.end);
    if (end <= at) break;  // the file is too short: the digest says so
    digest.update(std::span<const std::byte>(buffer + (at - begin), end - at));
    at = end;
  }
  require_digest(path, piece, digest.finish());
}

}  // namespace

ReadBack::ReadBack(WritePace* pace) : pace_(pace), thread_([this] { serve(); }) {}

ReadBack::~ReadBack() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void ReadBack::add(const std::filesystem::path& file, const StoredPiece& piece) {
  const std::lock_guard lock(mutex_);
  written_.push_back({file, piece});
}

void ReadBack::is_on_disk(std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  while (!written_.empty() && written_.front().piece.end <= end) {
    ready_.push_back(std::move(written_.front()));
    written_.pop_front();
  }
  changed_.notify_all();
}

void ReadBack::finish() {
  std::unique_lock lock(mutex_);
  MEGASCALE_CHECK(written_.empty(), "the disk has all pieces when the save waits for them");
  changed_.wait(lock, [&] { return error_ || (ready_.empty() && !reads_); });
  if (error_) throw Error(*error_);
}

void ReadBack::serve() noexcept {
  Buffer buffer;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !ready_.empty(); });
    if (ends_ || error_) return;
    const Entry entry = std::move(ready_.front());
    ready_.pop_front();
    reads_ = true;
    lock.unlock();
    std::optional<Error> error;
    try {
      if (!buffer) buffer = make_buffer();
      compare(entry.file, entry.piece, buffer.get(), pace_);
    } catch (const Error& thrown) {
      error = thrown;
    } catch (const std::exception& thrown) {
      error = Error(ErrorCode::failed, thrown.what());
    }
    lock.lock();
    reads_ = false;
    error_ = error;
    changed_.notify_all();
  }
}

}  // namespace megascale::checkpoint
