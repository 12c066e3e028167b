#ifndef MEGASCALE_CHECKPOINT_FILE_WRITER_H_
#define MEGASCALE_CHECKPOINT_FILE_WRITER_H_

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/aligned_buffer.h"
#include "megascale/checkpoint/storage.h"

namespace megascale::checkpoint {

// Writes a new file of a known size from its start to its end. A large file goes past the page cache
// (O_DIRECT) where the file system allows that: the caller fills blocks, and two threads write those
// that are full. So the disk is busy all the time, and the processor copies each byte once. A small
// file, or one on another file system, is written by Storage::write().
//
// One thread calls the functions. They throw Error (io), and the Error of the hook or the pace.
class FileWriter {
 public:
  // Creates the file and reserves its space: so a disk that is too full is noticed before the first
  // byte is written. `storage` must outlive this object.
  FileWriter(const Storage& storage, std::filesystem::path path, std::uint64_t nbytes);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  // Ends after the blocks that are being written.
  ~FileWriter();
  // Appends bytes, and adds them to the digest.
  void append(std::span<const std::byte> bytes, DigestStream& digest);
  // Writes what is left, and returns when all bytes are on the disk. They must be as many as the
  // constructor was told.
  void finish();

  // Files of fewer bytes are written through the page cache.
  static constexpr std::uint64_t kDirectFrom = std::uint64_t{1} << 20;

 private:
  struct Block {
    std::byte* memory = nullptr;
    std::uint64_t offset = 0, nbytes = 0;
  };
  static constexpr std::size_t kBlocks = 4, kThreads = 2;

  [[nodiscard]] std::byte* free_block();
  void hand_over();
  void serve() noexcept;
  void write(const Block& block) const;
  void end_threads() noexcept;

  const Storage* storage_;
  std::filesystem::path path_;
  std::uint64_t nbytes_;
  std::uint64_t appended_ = 0;
  FileHandle file_;
  bool is_direct_ = false;
  Block filling_;  // the block that append() fills; without memory: none

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<AlignedBuffer, kBlocks> buffers_;
  std::vector<std::byte*> free_;
  std::deque<Block> full_;
  std::size_t in_flight_ = 0;
  bool ends_ = false;
  std::optional<Error> error_;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_FILE_WRITER_H_
