#ifndef MEGASCALE_BASE_RUN_DIRECTORY_H_
#define MEGASCALE_BASE_RUN_DIRECTORY_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace megascale {

// The folder that a run writes, and the one place that knows the names in it. Training, benchmarks,
// simulations, traces and the configuration all name its files, so it stands in base/, below all of
// them. Only the names inside checkpoints() belong to somebody else, checkpoint/layout.h, since a
// folder of checkpoints may also stand alone.
//
//   config.toml                 the resolved configuration
//   plan.json                   summary and digest of rank 0's training plan
//   metrics.jsonl               one object per step
//   events/rank<R>.ring         records of the last steps of a rank
//   events/plan-<DIGEST>.json   the plan that the records of a ring belong to
//   checkpoints/                unless checkpoint.dir names another folder
//   trace.json                  what `megascale trace` writes by default
//
// A value: it holds a path and touches no file, ranks_with_rings() excepted. Any thread.
class RunDirectory {
 public:
  static constexpr std::string_view kConfig = "config.toml", kTrace = "trace.json";

  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path config() const { return path_ / kConfig; }
  [[nodiscard]] std::filesystem::path plan_summary() const { return path_ / "plan.json"; }
  [[nodiscard]] std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  [[nodiscard]] std::filesystem::path events() const { return path_ / "events"; }
  [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  [[nodiscard]] std::filesystem::path trace() const { return path_ / kTrace; }
  [[nodiscard]] std::filesystem::path ring(std::int64_t rank) const;
  [[nodiscard]] std::filesystem::path plan(std::string_view digest) const;

  // The rank of a ring's file name ("rank12.ring": 12). None where the file is no ring by its name.
  [[nodiscard]] static std::optional<std::uint32_t> rank_of_ring(std::string_view file_name);
  // The ranks that left a ring here, ascending; none where events() cannot be read.
  [[nodiscard]] std::vector<std::uint32_t> ranks_with_rings() const;

 private:
  std::filesystem::path path_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_RUN_DIRECTORY_H_
