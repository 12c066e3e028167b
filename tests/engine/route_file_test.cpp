// Files of recorded routes: what is written is read, and every other file is refused with its reason.
#include "megascale/engine/route_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <vector>

#include "megascale/base/error.h"
#include "support/scratch_directory.h"

namespace megascale::engine {
namespace {

using ::testing::HasSubstr;

const RouteShape kRoutes{.layers = 2, .tokens = 6, .top_k = 2, .experts = 5};
constexpr std::size_t kRoutesHeader = 64, kRoutesBytes = kRoutesHeader + 8 * 2 * 6 * 2;

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

class RouteFileTest : public ::testing::Test {
 protected:
  // Two ranks, each with the halves of the tokens: choices t and t + 1 modulo 5 of token t.
  void write_all_parts() const {
    for (const std::int64_t first : {3, 0}) {
      const RouteFile file = RouteFile::to_write(path_, kRoutes);
      for (std::int64_t layer = 0; layer < kRoutes.layers; ++layer) {
        std::vector<std::int32_t> choices;
        std::vector<float> scores;
        for (std::int64_t t = first; t < first + 3; ++t) {
          for (const std::int64_t choice : {t, t + 1}) {
            choices.push_back(static_cast<std::int32_t>((choice + layer) % kRoutes.experts));
            scores.push_back(static_cast<float>(choice) / 8);
          }
        }
        file.write(layer, first, choices, scores);
      }
    }
  }
  [[nodiscard]] std::string error_of_opening(const RouteShape& shape = kRoutes) const {
    return refusal([&] { (void)RouteFile::to_read(path_, shape); });
  }
  void put(std::uint64_t offset, std::int32_t value) const {
    write_at(open_file(path_, OpenMode::update), offset, std::as_bytes(std::span(&value, 1)),
             path_);
  }
  [[nodiscard]] std::string error_of_reading() const {
    return refusal([&] {
      std::array<std::int32_t, 12> choices{};
      RouteFile::to_read(path_, kRoutes).read(0, 0, choices);
    });
  }
  testing::ScratchDirectory scratch_;
  std::filesystem::path path_ = scratch_ / "step-00000001.routes";
};

TEST_F(RouteFileTest, ReadsWhatSeveralRanksWrote) {
  write_all_parts();
  EXPECT_EQ(std::filesystem::file_size(path_), kRoutesBytes);
  const RouteFile file = RouteFile::to_read(path_, kRoutes);
  std::array<std::int32_t, 8> choices{};
  file.read(1, 1, choices);
  EXPECT_THAT(choices, ::testing::ElementsAre(2, 3, 3, 4, 4, 0, 0, 1));
  std::array<float, 4> scores{};
  file.read_scores(1, 2, scores);
  EXPECT_THAT(scores, ::testing::ElementsAre(2.0F / 8, 3.0F / 8, 3.0F / 8, 4.0F / 8));
}

TEST_F(RouteFileTest, WhatNobodyWroteIsUnknown) {
  write_all_parts();
  put(kRoutesHeader + 4 * 2, 0);
  std::array<std::int32_t, 4> choices{};
  RouteFile::to_read(path_, kRoutes).read(0, 0, choices);
  EXPECT_THAT(choices, ::testing::ElementsAre(0, 1, RouteFile::kUnknown, 2));
}

TEST_F(RouteFileTest, FilesOfOtherKindsAreRefused) {
  write_text_atomically(path_, std::string(kRoutesBytes, 'x'));
  EXPECT_THAT(error_of_opening(), HasSubstr("expected a file of routes of version 1"));
  write_text_atomically(path_, "MSROUTES");
  EXPECT_THAT(error_of_opening(), HasSubstr("expected a file of routes of version 1"));
  write_all_parts();
  EXPECT_EQ(error_of_opening(), "");
  put(8, 2);  // the version
  EXPECT_THAT(error_of_opening(), HasSubstr("expected a file of routes of version 1"));
}

TEST_F(RouteFileTest, RoutesOfAnotherModelOrBatchAreRefused) {
  write_all_parts();
  for (const RouteShape& other : {RouteShape{3, 6, 2, 5}, RouteShape{2, 7, 2, 5},
                                  RouteShape{2, 6, 1, 5}, RouteShape{2, 6, 2, 8}}) {
    EXPECT_THAT(error_of_opening(other), HasSubstr("found 2 layers, 6 tokens, 2 of 5 experts"));
  }
}

TEST_F(RouteFileTest, ReservedBytesThatAreNotZeroAreNamed) {
  for (const std::uint64_t offset : {32, 60}) {
    write_all_parts();
    put(offset, 1);
    EXPECT_THAT(error_of_opening(), HasSubstr("expected zeros in bytes 32 to 63, found others"));
  }
}

TEST_F(RouteFileTest, TruncatedFilesAreRefused) {
  write_all_parts();
  for (const std::size_t nbytes : {kRoutesBytes - 1, kRoutesBytes / 2, kRoutesHeader}) {
    std::filesystem::resize_file(path_, nbytes);
    EXPECT_THAT(error_of_opening(), HasSubstr("expected 256 bytes of routes")) << nbytes;
  }
}

TEST_F(RouteFileTest, ChoicesThatAreNoDifferentExpertsAreRefused) {
  write_all_parts();
  put(kRoutesHeader + 4 * 3, 6);  // expert 5
  EXPECT_THAT(error_of_reading(), HasSubstr("found 5 for token 1 in layer 0"));
  put(kRoutesHeader + 4 * 3, -7);
  EXPECT_THAT(error_of_reading(), HasSubstr("found -8 for token 1"));
  put(kRoutesHeader + 4 * 3, std::numeric_limits<std::int32_t>::min());
  EXPECT_THAT(error_of_reading(), HasSubstr("found -2147483649 for token 1"));
  put(kRoutesHeader + 4 * 3, 2);  // expert 1, as the choice before
  EXPECT_THAT(error_of_reading(), HasSubstr("found 1 twice for token 1"));
}

}  // namespace
}  // namespace megascale::engine
