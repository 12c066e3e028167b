// Prepares the directory of a run's copies in /dev/shm, and writes copies to it. The directory's
// name follows from the identity of the run directory, and it belongs to the user alone, so nobody
// else's copies are ever read or removed.
#include "megascale/train/memory_copies.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/open.h"

namespace megascale::train {
namespace {

// Returns why the directory must not be used, although it exists; empty if it may be used.
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
    if (it->path() != kept) std::filesystem::remove_all(it->path(), entry_ignored);
  }
}

}  // namespace

std::filesystem::path memory_directory(const std::filesystem::path& root,
                                       std::string_view identity) {
  return root / fmt::format("megascale-copies-{}", identity);
}

std::optional<checkpoint::Opened> open_newest_copy(
    const std::filesystem::path& directory,
    const std::function<void(const std::string&)>& on_message) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(directory, ignored)))
    return std::nullopt;
  if (const std::string why = why_not_ours(directory); !why.empty()) {
    on_message("copies in memory passed over: " + why);
    return std::nullopt;
  }
  try {
    return checkpoint::open_newest(directory, [&](const Error& error) {
      on_message("copy in memory passed over: " + error.message());
    });
  } catch (const Error&) {  // none is good; each was reported
    return std::nullopt;
  }
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

MemoryCopies::MemoryCopies(Parts parts) : parts_(std::move(parts)) {
  const std::string why_not = prepare();
  if (!why_not.empty()) {
    parts_.say("no copies in memory: " + why_not);
    return;
  }
  snapshot_.emplace(parts_.engine->new_snapshot());
  writer_.emplace(*parts_.copies, JointSave{.directory = parts_.directory,
                                            .keep_last = 1,
                                            .require_owner = parts_.require_owner,
                                            .before_action = {}});
  parts_.say(fmt::format("copies of the state every {} steps in {}",
                         parts_.config->checkpoint.memory_interval, parts_.directory.string()));
}

// Returns why no copies can be made; empty if they can. Equal on all ranks.
std::string MemoryCopies::prepare() {
  constexpr std::string_view kAbout = "where copies of the state are kept in memory";
  const bool leads = parts_.copies->rank() == 0;
  // Messages of rank 0: "!REASON", or the path of a file that ranks of the same host can see.
  std::string message;
  std::filesystem::path sign;
  if (leads) {
    try {
      make_private_directory(parts_.directory);
      sign = parts_.directory / (".sign-" + checkpoint::random_id());
      write_text_atomically(sign, "the ranks that see this file share the memory of a host\n");
      message = sign.string();
    } catch (const Error& error) {
      message = "!" + error.message();
    }
  }
  message = parts_.copies->broadcast(message, kAbout);
  if (message.starts_with('!')) return message.substr(1);
  std::error_code ignored;
  const bool sees_it = std::filesystem::exists(message, ignored);
  const auto all = parts_.copies->gather(sees_it ? "" : "no", kAbout);
  std::string why_not;
  if (leads) {
    const auto blind = std::find(all.begin(), all.end(), "no");
    if (blind != all.end()) {
      why_not = fmt::format(
          "checkpoint.memory_interval needs ranks that share the memory of one host, and rank {} "
          "does not see {}",
          blind - all.begin(), parts_.directory.string());
      remove_all_but(parts_.directory, {});
    } else {
      remove_all_but(parts_.directory, parts_.resumed);
    }
  }
  why_not = parts_.copies->broadcast(why_not, kAbout);
  parts_.directory = std::filesystem::path(message).parent_path();
  return why_not;
}

bool MemoryCopies::is_due(std::int64_t steps_done, const Votes& votes) {
  if (!writer_) return false;
  look(writer_->take_report());
  if (steps_done % parts_.config->checkpoint.memory_interval == 0) due_ = steps_done;
  if (!due_ || votes.copying > 0) return false;
  due_.reset();
  return true;
}

void MemoryCopies::write(const engine::StateSnapshot* snapshot, checkpoint::RunState state) {
  constexpr double kNoLimit = 0;
  writer_->start(
      {.snapshot = snapshot != nullptr ? snapshot : &*snapshot_, .state = std::move(state)},
      kNoLimit);
}

void MemoryCopies::finish() {
  if (writer_) look(writer_->finish());
}

// Says the first failure, and the end of failures.
void MemoryCopies::look(const std::optional<WriterReport>& report) {
  if (!report) return;
  if (report->has_lost_directory) throw Error(*report->error);
  const bool fails = report->error.has_value();
  if (fails && !has_failed_) {
    parts_.say(fmt::format("copy in memory of step {} not made, training goes on: {}", report->step,
                           report->error->message()));
  }
  if (!fails && has_failed_)
    parts_.say(fmt::format("copies in memory are made again, from step {} on", report->step));
  has_failed_ = fails;
}

}  // namespace megascale::train
