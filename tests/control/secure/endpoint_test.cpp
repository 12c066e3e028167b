// The endpoint and its proper clients, and clients whose certificates are not good enough.
#include "megascale/control/secure/endpoint.h"

#include <gmock/gmock.h>

#include <atomic>

#include "control/secure/endpoint_support.h"
#include "megascale/control/secure/renewal.h"

namespace megascale::secure {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::kDay;
using testing::message_of_error;
using testing::TestCluster;

class EndpointTest : public testing::EndpointFixture {};

TEST_F(EndpointTest, AMemberIsAnsweredAndKnownByName) {
  start(options());
  EXPECT_EQ(call_as(executor("node7"), "Heartbeat"), "node7 x");
  EXPECT_EQ(call_as(executor("node8"), "Heartbeat"), "node8 x");
  const auto counts = endpoint_->counts();
  EXPECT_EQ(counts.answered, 2U);
  EXPECT_EQ(counts.refused, 0U);
}

TEST_F(EndpointTest, ARoleCallsWhatItHasTheRightFor) {
  start(options());
  const std::vector<std::pair<Role, std::vector<std::string>>> allowed{
      {Role::driver, {"Hello", "Status"}},
      {Role::executor, {"Hello", "Heartbeat"}},
      {Role::operator_, {"Hello", "Status", "Evict", "Configure"}}};
  for (const auto& [role, verbs] : allowed) {
    const auto one = client(cluster_.make_member(role, "someone"));
    for (const std::string verb : {"Hello", "Status", "Heartbeat", "Evict", "Configure"}) {
      const bool may = std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
      const auto reply = one->call(verb, "x", 20s);
      EXPECT_EQ(reply.has_value(), may) << to_string(role) << " " << verb;
      if (!reply) {
        EXPECT_EQ(reply.error().code(), ErrorCode::bad_usage);
        EXPECT_THAT(reply.error().message(),
                    AllOf(HasSubstr("refuses"), HasSubstr("may not call " + verb)));
      }
    }
  }
  EXPECT_TRUE(log_.has("refused Evict of executor someone at 127.0.0.1"));
  EXPECT_TRUE(log_.has("operator someone at 127.0.0.1"));  // the audit of Evict
  EXPECT_EQ(endpoint_->counts().answered, 8U);
}

TEST_F(EndpointTest, ACertificateOutsideItsTimeIsRefusedWithAClearWordOnBothSides) {
  start(options());
  const auto now = trusted_now();
  const auto old =
      cluster_.make_member(Role::executor, "old", {.from = now - 2 * kDay, .to = now - kDay});
  EXPECT_THAT(call_as(old, "Heartbeat"),
              AllOf(HasSubstr("executor old expired"), HasSubstr("join")));
  EXPECT_TRUE(log_.has("refused Heartbeat of executor old"));
  const auto early =
      cluster_.make_member(Role::executor, "early", {.from = now + kDay, .to = now + 2 * kDay});
  EXPECT_THAT(call_as(early, "Heartbeat"), AllOf(HasSubstr("valid from"), HasSubstr("clocks")));
  EXPECT_TRUE(log_.has("refused Heartbeat of executor early"));
  EXPECT_EQ(endpoint_->counts().answered, 0U);
}

TEST_F(EndpointTest, ARevokedCertificateIsRefusedAtOnceAlsoOnAnOpenConnection) {
  start(options());
  const Credentials member = executor("node7");
  const auto one = client(member);
  EXPECT_EQ(call(*one, "Heartbeat"), "node7 x");
  MemberBook(cluster_.directory()).revoke(member.own.serial, trusted_now());
  EXPECT_THAT(call(*one, "Heartbeat"), HasSubstr("was revoked at"));
  EXPECT_THAT(call_as(member, "Heartbeat"), HasSubstr("was revoked at"));
  EXPECT_TRUE(log_.has("was revoked at"));
  EXPECT_EQ(call_as(executor("node8"), "Heartbeat"), "node8 x");
  // A list that cannot be read lets nobody in.
  write_private_file(cluster_.directory() / "revoked", "garbage\n");
  EXPECT_THAT(call_as(executor("node9"), "Heartbeat"), HasSubstr("nobody is let in"));
}

TEST_F(EndpointTest, CertificatesOfOthersEndTheConnection) {
  start(options());
  TestCluster other("other");
  // They trust the true authority, so only the server can refuse them.
  Credentials foreign = other.make_member(Role::operator_, "node7");
  foreign.paths.authority = cluster_.directory() / "authority.crt";
  foreign.authority = cluster_.authority().certificate();
  Credentials self_signed = executor("self");
  const Key key = load_key(self_signed.paths.key);
  write_text_atomically(self_signed.paths.certificate,
                        make_authority(key, "self", self_signed.own.validity).pem);
  for (const Credentials& stranger : {foreign, self_signed}) {
    const auto reply = client(stranger)->call("Heartbeat", "x", 20s);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), ErrorCode::peer_lost) << reply.error().message();
    EXPECT_THAT(reply.error().message(), HasSubstr("its log says whether"));
  }
  EXPECT_TRUE(log_.has("refused a connection: not a certificate of a megascale cluster"));
  EXPECT_EQ(endpoint_->counts().answered + endpoint_->counts().refused, 0U);
  EXPECT_EQ(call_as(executor(), "Heartbeat"), "node7 x");
}

TEST_F(EndpointTest, AClientSpeaksOnlyWithADriverOfItsCluster) {
  start(options());
  TestCluster other("other");
  const Credentials stranger = other.make_member(Role::executor, "node7");
  const auto reply = client(stranger)->call("Heartbeat", "x", 20s);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::failed) << reply.error().message();
  EXPECT_THAT(reply.error().message(), AllOf(HasSubstr("is not the driver of this cluster"),
                                             HasSubstr("has not signed it")));
  // Members of the cluster that play the driver: an executor, and a driver of yesterday.
  const auto now = trusted_now();
  EXPECT_THAT(message_of_error([&] {
                EndpointOptions as_executor = options();
                as_executor.credentials = executor("evil");
                start(as_executor);
              }),
              HasSubstr("expected the credentials of a driver"));
  EndpointOptions late = options();
  late.credentials =
      cluster_.make_member(Role::driver, "late", {.from = now - 2 * kDay, .to = now - kDay});
  start(late);
  EXPECT_THAT(call_as(executor(), "Heartbeat"),
              AllOf(HasSubstr("not the driver"), HasSubstr("expired")));
}

TEST_F(EndpointTest, AnExecutorThatListensIsNotTakenForTheDriver) {
  start(options());
  // The endpoint's own check is avoided: the certificate changes after the start.
  EndpointOptions evil = options();
  evil.credentials = cluster_.make_member(Role::driver, "evil");
  const Key key = load_key(evil.credentials->paths.key);
  write_text_atomically(
      evil.credentials->paths.certificate,
      cluster_.sign(key, Role::executor, "evil", evil.credentials->own.validity).pem);
  start(evil);
  EXPECT_THAT(call_as(executor(), "Heartbeat"),
              HasSubstr("expected the certificate of a driver, found that of executor evil"));
}

TEST_F(EndpointTest, WithoutCredentialsItStartsOnlyOnRequestAndWarns) {
  EndpointOptions open = options();
  open.credentials.reset();
  EXPECT_THAT(message_of_error([&] { start(open); }),
              AllOf(HasSubstr("cluster init"), HasSubstr("--insecure")));
  open.insecure = true;
  start(open);
  EXPECT_TRUE(log_.has("WARNING"));
  Client anybody({.server = endpoint_->address(), .insecure = true});
  EXPECT_EQ(call(anybody, "Configure"), " x");
  EXPECT_THAT(message_of_error([&] { const Client none({.server = endpoint_->address()}); }),
              HasSubstr("no credentials"));
  // Neither side falls back to the other's way.
  EXPECT_THAT(call_as(executor(), "Heartbeat"), HasSubstr("cannot reach the driver"));
  start(options());
  Client plain({.server = endpoint_->address(), .insecure = true});
  EXPECT_THAT(call(plain, "Heartbeat"), HasSubstr("cannot reach the driver"));
}

TEST_F(EndpointTest, ErrorsOfHandlersKeepCodeAndMessage) {
  std::vector<Verb> verbs;
  for (const auto code : {ErrorCode::bad_usage, ErrorCode::bad_input, ErrorCode::corrupt_data,
                          ErrorCode::io, ErrorCode::unsupported, ErrorCode::failed}) {
    verbs.push_back({.name = "Fail" + std::to_string(static_cast<int>(code)),
                     .right = Right::belong,
                     .handler = [code](const Peer&, std::string_view) -> Result<std::string> {
                       return tl::unexpected(
                           Error(code, "why \xc3\xa9 %\n" + std::string(9000, '.')));
                     }});
  }
  verbs.push_back({.name = "Throw",
                   .right = Right::belong,
                   .handler = [](const Peer&, std::string_view) -> Result<std::string> {
                     throw std::runtime_error("thrown");
                   }});
  endpoint_ = std::make_unique<Endpoint>(options(), verbs);
  const auto one = client(executor());
  for (const auto code : {ErrorCode::bad_usage, ErrorCode::bad_input, ErrorCode::corrupt_data,
                          ErrorCode::io, ErrorCode::unsupported, ErrorCode::failed}) {
    const auto reply = one->call("Fail" + std::to_string(static_cast<int>(code)), "", 20s);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), code);
    EXPECT_THAT(reply.error().message(), HasSubstr("why \xc3\xa9 %\n..."));
  }
  EXPECT_THAT(call(*one, "Throw"), HasSubstr("thrown"));
  EXPECT_EQ(one->call("Nothing", "", 20s).error().code(), ErrorCode::unsupported);
}

TEST_F(EndpointTest, MessagesAreBytesOfAnySizeUpToTheLimit) {
  start(options());
  const auto one = client(executor());
  for (const std::size_t nbytes : {std::size_t{0}, std::size_t{1}, std::size_t{3} << 20U}) {
    std::string bytes(nbytes, '\0');
    for (std::size_t i = 0; i < nbytes; ++i) bytes[i] = static_cast<char>(i * 7 >> 3U);
    EXPECT_EQ(call(*one, "Heartbeat", bytes), "node7 " + bytes) << nbytes;
  }
  const auto large = one->call("Heartbeat", std::string(kMostCallNbytes + 1, 'x'), 20s);
  ASSERT_FALSE(large);
  EXPECT_EQ(call(*one, "Heartbeat"), "node7 x");
}

TEST_F(EndpointTest, AClientFindsADriverThatIsBack) {
  start(options());
  const auto one = client(executor());
  EXPECT_EQ(call(*one, "Heartbeat"), "node7 x");
  EndpointOptions again = options();
  again.listen = endpoint_->address();
  endpoint_.reset();
  const auto lost = one->call("Heartbeat", "x", 20s);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::peer_lost);
  start(again);
  EXPECT_EQ(call(*one, "Heartbeat"), "node7 x") << "by the first call";
}

TEST_F(EndpointTest, AMemberRenewsItsCertificateAndKeepsItsKey) {
  std::vector<Verb> verbs;
  verbs.push_back(renew_verb(cluster_.authority()));
  endpoint_ = std::make_unique<Endpoint>(options(), std::move(verbs));
  Credentials fresh = executor("fresh");
  const auto now = trusted_now();
  EXPECT_EQ(renew_if_due(*client(fresh), fresh, 20s).value(), false);
  Credentials due =
      cluster_.make_member(Role::executor, "due", {.from = now - 3 * kDay, .to = now + kDay});
  const MemberCertificate before = due.own;
  EXPECT_EQ(renew_if_due(*client(due), due, 20s).value(), true);
  EXPECT_NE(due.own.serial, before.serial);
  EXPECT_EQ(due.own.identity, before.identity);
  EXPECT_EQ(due.own.key, before.key);
  EXPECT_FALSE(is_due(due.own.validity, now));
  const auto stored = load_credentials(due.paths.key.parent_path(), Role::executor);
  EXPECT_EQ(stored.own.serial, due.own.serial);
  // Who was thrown out does not come back in this way.
  Credentials revoked =
      cluster_.make_member(Role::executor, "out", {.from = now - 3 * kDay, .to = now + kDay});
  MemberBook(cluster_.directory()).revoke(revoked.own.serial, now);
  const auto reply = renew_if_due(*client(revoked), revoked, 20s);
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("was revoked at"));
}

// A member is admitted by its first call; after that its connection has no time limit.
TEST_F(EndpointTest, AMemberMayStayOverIpv4AndIpv6) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    EndpointOptions impatient = options();
    impatient.listen.host = host;
    impatient.connections.pending_for = 1s;
    try {
      start(impatient);
    } catch (const Error& error) {
      EXPECT_STREQ(host, "::1") << error.message();  // a machine may have no IPv6
      continue;
    }
    const auto one = client(executor());
    EXPECT_EQ(call(*one, "Heartbeat"), "node7 x");
    std::this_thread::sleep_for(1500ms);
    EXPECT_EQ(endpoint_->counts().connections, 1U) << host;
    EXPECT_EQ(call(*one, "Heartbeat"), "node7 x");
    EXPECT_FALSE(log_.has("has not proven who it is")) << log_.text();
  }
}

TEST_F(EndpointTest, EndsWhileCallsRun) {
  std::atomic<int> running = 0;
  std::vector<Verb> verbs;
  verbs.push_back({.name = "Slow",
                   .right = Right::belong,
                   .handler = [&](const Peer&, std::string_view) -> Result<std::string> {
                     ++running;
                     std::this_thread::sleep_for(100ms);
                     return "done";
                   }});
  endpoint_ = std::make_unique<Endpoint>(options(), std::move(verbs));
  std::atomic<bool> ends = false;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&, one = client(executor("n" + std::to_string(i)))] {
      while (!ends) (void)one->call("Slow", "", 1s);
    });
  }
  EXPECT_TRUE(testing::wait_until([&] { return running > 4; }));
  endpoint_.reset();
  ends = true;
}

TEST_F(EndpointTest, ConnectionsAreForgottenWhenTheirClientsGo) {
  start(options());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call_as(executor(), "Heartbeat"), "node7 x");
  const auto one = client(executor());
  EXPECT_EQ(call(*one, "Heartbeat"), "node7 x");
  EXPECT_TRUE(testing::wait_until([&] { return endpoint_->counts().connections == 1; }));
}

}  // namespace
}  // namespace megascale::secure
