// Checkpoints are never deleted: a person may want to know what was wrong with them. Copies in
// memory are, since memory is scarce.
#include "megascale/train/set_aside.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/checkpoint/layout.h"
#include "megascale/checkpoint/open.h"

namespace megascale::train {
namespace {

void require(const std::error_code& error, const char* what, const std::filesystem::path& path) {
  if (!error) return;
  throw Error(ErrorCode::io,
              fmt::format("{} must not be loaded, since its state may be damaged, and it cannot be "
                          "{}: {}",
                          path.string(), what, error.message()));
}

// A name that is free: an earlier attempt may have set aside a checkpoint of the same step.
std::filesystem::path free_name(std::string_view prefix, const std::filesystem::path& path) {
  const auto name = fmt::format("{}{}", prefix, path.filename().string());
  std::filesystem::path free = path.parent_path() / name;
  std::error_code ignored;
  for (int i = 2; std::filesystem::exists(std::filesystem::symlink_status(free, ignored)); ++i)
    free = path.parent_path() / fmt::format("{}-{}", name, i);
  return free;
}

}  // namespace

void set_aside_later(const std::filesystem::path& checkpoints, const std::filesystem::path& copies,
                     std::int64_t most_steps,
                     const std::function<void(const std::string&)>& on_message) {
  std::error_code error;
  for (const checkpoint::Entry& entry : checkpoint::list(checkpoints).checkpoints) {
    if (entry.step <= most_steps) continue;
    const std::filesystem::path aside = free_name(checkpoint::kDoubtfulPrefix, entry.path);
    std::filesystem::rename(entry.path, aside, error);
    require(error, "renamed", entry.path);
    on_message(fmt::format("{} is set aside as {}: its state may be damaged", entry.path.string(),
                           aside.filename().string()));
  }
  if (copies.empty()) return;
  for (const checkpoint::Entry& entry : checkpoint::list(copies).checkpoints) {
    if (entry.step <= most_steps) continue;
    std::filesystem::remove_all(entry.path, error);
    require(error, "removed", entry.path);
  }
}

void set_aside_passed_over(const std::filesystem::path& checkpoints, std::int64_t step,
                           const std::function<void(const std::string&)>& on_message) {
  for (const checkpoint::Entry& entry : checkpoint::list(checkpoints).checkpoints) {
    if (entry.step <= step) continue;
    const auto aside = free_name(checkpoint::kPassedOverPrefix, entry.path);
    std::error_code error;
    std::filesystem::rename(entry.path, aside, error);
    on_message(error ? fmt::format("{} cannot be renamed ({}); it stays until this run saves that "
                                   "step again",
                                   entry.path.string(), error.message())
                     : fmt::format("{} is set aside as {}", entry.path.string(),
                                   aside.filename().string()));
  }
}

}  // namespace megascale::train
