// The file is never removed: if it were, a process could lock the removed file while another one
// makes and locks a new file of the same name. Its content is for people and for require(); only
// the lock decides.
#include "megascale/train/directory_owner.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <ctime>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <thread>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/checkpoint/storage.h"

namespace megascale::train {
namespace {

[[noreturn]] void throw_io(std::string_view action, const std::filesystem::path& path) {
  throw Error(ErrorCode::io, fmt::format("cannot {} {}: {}", action, path.string(),
                                         std::generic_category().message(errno)));
}

// Returns the record in an owner's file, or an empty object if there is none.
nlohmann::json read_record(const FileHandle& file) {
  std::array<char, 4096> text{};
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), 0);
  if (count <= 0) return nlohmann::json::object();
  auto record = nlohmann::json::parse(text.data(), text.data() + count, nullptr, false);
  return record.is_object() ? record : nlohmann::json::object();
}

// Returns "host a, process 17, since 2026-01-01 12:00:00 UTC, epoch 3", with what the record says.
std::string describe(const nlohmann::json& record) {
  std::string text;
  for (const char* key : {"host", "process", "since", "epoch", "attempt"}) {
    const auto value = record.find(key);
    if (value == record.end()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                        value->is_string() ? value->get<std::string>() : value->dump());
  }
  return text.empty() ? "a process that has not said which" : text;
}

// Returns the number of this key; 0 if there is none, or none that can be one.
std::int64_t number_in(const nlohmann::json& record, const char* key) {
  const auto epoch = record.find(key);
  const bool usable = epoch != record.end() && epoch->is_number_unsigned() &&
                      epoch->get<std::uint64_t>() < std::uint64_t{1} << 62;
  return usable ? epoch->get<std::int64_t>() : 0;
}

// Returns the id of the directory in a record; a new one if there is none.
std::string id_in(const nlohmann::json& record) {
  const auto id = record.find("directory");
  const bool usable = id != record.end() && id->is_string() && !id->get<std::string>().empty();
  return usable ? id->get<std::string>() : checkpoint::random_id();
}

std::string new_record(std::int64_t epoch, const std::string& id, std::int64_t attempt) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  nlohmann::ordered_json record{
      {"host", host.data()},
      {"process", ::getpid()},
      {"since", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)))},
      {"epoch", epoch},
      {"directory", id}};
  if (attempt > 0) record["attempt"] = attempt;
  return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Returns whether the owner that is in the file is of an earlier attempt.
bool is_earlier(const FileHandle& file, std::int64_t attempt) {
  const std::int64_t other = number_in(read_record(file), "attempt");
  return other > 0 && other < attempt;
}

// Returns 0 or the errno of the last try. A process that was killed holds its locks until the system
// has released its memory, so a short while is waited.
int try_to_lock(const FileHandle& file, std::int64_t attempt) {
  const int tries = is_earlier(file, attempt) ? 10 : 40;
  for (int i = 0;; ++i) {
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK || i == tries) return errno;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

bool means_no_locks(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

}  // namespace

DirectoryOwner::Named DirectoryOwner::last_owner(const std::filesystem::path& directory) {
  const FileHandle file(::open((directory / kFileName).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return {};
  const nlohmann::json record = read_record(file);
  const auto host = record.find("host");
  return {.host = host != record.end() && host->is_string() ? host->get<std::string>() : "",
          .attempt = number_in(record, "attempt"),
          .process = number_in(record, "process")};
}

void DirectoryOwner::lock_if_free() noexcept {
  if (!locked_) locked_ = ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
}

DirectoryOwner::DirectoryOwner(std::filesystem::path directory, std::int64_t attempt)
    : directory_(std::move(directory)) {
  const std::filesystem::path path = directory_ / kFileName;
  file_ = FileHandle(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644));
  if (file_.get() < 0) throw_io("write", path);
  if (const int error = try_to_lock(file_, attempt); error != 0) {
    const std::string other = describe(read_record(file_));
    if (error == EWOULDBLOCK && is_earlier(file_, attempt)) {
      taken_from_ = other;
    } else if (error == EWOULDBLOCK) {
      throw Error(
          ErrorCode::failed,
          fmt::format("{}: expected a directory that no other run uses, found one in use by "
                      "{}; wait until that run ends or stop it, or give this run another "
                      "train.run_dir (and checkpoint.dir)",
                      directory_.string(), other));
    } else if (!means_no_locks(error)) {
      errno = error;
      throw_io("lock", path);
    }
    locked_ = false;
  }
  const nlohmann::json former = read_record(file_);
  epoch_ = number_in(former, "epoch") + 1;
  id_ = id_in(former);
  record_ = new_record(epoch_, id_, attempt);
  if (::ftruncate(file_.get(), 0) != 0) throw_io("write", path);
  write_all(file_, record_, path);
}

void DirectoryOwner::require() const {
  const std::filesystem::path path = directory_ / kFileName;
  std::string found;
  try {
    found = read_text(path);
  } catch (const Error&) {
    return;  // removed, and nobody else has come; the lock on the removed file still holds
  }
  if (found == record_) return;
  const auto record = nlohmann::json::parse(found, nullptr, false);
  throw Error(ErrorCode::failed,
              fmt::format("{}: expected this run (epoch {}) to own the directory, found another "
                          "owner: {}; this run stops, so that the two do not mix their files",
                          directory_.string(), epoch_,
                          describe(record.is_object() ? record : nlohmann::json::object())));
}

std::string DirectoryOwner::identity() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_io("inspect", directory_ / kFileName);
  // Not the device: its number differs between the hosts that mount a file system.
  const std::string text = fmt::format("{} {:x}", id_, status.st_ino);
  return digest128(std::as_bytes(std::span(text))).substr(0, 16);
}

bool DirectoryOwner::is_in_place() const noexcept {
  struct stat named {
  }, open{};
  return ::fstat(file_.get(), &open) == 0 &&
         ::stat((directory_ / kFileName).c_str(), &named) == 0 && named.st_dev == open.st_dev &&
         named.st_ino == open.st_ino;
}

}  // namespace megascale::train
