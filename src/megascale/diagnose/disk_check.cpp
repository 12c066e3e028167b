#include "megascale/diagnose/disk_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/philox.h"

namespace megascale::diagnose {
namespace {

constexpr std::size_t kTestNbytes = std::size_t{8} << 20U;

std::filesystem::path existing_part(std::filesystem::path path) {
  path = std::filesystem::absolute(path);
  while (!std::filesystem::exists(path) && path.has_relative_path()) path = path.parent_path();
  return path;
}

// Removes a file at the end of its scope.
class RemovedFile {
 public:
  explicit RemovedFile(std::filesystem::path path) : path_(std::move(path)) {}
  RemovedFile(const RemovedFile&) = delete;
  RemovedFile& operator=(const RemovedFile&) = delete;
  ~RemovedFile() { (void)::unlink(path_.c_str()); }

 private:
  std::filesystem::path path_;
};

}  // namespace

void check_disk(const std::filesystem::path& directory, std::uint64_t least_free_nbytes,
                CheckReport& report) {
  const std::filesystem::path place = existing_part(directory);
  struct statvfs disk {};
  if (::statvfs(place.c_str(), &disk) != 0) {
    throw Error(ErrorCode::io,
                fmt::format("{}: {}", place.string(), std::generic_category().message(errno)));
  }
  const std::uint64_t free_nbytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  report.text = fmt::format("{:.1f} GiB are free at {}", static_cast<double>(free_nbytes) / kGiB,
                            place.string());
  if (free_nbytes < least_free_nbytes) {
    return report.fail(
        fmt::format("expected at least {:.1f} GiB: delete files there, or lower --free-disk",
                    static_cast<double>(least_free_nbytes) / kGiB));
  }
  std::vector<std::uint64_t> words(kTestNbytes / sizeof(std::uint64_t));
  const PhiloxStream random(/*seed=*/22, "disk");
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = random.bits(i % 4096) + i;
  const auto bytes = std::as_bytes(std::span(words));
  const std::filesystem::path path =
      place / fmt::format(".megascale-disk-check-{}", static_cast<long>(::getpid()));
  const RemovedFile removed(path);
  const FileHandle file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0) {
    throw Error(ErrorCode::io,
                fmt::format("expected a directory in which files can be made, at {}: {}",
                            place.string(), std::generic_category().message(errno)));
  }
  write_all(file, bytes, path);
  sync_file(file, path);
  // Drops the clean pages, so that the content comes from the disk.
  (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  std::vector<std::byte> back(kTestNbytes);
  if (read_at(file, 0, back, path) != back.size() || digest64(back) != digest64(bytes))
    report.fail("a file was read back with another content than was written");
}

}  // namespace megascale::diagnose
