#include "megascale/base/toml_nesting.h"

#include <gtest/gtest.h>

namespace megascale {
namespace {

std::string parts(std::size_t count) {
  std::string key = "a";
  for (std::size_t i = 1; i < count; ++i) key += i % 3 == 0 ? " . \"b\"" : ".a";
  return key;
}

TEST(TomlNestingTest, LongKeysAreFoundAnywhereButInStringsAndComments) {
  const std::string longest = parts(kMostKeyParts), longer = parts(kMostKeyParts + 1);
  EXPECT_EQ(nesting_problem(longest + " = 1\n[" + longest + "]\n"), "");
  for (const std::string& text :
       {longer + " = 1", "x = 1\n\n[" + longer + "]\n", "x = {" + longer + " = 2}"})
    EXPECT_NE(nesting_problem(text).find("at most 32 parts, found a.a"), std::string::npos) << text;
  EXPECT_NE(nesting_problem("x = 1\n" + longer + " = 1").find("line 2"), std::string::npos);
  const std::string plain(100, '.');
  EXPECT_EQ(nesting_problem("x = \"" + plain + "\\\"" + plain + "\"\n"), "");
  EXPECT_EQ(nesting_problem("x = '" + plain + "' # " + plain + "\n"), "");
  EXPECT_EQ(nesting_problem("x = \"\"\"" + plain + "\n\"" + plain + "\"\"\"\n"), "");
  EXPECT_EQ(nesting_problem("x = [1.0, 2.0, 3.5]\ny = 1979-05-27T07:32:00.999\n"), "");
  EXPECT_EQ(nesting_problem("x = \"" + plain), "") << "an unfinished string";
}

}  // namespace
}  // namespace megascale
