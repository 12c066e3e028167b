// The name of a directory of copies follows from the identity of the run directory, and it belongs to
// the user alone, so nobody else's copies are ever read or removed.
#include "megascale/train/copies_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::train {
namespace {

constexpr std::string_view kPrefix = "megascale-copies-", kMark = "run";

// Returns whether the run directory that the mark names is gone, and its run is over. If the folder
// that it lay in is missing too, its file system may only not be mounted now.
bool is_of_deleted_run(const std::filesystem::path& directory) {
  const FileHandle mark(::open((directory / kMark).c_str(), O_RDONLY | O_CLOEXEC));
  if (mark.get() < 0 || ::flock(mark.get(), LOCK_EX | LOCK_NB) != 0) return false;
  const std::filesystem::path run = read_text(directory / kMark);
  std::error_code error;
  return run.is_absolute() && !std::filesystem::exists(run, error) && !error &&
         std::filesystem::exists(run.parent_path(), error);
}

}  // namespace

std::string why_not_ours(const std::filesystem::path& directory) {
  struct stat status {};
  if (::lstat(directory.c_str(), &status) != 0)
    return fmt::format("{}: {}", directory.string(), std::generic_category().message(errno));
  const bool is_private = (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && is_private) return "";
  return fmt::format(
      "{}: expected a directory that only user {} may use, found one of user {} with "
      "mode {:o}; remove it",
      directory.string(), ::geteuid(), status.st_uid, status.st_mode & 07777U);
}

void make_private_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), S_IRWXU) == 0) return;
  if (errno != EEXIST) {
    throw Error(ErrorCode::io, fmt::format("cannot create directory {}: {}", directory.string(),
                                           std::generic_category().message(errno)));
  }
  if (const std::string why = why_not_ours(directory); !why.empty())
    throw Error(ErrorCode::io, why);
}

void remove_all_but(const std::filesystem::path& directory, const std::filesystem::path& kept) {
  std::error_code ignored;  // what stays is passed over or replaced later
  for (std::filesystem::directory_iterator it(directory, ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    std::error_code entry_ignored;
    if (it->path() == kept || it->path().filename() == kMark) continue;
    std::filesystem::remove_all(it->path(), entry_ignored);
  }
}

std::filesystem::path memory_directory(const std::filesystem::path& root,
                                       std::string_view identity) {
  return root / fmt::format("{}{}", kPrefix, identity);
}

void remove_copies(const std::filesystem::path& directory,
                   const std::function<void(const std::string&)>& on_message) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(directory, error))) return;
  if (!why_not_ours(directory).empty()) return;
  std::filesystem::remove_all(directory, error);
  if (error)
    on_message(
        fmt::format("cannot remove copies in memory, {}: {}", directory.string(), error.message()));
}

FileHandle mark_copies(const std::filesystem::path& directory,
                       const std::filesystem::path& run_dir) {
  const std::filesystem::path path = directory / kMark;
  FileHandle file = open_file(path, OpenMode::create);
  (void)::flock(file.get(), LOCK_EX | LOCK_NB);  // held by an earlier attempt that hangs: alive too
  std::filesystem::path run = std::filesystem::absolute(run_dir).lexically_normal();
  if (!run.has_filename()) run = run.parent_path();
  write_all(file, run.string(), path);
  return file;
}

void remove_copies_of_deleted_runs(const std::filesystem::path& root,
                                   const std::function<void(const std::string&)>& on_message) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    const std::filesystem::path directory = it->path();
    if (!directory.filename().string().starts_with(kPrefix)) continue;
    try {
      if (!why_not_ours(directory).empty() || !is_of_deleted_run(directory)) continue;
    } catch (const Error&) {  // another run has removed it
      continue;
    }
    on_message(
        fmt::format("removing {}: the run directory of these copies is gone", directory.string()));
    remove_copies(directory, on_message);
  }
}

}  // namespace megascale::train
