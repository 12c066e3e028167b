#include "megascale/generate/stop_strings.h"

#include <gtest/gtest.h>

#include "megascale/data/tokenizer.h"
#include "megascale/generate/text_row.h"

// Stop strings: found wherever the parts of the text are cut, and never half returned.
namespace megascale::generate {
namespace {

// Goal: the result does not depend on how the text is cut.  Method: all ways to cut it in three.
TEST(StopStringsTest, AreFoundAcrossTheBordersOfParts) {
  struct Case {
    std::string text;
    std::vector<std::string> stops;
    std::string kept;
    bool found;
  };
  for (const Case& one : std::vector<Case>{{"one END two", {"END"}, "one ", true},
                                           {"one EN two", {"END"}, "one EN two", false},
                                           {"ababac", {"abac"}, "ab", true},
                                           {"aaab", {"aab"}, "a", true},
                                           {"x\n\ny", {"\n\n", "y"}, "x", true},
                                           {"x y", {"\n", "y"}, "x ", true},
                                           {"END", {"END"}, "", true},
                                           {"EN", {"END"}, "EN", false},
                                           {"", {"END"}, "", false},
                                           {"text", {}, "text", false}}) {
    for (std::size_t a = 0; a <= one.text.size(); ++a) {
      for (std::size_t b = a; b <= one.text.size(); ++b) {
        StopStrings stops(one.stops);
        std::string text = stops.push(one.text.substr(0, a));
        text += stops.push(one.text.substr(a, b - a));
        text += stops.push(one.text.substr(b));
        EXPECT_EQ(stops.found(), one.found) << one.text;
        EXPECT_EQ(text + stops.finish(), one.kept) << one.text << " cut at " << a << ", " << b;
      }
    }
  }
}

TEST(StopStringsTest, HoldBackWhatMayBeTheBeginningOfOneAndNoMore) {
  StopStrings stops({"###", "\nUser"});
  EXPECT_EQ(stops.push("a#"), "a");
  EXPECT_EQ(stops.push("#"), "");
  EXPECT_EQ(stops.push("b"), "##b");
  EXPECT_EQ(stops.push("c\nUs"), "c");
  EXPECT_EQ(stops.push("a"), "\nUsa");
  EXPECT_EQ(stops.push("#"), "");
  EXPECT_EQ(stops.finish(), "#");
}

TEST(TextRowTest, EndsAtTheStopStringAndKeepsCharactersWhole) {
  const ByteTokenizer bytes;
  TextRow row(bytes, {}, {"<end>"});
  std::string text;
  for (const unsigned char byte : std::string("h\xc3\xa9<<end>more")) {
    const std::string part = row.push(byte);
    EXPECT_TRUE(part.empty() || part[0] != '\xa9');
    text += part;
    if (row.stopped()) break;
  }
  EXPECT_EQ(text + row.finish(), "h\xc3\xa9<");
  EXPECT_EQ(row.text(), "h\xc3\xa9<");
  TextRow open(bytes, {}, {"<end>"});
  (void)open.push('<');
  EXPECT_EQ(open.finish(), "<");
  EXPECT_FALSE(open.stopped());
}

}  // namespace
}  // namespace megascale::generate
