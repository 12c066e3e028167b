#include "megascale/base/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "megascale/base/error.h"

namespace megascale {
namespace {

std::filesystem::path scratch() {
  const auto directory = std::filesystem::path(::testing::TempDir()) / "megascale_files_test";
  std::filesystem::remove_all(directory);
  make_directories(directory);
  return directory;
}

TEST(FilesTest, AtomicWriteReplacesTheWholeAndLeavesNothingBeside) {
  const auto directory = scratch();
  write_text_atomically(directory / "a", "first");
  write_text_atomically(directory / "a", "2");
  EXPECT_EQ(read_text(directory / "a"), "2");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
}

TEST(FilesTest, ErrorsNameThePathAndTheReason) {
  try {
    (void)read_text("/nowhere/at/all");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_NE(error.message().find("/nowhere/at/all"), std::string::npos);
    EXPECT_NE(error.message().find("No such file"), std::string::npos);
  }
}

TEST(FilesTest, FullDiskIsAnErrorThatNamesTheFile) {
  const auto file = open_file("/dev/full", OpenMode::append);
  EXPECT_THROW(write_all(file, "x", "/dev/full"), Error);
}

TEST(FilesTest, EmptyFileMapsToAnEmptySpan) {
  const auto directory = scratch();
  std::ofstream(directory / "empty").close();
  EXPECT_TRUE(MappedFile(directory / "empty").bytes().empty());
}

}  // namespace
}  // namespace megascale
