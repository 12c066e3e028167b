#ifndef MEGASCALE_COMM_UCX_SEGMENT_FOLDER_H_
#define MEGASCALE_COMM_UCX_SEGMENT_FOLDER_H_

#include <filesystem>
#include <memory>

namespace megascale::comm {

// The folder of this process in /dev/shm, in which UCX creates the files of its shared memory.
//
// Problem  UCX removes the name of such a file soon after it has created it. A process that is
//          killed in between leaves the file, and nobody can tell whose it was.
// Idea     The name of the folder says user, process namespace, process and its start time. So the
//          next process finds the folders of processes that have ended, and removes them.
class SegmentFolder {
 public:
  // Creates the folder of this process and tells UCX to use it (the environment variable
  // UCX_POSIX_DIR), after remove_dead(). The object's destructor removes the folder. Returns null,
  // and UCX uses /dev/shm itself, if the folder cannot be created or the user has set the variable.
  // Call it before the process has other threads and before it has workers.
  [[nodiscard]] static std::shared_ptr<const SegmentFolder> of_this_process();
  // Removes the folders below `root` of processes of this user and process namespace that have
  // ended, with the files of UCX in them. Folders with other files stay. Any thread.
  static void remove_dead(const std::filesystem::path& root = "/dev/shm");

  explicit SegmentFolder(std::filesystem::path path) : path_(std::move(path)) {}
  SegmentFolder(const SegmentFolder&) = delete;
  SegmentFolder& operator=(const SegmentFolder&) = delete;
  ~SegmentFolder();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_SEGMENT_FOLDER_H_
