#ifndef MEGASCALE_STUDY_TEMPORARY_DIRECTORY_H_
#define MEGASCALE_STUDY_TEMPORARY_DIRECTORY_H_

#include <filesystem>

namespace megascale::study {

// Creates an empty directory for temporary files below the system's temporary directory. The
// destructor removes it with all its files. Threads may use path() concurrently.
class TemporaryDirectory {
 public:
  TemporaryDirectory();  // throws Error (io) if the directory cannot be created
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_TEMPORARY_DIRECTORY_H_
