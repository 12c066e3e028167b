// Writes a file past the page cache. Through the cache, the processor copies every byte there, and
// the system writes it to the disk later, in bursts: that took five times as much processor time. A
// block is digested right after it was copied, while it is in the processor's cache, so the state is
// read from memory once.
#include "megascale/checkpoint/file_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace megascale::checkpoint {
namespace {

// Bytes that are copied and then digested, so few that they stay in a core's own cache.
constexpr std::uint64_t kCopied = std::uint64_t{256} << 10;

bool set_direct(int fd, bool on) noexcept {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return false;
  return ::fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

}  // namespace

FileWriter::FileWriter(const Storage& storage, std::filesystem::path path, std::uint64_t nbytes)
    : storage_(&storage),
      path_(std::move(path)),
      nbytes_(nbytes),
      file_(storage.create_file(path_)) {
  if (is_in_memory(file_)) return;  // reserved memory would be cleared first, for nothing
  const bool is_large = nbytes >= kDirectFrom;
  storage.reserve(file_, is_large ? round_to_direct(nbytes) : nbytes, path_);
  is_direct_ = is_large && set_direct(file_.get(), true);
  if (!is_direct_) return;
  for (AlignedBuffer& buffer : buffers_) {
    buffer = make_aligned_buffer();
    free_.push_back(buffer.get());
  }
  try {
    for (std::size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (...) {
    end_threads();
    throw;
  }
}

FileWriter::~FileWriter() { end_threads(); }

void FileWriter::end_threads() noexcept {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void FileWriter::append(std::span<const std::byte> bytes, DigestStream& digest) {
  appended_ += bytes.size();
  MEGASCALE_CHECK(appended_ <= nbytes_, "a file gets the bytes that it was made for");
  if (!is_direct_) {
    digest.update(bytes);
    storage_->write(file_, bytes, path_);
    return;
  }
  while (!bytes.empty()) {
    if (filling_.memory == nullptr) filling_.memory = free_block();
    const std::uint64_t count = std::min({bytes.size(), kCopied, kDirectBlock - filling_.nbytes});
    std::byte* to = filling_.memory + filling_.nbytes;
    std::memcpy(to, bytes.data(), count);
    digest.update(std::span<const std::byte>(to, count));
    filling_.nbytes += count;
    bytes = bytes.subspan(count);
    if (filling_.nbytes == kDirectBlock) hand_over();
  }
}

std::byte* FileWriter::free_block() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ || !free_.empty(); });
  if (error_) throw Error(*error_);
  std::byte* memory = free_.back();
  free_.pop_back();
  return memory;
}

// Gives the filled block to the threads. The last one of a file is filled up with zeros, which
// finish() cuts off.
void FileWriter::hand_over() {
  storage_->before_block(filling_.nbytes, path_);
  const std::uint64_t padded = round_to_direct(filling_.nbytes);
  std::memset(filling_.memory + filling_.nbytes, 0, padded - filling_.nbytes);
  const std::lock_guard lock(mutex_);
  full_.push_back({filling_.memory, filling_.offset, padded});
  filling_ = {.memory = nullptr, .offset = filling_.offset + padded, .nbytes = 0};
  changed_.notify_all();
}

void FileWriter::finish() {
  MEGASCALE_CHECK(appended_ == nbytes_, "a file gets the bytes that it was made for");
  if (is_direct_) {
    if (filling_.nbytes > 0) hand_over();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || (full_.empty() && in_flight_ == 0); });
    if (error_) throw Error(*error_);
    lock.unlock();
    truncate_file(file_, nbytes_, path_);
  }
  storage_->sync(file_, path_);
}

void FileWriter::serve() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || error_ || !full_.empty(); });
    if (ends_ || error_) return;
    const Block block = full_.front();
    full_.pop_front();
    ++in_flight_;
    lock.unlock();
    std::optional<Error> error;
    try {
      write(block);
    } catch (const Error& thrown) {
      error = thrown;
    } catch (const std::exception& thrown) {
      error = Error(ErrorCode::failed, thrown.what());
    }
    lock.lock();
    --in_flight_;
    free_.push_back(block.memory);
    if (error && !error_) error_ = error;
    changed_.notify_all();
  }
}

// Some file systems refuse writes past the cache only when they come, or those of the size that is
// left after a short write. Then the file goes through the cache.
void FileWriter::write(const Block& block) const {
  std::uint64_t done = 0;
  while (done < block.nbytes) {
    const ssize_t count = ::pwrite(file_.get(), block.memory + done, block.nbytes - done,
                                   static_cast<off_t>(block.offset + done));
    if (count >= 0) {
      done += static_cast<std::uint64_t>(count);
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    const bool is_direct = (::fcntl(file_.get(), F_GETFL) & O_DIRECT) != 0;
    if (error == EINVAL && is_direct && set_direct(file_.get(), false)) continue;
    throw Error(ErrorCode::io, fmt::format("cannot write {}: {}", path_.string(),
                                           std::generic_category().message(error)));
  }
}

}  // namespace megascale::checkpoint
