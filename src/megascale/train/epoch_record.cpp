// A line that is torn by a crash is ignored: the executor had not yet started a rank of that epoch.
#include "megascale/train/epoch_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <sstream>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/numbers.h"
#include "megascale/checkpoint/storage.h"

namespace megascale::train {
namespace {

constexpr std::string_view kRecord = "record ", kEpoch = "epoch ";

std::filesystem::path path_in(const RunDirectory& run) { return run.control() / "epochs"; }

}  // namespace

EpochRecord::EpochRecord(const RunDirectory& run) : path_(path_in(run)) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return;
  std::istringstream text(read_text(path_));
  for (std::string line; std::getline(text, line) && !text.eof();) {
    if (line.starts_with(kRecord) && id_.empty()) id_ = line.substr(kRecord.size());
    if (!line.starts_with(kEpoch)) continue;
    const std::string_view rest = std::string_view(line).substr(kEpoch.size());
    const std::size_t space = std::min(rest.find(' '), rest.size());
    const auto epoch = parse_number<std::int64_t>(rest.substr(0, space));
    if (!epoch) continue;
    epochs_.insert(*epoch);
    const auto seconds = parse_number<std::int64_t>(rest.substr(std::min(space + 1, rest.size())));
    if (seconds && !first_seconds_) first_seconds_ = seconds;
    if (seconds) last_seconds_ = seconds;
  }
}

void EpochRecord::add(const RunDirectory& run, std::int64_t epoch) {
  const EpochRecord before(run);
  if (before.epochs_.contains(epoch)) return;
  make_directories(run.control());
  const std::string line = fmt::format("{}{} {}\n", kEpoch, epoch, std::time(nullptr));
  if (before.id_.empty()) {
    write_text_atomically(before.path_,
                          fmt::format("{}{}\n{}", kRecord, checkpoint::random_id(), line));
    return;
  }
  const FileHandle file = open_file(before.path_, OpenMode::append);
  // The line break before it ends a line that a crash has torn.
  write_all(file, "\n" + line, before.path_);
  sync_file(file, before.path_);
}

std::optional<checkpoint::AttemptMark> EpochRecord::mark(std::int64_t epoch) const {
  if (id_.empty()) return std::nullopt;
  if (epochs_.contains(epoch)) return checkpoint::AttemptMark{.record = id_, .epoch = epoch};
  throw Error(ErrorCode::failed,
              fmt::format("{}: expected the epoch {} of this attempt, which an executor records "
                          "before it starts the ranks, found none; start the job by a driver",
                          path_.string(), epoch));
}

std::optional<double> EpochRecord::mean_time_between_attempts() const noexcept {
  if (epochs_.size() < 2 || !first_seconds_ || *last_seconds_ <= *first_seconds_)
    return std::nullopt;
  return static_cast<double>(*last_seconds_ - *first_seconds_) /
         static_cast<double>(epochs_.size() - 1);
}

void EpochRecord::require(const checkpoint::Manifest& manifest,
                          const std::filesystem::path& checkpoint) const {
  const auto& attempt = manifest.attempt;
  if (!attempt || attempt->record != id_ || epochs_.contains(attempt->epoch)) return;
  throw Error(ErrorCode::failed,
              fmt::format("{}: expected an epoch that an executor has recorded in {}, found epoch "
                          "{}: a process that no executor of this job has started saved it",
                          checkpoint.string(), path_.string(), attempt->epoch));
}

}  // namespace megascale::train
