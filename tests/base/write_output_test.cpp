// Outputs that are no plain files: they are written through, never replaced.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(WriteOutputTest, FollowsSymbolicLinks) {
  const testing::ScratchDirectory directory;
  std::filesystem::create_directory(directory / "far");
  directory.write("far/file", "old");
  std::filesystem::create_symlink("far/file", directory / "near");
  std::filesystem::create_symlink(directory / "near", directory / "twice");
  std::filesystem::create_symlink("far/new", directory / "dangling");
  write_text_atomically(directory / "twice", "new");
  write_text_atomically(directory / "dangling", "made");
  EXPECT_EQ(read_text(directory / "far/file"), "new");
  EXPECT_EQ(read_text(directory / "far/new"), "made");
  for (const char* link : {"near", "twice", "dangling"})
    EXPECT_TRUE(std::filesystem::is_symlink(directory / link)) << link;
  EXPECT_EQ(replaceable_file(directory / "twice"), directory / "far/file");
  std::filesystem::create_symlink("loop", directory / "loop");
  EXPECT_THAT(message_of([&] { write_text_atomically(directory / "loop", ""); }),
              ::testing::HasSubstr("symbolic links"));
}

TEST(WriteOutputTest, KeepsThePermissions) {
  const testing::ScratchDirectory directory;
  const auto path = directory.write("private", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  write_text_atomically(path, "new");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST(WriteOutputTest, ADeviceStaysADevice) {
  const testing::ScratchDirectory directory;
  const auto null = directory / "null", full = directory / "full";
  if (::mknod(null.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0 ||
      ::mknod(full.c_str(), S_IFCHR | 0666, ::makedev(1, 7)) != 0)
    GTEST_SKIP() << "needs the right to make devices";
  if (const int fd = ::open(null.c_str(), O_WRONLY); fd < 0) {
    GTEST_SKIP() << "devices cannot be opened in " << directory / "";
  } else {
    ::close(fd);
  }
  write_text_atomically(null, "text");
  EXPECT_THAT(message_of([&] { write_text_atomically(full, "text"); }),
              ::testing::HasSubstr("No space left"));
  EXPECT_TRUE(std::filesystem::is_character_file(null));
  EXPECT_EQ(directory.list(), (std::vector<std::string>{"full", "null"}));
}

TEST(WriteOutputTest, AFifoGetsTheText) {
  const testing::ScratchDirectory directory;
  const auto path = directory / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string text(1 << 20, 'x');  // longer than a FIFO holds
  std::string received;
  std::thread reader([&] {
    ::usleep(50'000);  // comes after the writer
    received = read_text(path, OpenMode::read_stream);
  });
  write_text_atomically(path, text);
  reader.join();
  EXPECT_TRUE(received == text);
  EXPECT_EQ(directory.list(), std::vector<std::string>{"fifo"});
}

// /dev/stdout names the same file, but opening it would begin at its first byte.
TEST(WriteOutputTest, ADescriptorOfTheProcessIsWrittenWhereItStands) {
  const testing::ScratchDirectory directory;
  const FileHandle file(::open((directory / "log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  write_all(file, "before ", "log");
  write_text_atomically("/dev/fd/" + std::to_string(file.get()), "text");
  write_all(file, " after", "log");
  EXPECT_EQ(read_text(directory / "log"), "before text after");
  EXPECT_THAT(message_of([] { write_text_atomically("/dev/fd/999", "text"); }),
              ::testing::HasSubstr("Bad file descriptor"));
}

TEST(WriteOutputTest, RefusesADirectory) {
  const testing::ScratchDirectory directory;
  EXPECT_THAT(message_of([&] { write_text_atomically(directory / "", "text"); }),
              ::testing::HasSubstr("Is a directory"));
  EXPECT_TRUE(directory.list().empty());
}

TEST(WriteOutputTest, OnlyRegularFilesAreRead) {
  const testing::ScratchDirectory directory;
  const auto path = directory / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(message_of([&] { (void)read_text(path); }), ::testing::HasSubstr("found a FIFO"));
  EXPECT_THAT(message_of([&] { (void)MappedFile(path); }), ::testing::HasSubstr("found a FIFO"));
  EXPECT_THAT(message_of([&] { (void)open_file(path, OpenMode::append); }),
              ::testing::HasSubstr("fifo"));
  EXPECT_THAT(message_of([&] { (void)read_text("/dev/zero"); }),
              ::testing::HasSubstr("found a device"));
  EXPECT_THAT(message_of([&] { (void)read_text(directory / ""); }),
              ::testing::HasSubstr("found a directory"));
}

}  // namespace
}  // namespace megascale
