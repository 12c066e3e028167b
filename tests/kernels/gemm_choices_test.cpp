#include "megascale/kernels/cuda/gemm_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "support/scratch_directory.h"

namespace megascale::kernels::cuda {
namespace {

GemmWay way_of(std::size_t seed) {
  GemmWay way{};
  for (std::size_t i = 0; i < way.size(); ++i) way[i] = static_cast<std::byte>(seed * 37 + i * 11);
  return way;
}

TEST(GemmChoices, WhatWasAddedIsFoundByTheNextProcess) {
  const testing::ScratchDirectory space;
  const auto file = space / "choices";
  {
    GemmChoices choices(file);
    EXPECT_EQ(choices.find("rows 3"), std::nullopt);
    EXPECT_EQ(choices.add("rows 3", way_of(1)), way_of(1));
    EXPECT_EQ(choices.add("rows 4", way_of(2)), way_of(2));
    EXPECT_EQ(choices.add("rows 3", way_of(3)), way_of(1)) << "the first counts";
  }
  const GemmChoices again(file);
  EXPECT_EQ(again.find("rows 3"), way_of(1));
  EXPECT_EQ(again.find("rows 4"), way_of(2));
  EXPECT_EQ(again.find("rows"), std::nullopt);
}

// Two processes measure the same product at the same time, and one is killed while it writes.
TEST(GemmChoices, TheFirstLineOfAProductCountsAndHalfALineDoesNot) {
  const testing::ScratchDirectory space;
  const auto file = space / "choices";
  GemmChoices first(file), second(file);
  (void)first.add("rows 3", way_of(1));
  (void)second.add("rows 3", way_of(2));
  const std::string text = read_text(file);
  write_text_atomically(file, text + text.substr(0, 100));
  const GemmChoices again(file);
  EXPECT_EQ(again.find("rows 3"), way_of(1));
}

TEST(GemmChoices, AFileThatIsNoneIsNamedWithItsLine) {
  const testing::ScratchDirectory space;
  const auto file = space / "choices";
  (void)GemmChoices(file).add("rows 3", way_of(1));
  const std::string good = read_text(file);
  std::string no_digit = good;
  no_digit[5] = 'x';
  for (const std::string& bad : {std::string("[model]\n"), no_digit, good.substr(0, 128) + "\n"}) {
    write_text_atomically(file, good + bad);
    try {
      const GemmChoices choices(file);
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt_data);
      EXPECT_THAT(error.message(), ::testing::HasSubstr(file.string() + ":2: expected 128"));
    }
  }
}

}  // namespace
}  // namespace megascale::kernels::cuda
