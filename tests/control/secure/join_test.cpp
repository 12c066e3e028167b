// Joining over real sockets: proper hosts join, and nobody else gets anything or holds the server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <memory>

#include "control/secure/cluster.h"
#include "control/secure/log_lines.h"
#include "control/secure/raw_client.h"
#include "megascale/control/secure/join_client.h"
#include "megascale/control/secure/join_server.h"
#include "support/watchdog.h"

namespace megascale::secure {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kDay;
using testing::LogLines;
using testing::message_of_error;
using ::testing::Not;
using testing::RawClient;
using testing::TestCluster;
using testing::TlsClient;
using testing::wait_until;

class JoinOverTls : public ::testing::Test {
 protected:
  [[nodiscard]] JoinServerOptions options() {
    return {.directory = cluster_.directory(), .listen = {}, .log = log_.log()};
  }
  void start(const JoinServerOptions& options) { server_ = std::make_unique<JoinServer>(options); }
  [[nodiscard]] JoinToken token(const TokenTerms& terms = {}) {
    return cluster_.authority().make_token(terms, 1h, to_string(server_->address()));
  }
  [[nodiscard]] JoinOptions joining(const JoinToken& token, const std::string& name) {
    return {.address = server_->address(),
            .token = token,
            .name = name,
            .directory = cluster_.scratch(name)};
  }
  Credentials expect_joins(const std::string& name) { return join_cluster(joining(token(), name)); }
  std::string refusal(const JoinOptions& options) {
    return message_of_error([&] { join_cluster(options); });
  }
  TestCluster cluster_;
  LogLines log_;
  std::unique_ptr<JoinServer> server_;

 private:
  testing::Watchdog watchdog_{"JoinOverTls", 60s};
};

TEST_F(JoinOverTls, AHostGetsItsCertificateAndKeepsItsKey) {
  start(options());
  const Credentials joined = expect_joins("node7");
  EXPECT_EQ(to_string(joined.own.identity), "executor node7");
  EXPECT_EQ(joined.authority.digest, cluster_.authority().certificate().digest);
  EXPECT_FALSE(std::filesystem::exists(cluster_.scratch("node7") / "joining.key"));
  struct stat status {};
  ASSERT_EQ(::stat(joined.paths.key.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  const std::string key = read_text(joined.paths.key);
  for (const auto& file : std::filesystem::recursive_directory_iterator(cluster_.directory())) {
    if (file.is_regular_file()) {
      EXPECT_EQ(read_text(file.path()).find(key), std::string::npos) << file;
    }
  }
  EXPECT_TRUE(log_.has("executor node7"));
}

TEST_F(JoinOverTls, AUsedTokenIsRefusedWithAClearWordOnBothSides) {
  start(options());
  const JoinToken once = token();
  join_cluster(joining(once, "a"));
  EXPECT_THAT(refusal(joining(once, "b")), AllOf(HasSubstr("refuses"), HasSubstr("last by a")));
  EXPECT_TRUE(log_.has("was refused: the join token may be used 1 times"));
  EXPECT_FALSE(std::filesystem::exists(cluster_.scratch("b") / "executor.crt"));
  JoinToken stale = token();
  stale.expires = trusted_now() - kDay;
  EXPECT_THAT(refusal(joining(stale, "c")), HasSubstr("expired"));
  JoinToken guessed = token();
  guessed.secret = make_token_secret();
  EXPECT_THAT(refusal(joining(guessed, "d")), HasSubstr("unknown here"));
  EXPECT_THAT(log_.text(), Not(HasSubstr(to_text(once))));
}

TEST_F(JoinOverTls, ADirectoryOfAnotherClusterIsNotTouched) {
  start(options());
  TestCluster other("other");
  JoinOptions into = joining(token(), "node7");
  into.directory = other.directory();
  EXPECT_THAT(refusal(into), HasSubstr("belongs to another cluster"));
}

TEST_F(JoinOverTls, AServerOfAnotherAuthorityGetsNoToken) {
  start(options());
  TestCluster other("other");
  const JoinToken foreign = other.authority().make_token({}, 1h, "");
  EXPECT_THAT(
      refusal(joining(foreign, "node7")),
      AllOf(HasSubstr("is not the authority of this token"), HasSubstr("Nothing was sent")));
  EXPECT_TRUE(wait_until([&] { return log_.has("left before it had asked"); }));
}

// A server that makes TLS handshakes with given credentials and counts the bytes that come after.
class Impostor {
 public:
  explicit Impostor(const Credentials& credentials)
      : context_(make_server_context(credentials)), thread_([this] { serve(); }) {}
  ~Impostor() { ends_ = true; }
  [[nodiscard]] HostPort address() const { return listening_address(listener_); }
  [[nodiscard]] std::size_t received() const { return received_; }
  [[nodiscard]] int done() const { return done_; }

 private:
  void serve() {
    while (!ends_) {
      pollfd waiting{.fd = listener_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const Accepted accepted = accept_from(listener_);
      const TlsSession session = make_session(context_, accepted.socket.get(), true);
      std::string bytes;
      waiting.fd = accepted.socket.get();
      while (::poll(&waiting, 1, 5000) > 0) {
        TlsProgress progress = handshake(session);
        if (progress == TlsProgress::done) progress = receive(session, bytes, 1000);
        if (progress != TlsProgress::wants_read) break;
      }
      received_ += bytes.size();
      ++done_;
    }
  }
  FileHandle listener_ = listen_at({});
  TlsContext context_;
  std::atomic<bool> ends_ = false;
  std::atomic<std::size_t> received_ = 0;
  std::atomic<int> done_ = 0;
  std::jthread thread_;
};

TEST_F(JoinOverTls, AManInTheMiddleGetsNoToken) {
  start(options());
  TestCluster other("other");
  const auto now = trusted_now();
  // Shows the true authority's certificate, which is no secret, beside one of its own.
  Credentials false_chain = other.credentials(Role::driver);
  false_chain.authority = cluster_.authority().certificate();
  // A member that plays the authority; a driver whose certificate is over; one from the future.
  const std::vector<std::pair<Credentials, const char*>> cases{
      {other.credentials(Role::driver), "it shows other certificates"},
      {false_chain, "has not signed it"},
      {cluster_.make_member(Role::executor, "evil"), "its certificate is of executor evil"},
      {cluster_.make_member(Role::operator_, "evil"), "its certificate is of operator evil"},
      {cluster_.make_member(Role::driver, "old", {.from = now - kDay, .to = now - 1}), "expired"},
      {cluster_.make_member(Role::driver, "new", {.from = now + kDay, .to = now + 2 * kDay}),
       "valid from"}};
  for (const auto& [credentials, why] : cases) {
    const Impostor impostor(credentials);
    JoinOptions options = joining(token(), "node7");
    options.address = impostor.address();
    EXPECT_THAT(refusal(options), AllOf(HasSubstr(why), HasSubstr("Nothing was sent")));
    EXPECT_TRUE(wait_until([&] { return impostor.done() == 1; }));
    EXPECT_EQ(impostor.received(), 0U) << why;
  }
  // The counter counts: a proper driver's certificate gets the request.
  const Impostor proper(cluster_.make_member(Role::driver, "proper"));
  JoinOptions options = joining(token(), "node7");
  options.address = proper.address();
  options.limit = 500ms;
  EXPECT_THAT(refusal(options), HasSubstr("no reply within 500 ms"));
  EXPECT_TRUE(wait_until([&] { return proper.received() > 0; }));
}

TEST_F(JoinOverTls, WithoutAServerTheMessageSaysWhatToDo) {
  start(options());
  JoinOptions options = joining(token(), "node7");
  server_.reset();
  EXPECT_THAT(refusal(options),
              AllOf(HasSubstr("cannot connect to 127.0.0.1"), HasSubstr("cluster serve")));
  const FileHandle silent = listen_at({});
  options.address = listening_address(silent);
  options.limit = 200ms;
  EXPECT_THAT(refusal(options), HasSubstr("no TLS handshake within 200 ms"));
}

TEST_F(JoinOverTls, GarbageIsCutOffAndProperHostsAreServedBesideIt) {
  start(options());
  std::string http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const std::string& bytes : {http, std::string(100'000, '\0'), std::string(1000, '\xff'),
                                   std::string("\x16\x03\x01\xff\xff\x01", 6) + http}) {
    const RawClient client(server_->address());
    (void)client.send(bytes);
    ::shutdown(client.fd(), SHUT_WR);
    EXPECT_TRUE(client.is_closed());
  }
  for (const std::string& bytes :
       {std::string(4, '\xff'), std::string("\4\0\0\0abcd", 8), std::string("\0\0\0\0", 4),
        to_message(JoinReply{.refusal = "no", .certificate = ""}),
        to_message(JoinRequest{.secret = std::string(32, 'x'), .name = "a/b", .request = ""}),
        to_message(JoinRequest{.secret = std::string(32, 'x'), .name = "a", .request = "junk"})}) {
    TlsClient client(server_->address());
    ASSERT_TRUE(client.shaken());
    ASSERT_TRUE(client.send(bytes));
    const std::string reply = client.receive(kMostJoinNbytes);
    ASSERT_GT(reply.size(), kJoinLengthNbytes);
    const auto parsed = parse_join_reply(std::string_view(reply).substr(kJoinLengthNbytes));
    ASSERT_TRUE(parsed);
    EXPECT_FALSE(parsed->refusal.empty());
    EXPECT_TRUE(parsed->certificate.empty());
  }
  expect_joins("node7");
}

TEST_F(JoinOverTls, ConnectionsThatDoNothingGiveWayAndEnd) {
  JoinServerOptions slow = options();
  slow.limits.pending_for = 1500ms;
  start(slow);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<RawClient>(server_->address()));
    // Half of them begin a handshake: the head of a ClientHello.
    if (i % 2 == 0) (void)idle.back()->send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  }
  expect_joins("node7");  // while all are open
  // The first were crowded out, the last are closed when their time is over.
  for (const auto& client : idle) EXPECT_TRUE(client->is_closed());
}

}  // namespace
}  // namespace megascale::secure
