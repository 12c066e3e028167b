// Names of ops, scopes and paths are for people: no source decides by what they say. Kinds are told
// apart by the fields of their OpDef, parts of a model by Op::region, batch tensors by their field.
// And a constant of the vector kernels has one definition.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "megascale/base/files.h"

namespace megascale {
namespace {

// The comparisons with a literal that a text has: of a name, scope, path or kind, either way round.
// A literal ends with its line: the library's matcher calls itself for every character of a match, and
// text between two literals may be long.
std::vector<std::string> comparisons(const std::string& text) {
  static const std::regex by_operator(
      R"((\b(name|scope|path|kind)(\(\))?\s*[=!]=\s*"[^"\n]*")|("[^"\n]*"\s*[=!]=\s*[\w.>()-]*\b(name|scope|path|kind)\b))");
  static const std::regex by_function(
      R"(\b(name|scope|path|kind)(\(\))?\.(starts_with|ends_with|find|rfind|compare|contains)\(\s*")");
  std::vector<std::string> found;
  for (const std::regex* expression : {&by_operator, &by_function}) {
    for (std::sregex_iterator match(text.begin(), text.end(), *expression), end; match != end;
         ++match)
      found.push_back(match->str());
  }
  return found;
}

TEST(NamesTest, NoSourceThatKnowsOpsDecidesByTheirNames) {
  const std::filesystem::path root = std::filesystem::path(MEGASCALE_SOURCE_DIR) / "src/megascale";
  std::size_t files = 0;
  for (const char* room : {"graph", "model", "plan", "kernels", "runtime", "simulate", "observe",
                           "job", "engine", "generate", "optimizer", "train", "study"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
      ++files;
      for (const std::string& comparison : comparisons(read_text(entry.path())))
        ADD_FAILURE() << entry.path() << " decides by a name: " << comparison;
    }
  }
  EXPECT_GT(files, 200U);
}

TEST(NamesTest, FindsComparisons) {
  for (const char* text :
       {R"(if (op.def->name == "send") f();)", R"(return op->scope != "head";)",
        R"("join_heads" == op.def->name)", R"(op.path.starts_with("attention/"))",
        R"(if (kind == "all_reduce") return 2;)", R"(tensor.name() == "logits")"}) {
    EXPECT_EQ(comparisons(text).size(), 1U) << text;
  }
  for (const char* text : {R"(def.name = "send")", R"(a.scope == b.scope)", R"(rename == "x")"})
    EXPECT_TRUE(comparisons(text).empty()) << text;
}

// The constants with external linkage that a text defines: name and value.
std::map<std::string, std::string> constants(const std::string& text) {
  static const std::regex definition(R"(\ninline constexpr [\w:]+ (\w+) = ([^;]+);)");
  std::map<std::string, std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), definition), end; match != end; ++match)
    found[(*match)[1]] = (*match)[2];
  return found;
}

// All vector kernels are in one namespace for each target. Two values of one name there are undefined
// behaviour that no linker reports: a constant that is used by reference takes either.
TEST(NamesTest, AConstantOfTheVectorKernelsHasOneValue) {
  const std::filesystem::path root =
      std::filesystem::path(MEGASCALE_SOURCE_DIR) / "src/megascale/kernels/cpu";
  std::map<std::string, std::string> values;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_text(entry.path());
    const std::size_t begin = text.find("HWY_BEFORE_NAMESPACE();");
    if (begin == std::string::npos) continue;
    for (const auto& [name, value] : constants(text.substr(begin))) {
      const auto known = values.emplace(name, value).first;
      EXPECT_EQ(value, known->second) << name << " in " << entry.path();
    }
  }
  EXPECT_GT(values.size(), 10U);
}

TEST(NamesTest, FindsConstants) {
  const auto found =
      constants("\ninline constexpr std::size_t kRows = 2 * kLanes;\nconstexpr int k = 3;\n");
  EXPECT_EQ(found, (std::map<std::string, std::string>{{"kRows", "2 * kLanes"}}));
}

}  // namespace
}  // namespace megascale
