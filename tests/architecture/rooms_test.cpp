// The sizes of rooms, and file names that one class owns.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "megascale/base/files.h"

namespace megascale {
namespace {

struct SourceFile {
  std::string room, name;  // of src/megascale; with its folders
  std::string text;
  [[nodiscard]] std::size_t lines() const {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

std::vector<SourceFile> read_sources() {
  const std::filesystem::path root = std::filesystem::path(MEGASCALE_SOURCE_DIR) / "src/megascale";
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
    const auto name = std::filesystem::relative(entry.path(), root);
    files.push_back({name.begin()->string(), name.string(), read_text(entry.path())});
  }
  return files;
}

constexpr std::size_t kMostLinesInCli = 200;
constexpr double kLargestShare = 0.2;  // of all lines, in one room

std::vector<std::string> too_long(const std::vector<SourceFile>& files) {
  std::vector<std::string> names;
  for (const SourceFile& file : files)
    if (file.room == "cli" && file.lines() > kMostLinesInCli) names.push_back(file.name);
  return names;
}

std::vector<std::string> too_large(const std::vector<SourceFile>& files) {
  std::map<std::string, std::size_t> lines;
  std::size_t all = 0;
  for (const SourceFile& file : files) {
    lines[file.room] += file.lines();
    all += file.lines();
  }
  std::vector<std::string> rooms;
  for (const auto& [room, count] : lines) {
    if (room != "kernels" && static_cast<double>(count) > kLargestShare * static_cast<double>(all))
      rooms.push_back(room);
  }
  return rooms;
}

// Comments may name a file of a run directory; code may not.
std::string without_comments(const std::string& text) {
  std::string code;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = line.find("//");
    while (at != std::string::npos && at > 0 && line[at - 1] == ':') at = line.find("//", at + 2);
    code += line.substr(0, at) + "\n";
  }
  return code;
}

std::vector<std::string> spells_a_run_directory(const std::vector<SourceFile>& files) {
  static const std::regex names(
      R"(config\.toml|plan\.json|metrics\.jsonl|trace\.json|\.ring"|"plan-|rank\{\}\.)"
      R"(|/ "events"|"/?events/|"/events"|/ "checkpoints"|"/?checkpoints/|"/checkpoints")");
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    if (file.name.starts_with("base/run_directory.")) continue;
    if (std::regex_search(without_comments(file.text), names)) found.push_back(file.name);
  }
  return found;
}

TEST(RoomsTest, NoFileOfCliIsLong) {
  const auto files = read_sources();
  EXPECT_GT(files.size(), 100U);
  EXPECT_EQ(too_long(files), std::vector<std::string>{});
}

TEST(RoomsTest, NoRoomButTheKernelsIsLarge) {
  EXPECT_EQ(too_large(read_sources()), std::vector<std::string>{});
}

TEST(RoomsTest, OnlyRunDirectoryKnowsTheFilesOfARun) {
  EXPECT_EQ(spells_a_run_directory(read_sources()), std::vector<std::string>{});
}

// The checks themselves can fail.
TEST(RoomsTest, FindsWhatIsWrong) {
  const std::string long_text(201, '\n');
  EXPECT_EQ(too_long({{"cli", "cli/a.cpp", long_text}, {"plan", "plan/a.cpp", long_text}}),
            std::vector<std::string>{"cli/a.cpp"});
  EXPECT_EQ(too_large({{"a", "a/a.cpp", std::string(30, '\n')},
                       {"kernels", "kernels/a.cpp", std::string(60, '\n')},
                       {"b", "b/a.cpp", std::string(10, '\n')}}),
            std::vector<std::string>{"a"});
  for (const char* code :
       {R"(open(run / "events");)", R"(run + "/checkpoints")", R"(path / "config.toml")",
        R"(fmt::format("rank{}.ring", rank))", R"(fmt::format("plan-{}.json", digest))",
        R"(metrics(run_dir / "metrics.jsonl"))"}) {
    EXPECT_EQ(spells_a_run_directory({{"a", "a/a.cpp", code}}).size(), 1U) << code;
  }
  for (const char* code : {"// the records of config.toml\n", R"(json["checkpoints"])",
                           R"({"events", summary.events})", R"(path("http://host/x"))"}) {
    EXPECT_TRUE(spells_a_run_directory({{"a", "a/a.cpp", code}}).empty()) << code;
  }
}

}  // namespace
}  // namespace megascale
