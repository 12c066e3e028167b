#ifndef MEGASCALE_CHECKPOINT_READ_BACK_H_
#define MEGASCALE_CHECKPOINT_READ_BACK_H_

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/checkpoint/manifest.h"
#include "megascale/checkpoint/write_pace.h"

namespace megascale::checkpoint {

// Reads back the pieces of a save and compares their digests, on a thread of its own beside the
// writes. The bytes come from the disk where the file system can read past its cache (O_DIRECT).
// One thread writes and calls the functions.
class ReadBack {
 public:
  // `pace` also holds for what is read; it may be null and must outlive this object. Throws
  // std::system_error if the thread cannot be started.
  explicit ReadBack(WritePace* pace);
  ReadBack(const ReadBack&) = delete;
  ReadBack& operator=(const ReadBack&) = delete;
  // Ends after the block that is being read.
  ~ReadBack();
  // Adds a piece of a file. Files follow each other; pieces are in the order of their bytes.
  void add(const std::filesystem::path& file, const StoredPiece& piece);
  // The disk has received the bytes before `end` of the file of the last piece. All pieces that end
  // there or before are read.
  void is_on_disk(std::uint64_t end);
  // Waits until all pieces are read. The disk must have received them. Throws the first Error: io,
  // corrupt_data, or the pace's.
  void finish();

 private:
  struct Entry {
    std::filesystem::path file;
    StoredPiece piece;
  };
  void serve() noexcept;

  WritePace* pace_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> written_, ready_;  // not yet known to be on the disk; to be read
  bool reads_ = false, ends_ = false;
  std::optional<Error> error_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_READ_BACK_H_
