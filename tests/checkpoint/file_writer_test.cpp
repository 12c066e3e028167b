// Files that are written past the page cache hold what was appended, whatever its sizes; a failing
// disk is an Error of the caller.
#include "megascale/checkpoint/file_writer.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using testing::error_of;
using testing::says;
using testing::Scratch;

std::vector<std::byte> random_bytes(std::uint64_t nbytes) {
  std::vector<std::byte> bytes(nbytes);
  std::mt19937_64 random(nbytes);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::string content_of(const std::filesystem::path& path) { return read_text(path); }

TEST(FileWriterTest, AFileHoldsWhatWasAppended) {
  const Scratch scratch;
  int direct_blocks = 0;
  const Storage storage(
      [&](Action action, const auto&) { direct_blocks += action == Action::write ? 1 : 0; });
  for (const std::uint64_t nbytes :
       {std::uint64_t{0}, std::uint64_t{1}, FileWriter::kDirectFrom - 1, FileWriter::kDirectFrom,
        FileWriter::kDirectFrom + 1, kDirectBlock, kDirectBlock + 4096, 9 * kDirectBlock + 4097}) {
    for (const std::uint64_t part : {std::uint64_t{3'000'001}, std::uint64_t{4096}}) {
      SCOPED_TRACE(std::to_string(nbytes) + " in parts of " + std::to_string(part));
      const auto bytes = random_bytes(nbytes);
      const std::filesystem::path path = scratch.path() / "file";
      FileWriter writer(storage, path, nbytes);
      DigestStream digest;
      for (std::uint64_t at = 0; at < nbytes; at += part)
        writer.append(std::span(bytes).subspan(at, std::min(part, nbytes - at)), digest);
      direct_blocks = 0;
      writer.finish();
      EXPECT_LE(direct_blocks, 1) << "the rest of the last block";
      EXPECT_EQ(digest.finish(), digest128(bytes));
      const std::string found = content_of(path);
      ASSERT_EQ(found.size(), nbytes);
      EXPECT_EQ(digest128(std::as_bytes(std::span(found))), digest128(bytes));
      std::filesystem::remove(path);
    }
  }
}

// A writer that is not finished ends without waiting for bytes that never come.
TEST(FileWriterTest, AWriterThatIsGivenUpEnds) {
  const Scratch scratch;
  const Storage storage;
  const auto bytes = random_bytes(3 * kDirectBlock);
  DigestStream digest;
  FileWriter writer(storage, scratch.path() / "file", 9 * kDirectBlock);
  writer.append(bytes, digest);
}

// The disk refuses a block in the middle, after the space was reserved.
TEST(FileWriterTest, AFailingBlockIsAnError) {
  const Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const Storage storage;
    const auto bytes = random_bytes(16 * kDirectBlock);
    const Error error = error_of([&] {
      FileWriter writer(storage, scratch.path() / "file", bytes.size());
      const rlimit limit{2 * kDirectBlock + 100, 2 * kDirectBlock + 100};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      DigestStream digest;
      writer.append(bytes, digest);
      writer.finish();
    });
    EXPECT_TRUE(says(error, ErrorCode::io, {(scratch.path() / "file").string(), "too large"}));
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "see the child's output above";
}

TEST(FileWriterTest, SpaceIsReservedBeforeTheFirstByte) {
  const Scratch scratch;
  int writes = 0;
  const Storage storage([&](Action action, const auto&) { writes += action == Action::write; });
  const Error error = error_of(
      [&] { const FileWriter writer(storage, scratch.path() / "file", std::uint64_t{1} << 43); });
  EXPECT_TRUE(says(error, ErrorCode::io, {"reserve 8796093022208 bytes", "file"}));
  EXPECT_EQ(writes, 0);
  // A refused reservation took nothing from its neighbours.
  struct stat status {};
  ASSERT_EQ(::stat((scratch.path() / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_blocks, 0);
}

}  // namespace
}  // namespace megascale::checkpoint
