#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "megascale/base/files.h"

// The table of docs/architecture.md is the law: a folder includes its own headers and those of the
// folders in its row.
namespace megascale {
namespace {

using Table = std::map<std::string, std::set<std::string>>;

Table read_table() {
  Table table;
  std::istringstream lines(
      read_text(std::filesystem::path(MEGASCALE_SOURCE_DIR) / "docs/architecture.md"));
  const std::regex row(R"(\| ([a-z]+) \|[^|]*\|([a-z ]*)\|)");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row) || match[1] == "folder") continue;  // the heading
    std::istringstream names(match[2]);
    auto& allowed = table[match[1]];
    for (std::string name; names >> name;) allowed.insert(name);
  }
  return table;
}

// The folders of megascale that a text includes.
std::set<std::string> folders_included(const std::string& text) {
  std::set<std::string> folders;
  const std::regex include("#include \"megascale/([a-z]+)/");
  for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match)
    folders.insert((*match)[1]);
  return folders;
}

TEST(IncludesTest, FollowTheTableOfTheArchitecture) {
  const Table table = read_table();
  const std::filesystem::path root = std::filesystem::path(MEGASCALE_SOURCE_DIR) / "src/megascale";
  std::size_t files = 0, of_devices = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
    ++files;
    if (extension == ".cu") ++of_devices;
    const std::string folder = std::filesystem::relative(entry.path(), root).begin()->string();
    ASSERT_TRUE(table.contains(folder)) << folder << " has no row in docs/architecture.md";
    for (const std::string& included : folders_included(read_text(entry.path()))) {
      EXPECT_TRUE(included == folder || table.at(folder).contains(included))
          << entry.path() << " includes " << included;
    }
  }
  EXPECT_GT(files, 100U);
  EXPECT_GT(of_devices, 5U);
}

TEST(IncludesTest, ReadsWhatAFileIncludes) {
  EXPECT_EQ(folders_included("#include \"megascale/plan/verify.h\"\n#include <vector>\n"),
            (std::set<std::string>{"plan"}));
}

TEST(IncludesTest, TheTableHasNoCycles) {
  const Table table = read_table();
  ASSERT_GT(table.size(), 10U);
  // Takes away folders whose dependencies are all gone; what remains is a cycle.
  std::set<std::string> done;
  for (std::size_t round = 0; round < table.size(); ++round) {
    for (const auto& [folder, allowed] : table) {
      bool ready = true;
      for (const std::string& dependency : allowed) ready = ready && done.contains(dependency);
      if (ready) done.insert(folder);
    }
  }
  EXPECT_EQ(done.size(), table.size());
}

}  // namespace
}  // namespace megascale
