#include "megascale/data/remote_set.h"

#include <fmt/format.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "megascale/base/digest.h"
#include "megascale/base/environment.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/data/http_download.h"

namespace megascale {
namespace {

struct Part {
  const char* extension;
  bool must_exist;
};
constexpr std::array<Part, 4> kParts{
    {{".idx", true}, {".bin", true}, {".info.json", false}, {".loss_mask", false}}};

std::string variable(const char* name) {
  const char* const value = environment_variable(name);
  return value == nullptr ? "" : value;
}

// Holds the only right to make the copy of a set, until it is destroyed. The system gives it back if the process dies.
class CopyLock {
 public:
  explicit CopyLock(const std::filesystem::path& path) : file_(open_file(path, OpenMode::update)) {
    while (::flock(file_.get(), LOCK_EX) != 0) {
      if (errno != EINTR)
        throw Error(ErrorCode::io,
                    fmt::format("{}: expected to lock it, found error {}", path.string(), errno));
    }
  }

 private:
  FileHandle file_;
};

std::string address_of(const std::string& prefix, const char* extension) {
  const std::size_t query = prefix.find('?');
  return query == std::string::npos ? prefix + extension
                                    : prefix.substr(0, query) + extension + prefix.substr(query);
}

// The folder of the copy of a set. A query may hold a key that changes; the files are the same.
std::filesystem::path copy_of(const std::string& prefix) {
  const std::string_view named = std::string_view(prefix).substr(0, prefix.find('?'));
  return std::filesystem::path(cache_directory()) / "datasets" /
         digest128(std::as_bytes(std::span(named.data(), named.size())));
}

void copy_set(const std::string& prefix, const std::filesystem::path& unfinished) {
  make_directories(unfinished);
  for (const Part& part : kParts) {
    const std::string address = address_of(prefix, part.extension);
    const bool found = download(address, unfinished / (std::string("set") + part.extension));
    if (!found && part.must_exist) {
      throw Error(ErrorCode::bad_input, fmt::format("{}: expected a file of an indexed data set, "
                                                    "found none on the server: a prefix is the "
                                                    "address without .bin and .idx",
                                                    address));
    }
  }
  write_text_atomically(unfinished / "source.txt", prefix.substr(0, prefix.find('?')) + "\n");
}

}  // namespace

bool is_remote(std::string_view prefix) noexcept {
  return prefix.starts_with("https://") || prefix.starts_with("http://");
}

std::string cache_directory() {
  if (std::string named = variable("MEGASCALE_CACHE_DIR"); !named.empty()) return named;
  if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty())
    return caches + "/megascale";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/megascale";
  throw Error(ErrorCode::bad_usage,
              "MEGASCALE_CACHE_DIR: expected a folder for copies of remote data, found neither it "
              "nor XDG_CACHE_HOME nor "
              "HOME");
}

std::vector<std::string> missing_copies(std::span<const std::string> prefixes) {
  std::vector<std::string> missing;
  for (const std::string& prefix : prefixes) {
    if (is_remote(prefix) && !std::filesystem::exists(copy_of(prefix))) missing.push_back(prefix);
  }
  return missing;
}

std::string local_prefix(const std::string& prefix) {
  if (!is_remote(prefix)) return prefix;
  const std::filesystem::path complete = copy_of(prefix), sets = complete.parent_path();
  make_directories(sets);
  const CopyLock lock(std::filesystem::path(complete).concat(".lock"));
  if (!std::filesystem::exists(complete)) {
    const auto unfinished = std::filesystem::path(complete).concat(".unfinished");
    copy_set(prefix, unfinished);
    std::filesystem::rename(unfinished, complete);
    sync_directory(sets);
  }
  return complete / "set";
}

}  // namespace megascale
