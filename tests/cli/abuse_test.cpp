// Outputs and inputs that are no plain files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;

struct Writer {
  std::vector<std::string> words;  // the output follows
  const char* begins;              // the first bytes of what it writes
};

class UnusualFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(space.train("run", {"train.train_iters=2"}).exit_code, 0);
    const std::string config = (space / "tiny.toml").string();
    writers = {
        {{"plan", config, "--dump"}, "{"},
        {{"trace", (space / "run").string(), "--output"}, "{"},
        {{"tokenizer", "train", (space / "text.txt").string(), "--vocab-size", "300", "--output"},
         "{"}};
  }
  static Finished write(const Writer& writer, const std::string& output,
                        const megascale::testing::Setup& setup = {}) {
    std::vector<std::string> words = writer.words;
    words.insert(words.end(), {output, "--json"});
    return megascale(words, setup);
  }
  const Workspace space;
  std::vector<Writer> writers;
};

// As root, a rename onto /dev/null destroys it for the whole machine: a node of our own here.
TEST_F(UnusualFiles, OutputsThatAreDevicesStay) {
  const auto null = space / "null";
  if (::mknod(null.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0 || !std::ofstream(null))
    GTEST_SKIP() << "needs the right to make devices";
  for (const Writer& writer : writers) {
    const Finished finished = write(writer, null.string());
    EXPECT_EQ(finished.exit_code, 0) << writer.words.front() << finished;
    ASSERT_TRUE(std::filesystem::is_character_file(null)) << writer.words.front();
  }
}

TEST_F(UnusualFiles, OutputsThatAreLinksAreFollowed) {
  std::filesystem::create_directory(space / "far");
  std::filesystem::create_symlink("far/file", space / "near");
  for (const Writer& writer : writers) {
    const Finished finished = write(writer, (space / "near").string());
    EXPECT_EQ(finished.exit_code, 0) << writer.words.front() << finished;
    ASSERT_TRUE(std::filesystem::is_symlink(space / "near")) << writer.words.front();
    EXPECT_TRUE(read(space / "far/file").starts_with(writer.begins)) << writer.words.front();
  }
  std::filesystem::create_symlink("far/x.bin", space / "new.bin");
  EXPECT_EQ(
      megascale({"prepare", (space / "text.txt").string(), "--output", (space / "new").string()})
          .exit_code,
      0);
  EXPECT_TRUE(std::filesystem::is_symlink(space / "new.bin"));
  EXPECT_GT(std::filesystem::file_size(space / "far/x.bin"), 12000U);
}

TEST_F(UnusualFiles, OutputsThatAreFifosAreWritten) {
  ASSERT_EQ(::mkfifo((space / "fifo").c_str(), 0600), 0);
  for (const Writer& writer : writers) {
    std::string text;
    std::thread reader([&] { text = read(space / "fifo"); });
    const Finished finished = write(writer, (space / "fifo").string());
    if (finished.exit_code != 0)  // lets the reader end
      ::close(::open((space / "fifo").c_str(), O_WRONLY | O_NONBLOCK));
    reader.join();
    EXPECT_EQ(finished.exit_code, 0) << writer.words.front() << finished;
    EXPECT_TRUE(text.starts_with(writer.begins)) << writer.words.front() << text.substr(0, 100);
  }
}

// A plan of some KB between the lines of the command, and none of them lost.
TEST_F(UnusualFiles, StandardOutputIsWrittenInOrder) {
  const std::string log = (space / "log").string();
  const Finished finished = write(writers.front(), "/dev/stdout", {.stdout_to = log});
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const std::string text = read(log);
  const std::size_t first = text.find("verified    yes"), dump = text.find("\n \"tasks\": ["),
                    last = text.rfind("\n{\"verified\":true");
  EXPECT_LT(first, dump);
  EXPECT_LT(dump, last);
  EXPECT_NE(last, std::string::npos);
}

// Reading a FIFO would wait for a writer that never comes.
TEST_F(UnusualFiles, InputsThatAreFifosAreRefused) {
  const auto fifo = (space / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& name) {
    const Finished finished = Process(words).wait(20);
    EXPECT_NE(finished.exit_code, 0) << finished;
    EXPECT_FALSE(finished.timed_out) << words.front() << " " << name;
    const std::string said = finished.out + finished.err;
    EXPECT_NE(said.find(name), std::string::npos) << finished;
    EXPECT_NE(said.find("found a FIFO"), std::string::npos) << finished;
  };
  refused({"train", fifo}, fifo);
  refused({"simulate", (space / "tiny.toml").string(), "--cluster", fifo}, fifo);
  refused(space.arguments("check", "new", {"parallel.pipeline_schedule=" + fifo}), fifo);
  const auto become_fifo = [&](const std::filesystem::path& file) {
    std::filesystem::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  };
  become_fifo(space / "run/events/rank0.ring");
  refused({"trace", (space / "run").string()}, "rank0.ring");
  const auto checkpoint = space / "run/checkpoints/step-00000002";
  for (const auto& entry : std::filesystem::directory_iterator(checkpoint)) {
    if (entry.path().extension() != ".safetensors") continue;
    become_fifo(entry.path());
    refused({"checkpoint", "verify", checkpoint.string()}, entry.path().filename().string());
  }
  become_fifo(checkpoint / "manifest.json");
  refused({"checkpoint", "verify", checkpoint.string()}, "manifest.json");
  for (const char* extension : {".bin", ".idx"}) {
    const std::string file = space.corpus() + extension;
    std::filesystem::rename(file, space / "kept");
    become_fifo(file);
    refused(space.arguments("train", "new"), file);
    std::filesystem::rename(space / "kept", file);
  }
}

}  // namespace
}  // namespace megascale::testing
