#include "megascale/base/utf8.h"

#include <gtest/gtest.h>

namespace megascale {
namespace {

using namespace std::string_view_literals;

TEST(Utf8Test, AcceptsEachLengthAtItsBorders) {
  for (const auto text : {""sv, "\0\x7f"sv, "\xC2\x80\xDF\xBF"sv,
                          "\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"sv,
                          "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"sv}) {
    EXPECT_EQ(valid_utf8_prefix(text), text.size());
  }
}

TEST(Utf8Test, StopsAtTheFirstByteThatIsWrong) {
  for (const auto bad : {"\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv,
                         "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xC2"sv,
                         "\xE2\x82"sv, "\xE2\x82z"sv, "\xF0\x9F\x98"sv, "\xC2\xC2"sv}) {
    EXPECT_EQ(valid_utf8_prefix("ab" + std::string(bad)), 2U) << ::testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace megascale
