#include "megascale/base/numbers.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace megascale {
namespace {

TEST(ParseNumberTest, ReadsWholeDecimalNumbers) {
  EXPECT_EQ(parse_number<std::int64_t>("-12"), -12);
  EXPECT_EQ(parse_number<std::int64_t>("+12"), 12);
  EXPECT_EQ(parse_number<std::int64_t>("010"), 10);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<double>("1e-3"), 1e-3);
  EXPECT_EQ(parse_number<double>("-7"), -7.0);
}

TEST(ParseNumberTest, RefusesWhatDoesNotFitAndWhatIsNotFinite) {
  for (const char* text : {"", "+", "+-1", "x", "1x", " 1", "1 ", "1.5", "0x10", "nan", "1e3",
                           "9223372036854775808"}) {
    EXPECT_EQ(parse_number<std::int64_t>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>("4294967296"), std::nullopt);
  for (const char* text :
       {"", "nan", "-nan", "inf", "-inf", "+inf", "infinity", "1e999", "1,5", "1 "})
    EXPECT_EQ(parse_number<double>(text), std::nullopt) << text;
}

}  // namespace
}  // namespace megascale
