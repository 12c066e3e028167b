#ifndef MEGASCALE_TESTS_CLI_WORKSPACE_H_
#define MEGASCALE_TESTS_CLI_WORKSPACE_H_

#include <string>
#include <string_view>
#include <vector>

#include "cli/process.h"
#include "support/scratch_directory.h"

namespace megascale::testing {

// A directory with a few KB of text, prepared, and configurations of tiny models that train on it.
class Workspace {
 public:
  Workspace();
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return scratch_ / name;
  }
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    return scratch_.write(name, content);
  }
  [[nodiscard]] std::string corpus() const { return (scratch_ / "corpus").string(); }
  // A GPT-2 of two layers, width 32, 32 tokens, one thread, in the run directory NAME; `set`
  // overrides it.
  [[nodiscard]] std::vector<std::string> arguments(std::string_view command, std::string_view run,
                                                   const std::vector<std::string>& set = {}) const;
  [[nodiscard]] Finished train(std::string_view run,
                               const std::vector<std::string>& set = {}) const;

 private:
  ScratchDirectory scratch_;
};

// Words in a random order, a sentence a line.
[[nodiscard]] std::string some_text(std::size_t nbytes);
// Whether a run has a checkpoint on the disk.
[[nodiscard]] bool has_saved(const std::filesystem::path& run_dir);
// The lines of run_dir/metrics.jsonl; not one that is being written.
[[nodiscard]] std::vector<nlohmann::json> metrics_of(const std::filesystem::path& run_dir);
// The same without what a clock decides: equal runs have equal histories.
[[nodiscard]] std::vector<nlohmann::json> history_of(const std::filesystem::path& run_dir);
// By tensor, the digests in the manifest of the run's checkpoint of `step`; and what else a resume
// needs.
[[nodiscard]] nlohmann::json checkpoint_of(const std::filesystem::path& run_dir, std::int64_t step);
[[nodiscard]] std::string read(const std::filesystem::path& path);

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_WORKSPACE_H_
