#include "megascale/base/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "megascale/base/error.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

TEST(FilesTest, AtomicWriteReplacesTheWholeAndLeavesNothingBeside) {
  const testing::ScratchDirectory directory;
  write_text_atomically(directory / "a", "first");
  write_text_atomically(directory / "a", "2");
  EXPECT_EQ(read_text(directory / "a"), "2");
  EXPECT_EQ(directory.list(), std::vector<std::string>{"a"});
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
  const testing::ScratchDirectory directory;
  std::ofstream(directory / "empty").close();
  EXPECT_TRUE(MappedFile(directory / "empty").bytes().empty());
}

}  // namespace
}  // namespace megascale
