// Copies data sets from a real web server, that of cpp-httplib: whole copies, interrupted ones, and all answers that are
// no file.
#include "megascale/data/remote_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/data/content_digest.h"
#include "megascale/data/dataset.h"
#include "megascale/data/indexed_writer.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchDirectory;

class RemoteSetTest : public ::testing::Test {
 protected:
  RemoteSetTest() {
    ::setenv("MEGASCALE_CACHE_DIR", (scratch_ / "cache").c_str(), 1);
    ::setenv("no_proxy", "127.0.0.1", 1);
    IndexedDatasetWriter writer(scratch_ / "corpus", TokenType::uint16);
    std::vector<std::int32_t> ids(60'000);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i * 7919 % 251);
    writer.append(ids);
    writer.end_document();
    writer.finish();
    for (const char* extension : {".bin", ".idx"})
      files_[std::string("/corpora/corpus") + extension] = read_text(local() + extension);
    server_.Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~RemoteSetTest() override { stop(); }

  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] std::string local() const { return (scratch_ / "corpus").string(); }
  [[nodiscard]] std::string remote(const std::string& path = "/corpora/corpus") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  void answer(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request.path + (request.has_header("Range")
                                            ? " " + request.get_header_value("Range")
                                            : ""));
    queries_ = request.params.size();
    if (status_ != 200) {
      response.status = status_;
      response.set_content("no", "text/plain");
      return;
    }
    if (request.path.starts_with("/moved/"))
      return response.set_redirect(remote("/corpora/" + request.path.substr(7)));
    if (request.path.starts_with("/leaves/")) return response.set_redirect("file:///etc/passwd");
    const auto found = files_.find(request.path);
    if (found == files_.end()) {
      response.status = 404;
      return;
    }
    response.set_header("ETag", etag_);
    std::string content = found->second;
    const std::size_t breaks_at = request.path.ends_with(".bin") ? std::exchange(breaks_at_, 0) : 0;
    // The library does not know If-Range.
    if (request.has_header("If-Range") && request.get_header_value("If-Range") != etag_)
      const_cast<httplib::Request&>(request).ranges.clear();
    response.set_content_provider(
        content.size(), "application/octet-stream",
        [content, breaks_at](std::size_t offset, std::size_t size, httplib::DataSink& sink) {
          if (breaks_at > 0 && offset >= breaks_at) return false;  // the connection is closed
          return sink.write(content.data() + offset,
                            breaks_at > 0 ? std::min(size, breaks_at - offset) : size);
        });
  }
  std::string error_of(const std::string& prefix) {
    try {
      (void)local_prefix(prefix);
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }
  void expect_copy(const std::string& prefix) {
    const std::string copy = local_prefix(prefix);
    for (const char* extension : {".bin", ".idx"})
      EXPECT_EQ(read_text(copy + extension), read_text(local() + extension));
  }

  const ScratchDirectory scratch_;
  httplib::Server server_;
  std::thread thread_;
  int port_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::vector<std::string> requests_;
  std::size_t queries_ = 0, breaks_at_ = 0;  // bytes after which a .bin breaks off, once
  std::string etag_ = "\"one\"";
  int status_ = 200;
};

TEST_F(RemoteSetTest, IsCopiedOnceAndNeedsNoServerAfterwards) {
  EXPECT_EQ(missing_copies(std::vector{remote(), local()}), std::vector{remote()});
  expect_copy(remote());
  EXPECT_EQ(requests_.size(), 4U);  // also .info.json and .loss_mask, which are not there
  EXPECT_THAT(missing_copies(std::vector{remote()}), IsEmpty());
  stop();
  expect_copy(remote());
  EXPECT_EQ(requests_.size(), 4U);
}

TEST_F(RemoteSetTest, TrainingReadsWhatItReadsFromTheFiles) {
  Config config;
  config.model.vocab_size = 256;
  config.model.seq_length = 128;
  config.data.data_path = {local()};
  const Dataset own = open_dataset(config, Split::train);
  config.data.data_path = {remote()};
  const Dataset copied = open_dataset(config, Split::train);
  EXPECT_EQ(copied.streams()[0].samples(), own.streams()[0].samples());
  EXPECT_EQ(content_digest(std::vector{remote()}), content_digest(std::vector{local()}));
}

TEST_F(RemoteSetTest, AnInterruptedCopyIsContinued) {
  breaks_at_ = 50'000;
  EXPECT_THAT(error_of(remote()),
              AllOf(HasSubstr("corpus.bin"), HasSubstr("the next try continues it")));
  requests_.clear();
  expect_copy(remote());
  EXPECT_EQ(requests_.at(0), "/corpora/corpus.bin bytes=50000-") << "the index was complete";
}

TEST_F(RemoteSetTest, AnInterruptedCopyOfAnotherFileBeginsAnew) {
  breaks_at_ = 50'000;
  EXPECT_THAT(error_of(remote()), HasSubstr("corpus.bin"));
  etag_ = "\"two\"";
  for (char& c : files_["/corpora/corpus.bin"]) c ^= 1;
  const std::string copy = local_prefix(remote());
  EXPECT_EQ(read_text(copy + ".bin"), files_["/corpora/corpus.bin"]);
}

TEST_F(RemoteSetTest, AWeakTagDoesNotJoinTwoHalves) {
  etag_ = "W/\"one\"";
  breaks_at_ = 50'000;
  EXPECT_THAT(error_of(remote()), HasSubstr("corpus.bin"));
  requests_.clear();
  expect_copy(remote());
  EXPECT_EQ(requests_.at(0), "/corpora/corpus.bin") << "all of it";
}

TEST_F(RemoteSetTest, ManyThreadsShareOneCopy) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { expect_copy(remote()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(requests_.size(), 4U);
}

TEST_F(RemoteSetTest, AnswersThatAreNoFileAreNamed) {
  EXPECT_THAT(error_of(remote("/corpora/none")),
              AllOf(HasSubstr("none.idx"), HasSubstr("found none on the server")));
  EXPECT_THAT(error_of(remote("/corpora/corpus.bin")), HasSubstr("address without .bin and .idx"));
  status_ = 503;
  EXPECT_THAT(error_of(remote()), AllOf(HasSubstr("corpus.idx"), HasSubstr("found 503")));
  status_ = 200;
  EXPECT_THAT(error_of(remote("/leaves/corpus")), HasSubstr("corpus.idx"));
  EXPECT_EQ(missing_copies(std::vector{remote()}).size(), 1U) << "a failed copy is not there";
  stop();
  EXPECT_THAT(error_of(remote()), AllOf(HasSubstr("corpus.idx"), HasSubstr("expected the file")));
}

TEST_F(RemoteSetTest, RedirectionsAreFollowedAndQueriesAreKept) {
  expect_copy(remote("/moved/corpus"));
  expect_copy(remote() + "?key=a");
  EXPECT_EQ(queries_, 1U);
  const std::size_t before = requests_.size();
  expect_copy(remote() + "?key=b");
  EXPECT_EQ(requests_.size(), before) << "another key, the same set";
}

TEST(RemoteSetNameTest, OtherPrefixesAreFiles) {
  for (const char* prefix : {"corpus", "/data/https://x", "ftp://host/x", "https:/host", ""}) {
    EXPECT_FALSE(is_remote(prefix)) << prefix;
    EXPECT_EQ(local_prefix(prefix), prefix);
  }
}

}  // namespace
}  // namespace megascale
