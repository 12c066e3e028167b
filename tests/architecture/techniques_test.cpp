// docs/architecture.md says for every technique of the papers which file has it, which switch turns it
// on, and which test shows it. The files must exist and the switches must be keys.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "megascale/base/files.h"

namespace megascale {
namespace {

const std::filesystem::path kRoot = MEGASCALE_SOURCE_DIR;

// What stands in code marks in a cell.
std::vector<std::string> code_marks(const std::string& cell) {
  static const std::regex mark("`([^`]+)`");
  std::vector<std::string> found;
  for (std::sregex_iterator match(cell.begin(), cell.end(), mark), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

struct Row {
  std::string technique;
  std::vector<std::string> files, switches, tests;
};

// The table under the heading "Techniques".
std::vector<Row> read_rows() {
  const std::string page = read_text(kRoot / "docs/architecture.md");
  const std::size_t begin = page.find("## Techniques");
  if (begin == std::string::npos) return {};
  std::istringstream lines(page.substr(begin, page.find("\n## ", begin + 1) - begin));
  const std::regex row(R"(\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|)");
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row) || match[1] == "technique") continue;
    rows.push_back({match[1], code_marks(match[3]), code_marks(match[4]), code_marks(match[5])});
  }
  return rows;
}

TEST(TechniquesTest, EveryTechniqueHasAFileASwitchAndATest) {
  const std::vector<Row> rows = read_rows();
  EXPECT_GE(rows.size(), 12U);
  const std::string keys = read_text(kRoot / "docs/configuration.md");
  for (const Row& row : rows) {
    ASSERT_FALSE(row.files.empty()) << row.technique;
    ASSERT_FALSE(row.tests.empty()) << row.technique;
    for (const std::string& file : row.files)
      EXPECT_TRUE(std::filesystem::exists(kRoot / "src/megascale" / file))
          << row.technique << ": " << file;
    for (const std::string& test : row.tests)
      EXPECT_TRUE(std::filesystem::exists(kRoot / test)) << row.technique << ": " << test;
    for (const std::string& key : row.switches) {
      const std::string section = key.substr(0, key.find('.')),
                        name = key.substr(key.find('.') + 1);
      const std::size_t at = keys.find("## [" + section + "]");
      ASSERT_NE(at, std::string::npos) << row.technique << ": " << key;
      EXPECT_NE(keys.find("| `" + name + "` |", at), std::string::npos)
          << row.technique << ": " << key;
    }
  }
}

}  // namespace
}  // namespace megascale
