#include "megascale/base/private_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "megascale/base/error.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using testing::ScratchDirectory;

unsigned private_mode(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777U;
}

TEST(PrivateFileTest, IsWrittenForTheOwnerAloneAlsoOverAnOpenOne) {
  const ScratchDirectory scratch;
  const auto path = scratch.write("key", "old");
  ::chmod(path.c_str(), 0644);
  EXPECT_THROW((void)read_private_file(path, 100), Error);
  write_private_file(path, "new");
  EXPECT_EQ(private_mode(path), 0600U);
  EXPECT_EQ(read_private_file(path, 100), "new");
  EXPECT_EQ(read_private_file(path, 2), "ne");
  EXPECT_EQ(scratch.list(), std::vector<std::string>{"key"});
}

TEST(PrivateFileTest, ALinkInPlaceOfTheUnfinishedFileIsNotFollowed) {
  const ScratchDirectory scratch;
  const auto victim = scratch.write("victim", "untouched");
  std::filesystem::create_symlink(victim, scratch / "key.partial");
  write_private_file(scratch / "key", "new");
  EXPECT_EQ(read_private_file(scratch / "key", 100), "new");
  ::chmod(victim.c_str(), 0600);
  EXPECT_EQ(read_private_file(victim, 100), "untouched");
}

TEST(PrivateFileTest, ADirectoryIsMadeForTheOwnerAlone) {
  const ScratchDirectory scratch;
  make_private_directory(scratch / "a/b");
  EXPECT_EQ(private_mode(scratch / "a/b"), 0700U);
  make_private_directory(scratch / "a/b");  // again
  ::chmod((scratch / "a/b").c_str(), 0755);
  EXPECT_THROW(make_private_directory(scratch / "a/b"), Error);
  EXPECT_THROW(require_private_directory(scratch / "absent"), Error);
  scratch.write("file", "");
  EXPECT_THROW(require_private_directory(scratch / "file"), Error);
}

}  // namespace
}  // namespace megascale
