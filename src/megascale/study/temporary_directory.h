#ifndef MEGASCALE_STUDY_TEMPORARY_DIRECTORY_H_
#define MEGASCALE_STUDY_TEMPORARY_DIRECTORY_H_

#include <filesystem>

namespace megascale::study {

// A new directory where temporary files go, gone with this object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();  // throws Error (io)
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_TEMPORARY_DIRECTORY_H_
