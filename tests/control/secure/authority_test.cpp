// The authority: who gets a certificate, who does not, and what the files look like.
#include "megascale/control/secure/authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "control/secure/cluster.h"

namespace megascale::secure {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kDay;
using testing::message_of_error;
using ::testing::SizeIs;
using testing::TestCluster;

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

JoinRequest request_with(const JoinToken& token, const std::string& name, const Key& key) {
  return {.secret = token.secret, .name = name, .request = make_request(key)};
}

std::string refusal_of(const Result<MemberCertificate>& result) {
  return result ? "joined" : result.error().message();
}

TEST(AuthorityTest, KeysAreForTheOwnerAlone) {
  TestCluster cluster;
  EXPECT_EQ(mode_of(cluster.directory()), 0700U);
  for (const char* key : {"authority.key", "driver.key", "operator.key"})
    EXPECT_EQ(mode_of(cluster.directory() / key), 0600U) << key;
  (void)cluster.authority().make_token({}, 1h, "");
  EXPECT_EQ(mode_of(cluster.directory() / "tokens"), 0700U);
}

TEST(AuthorityTest, AKeyThatOthersMayReadIsRefusedWithTheCommandThatHelps) {
  TestCluster cluster;
  const auto path = cluster.directory() / "driver.key";
  for (const unsigned mode : {0640U, 0604U, 0620U, 0601U}) {
    ::chmod(path.c_str(), mode);
    EXPECT_THAT(message_of_error([&] { (void)cluster.credentials(Role::driver); }),
                AllOf(HasSubstr("chmod 600"), HasSubstr(path.string())))
        << mode;
  }
  ::chmod(path.c_str(), 0600);
  ::chmod(cluster.directory().c_str(), 0750);
  EXPECT_THAT(message_of_error([&] { (void)cluster.credentials(Role::driver); }),
              HasSubstr("chmod 700"));
  EXPECT_THAT(message_of_error([&] { (void)Authority::open(cluster.directory()); }),
              HasSubstr("chmod 700"));
  ::chmod(cluster.directory().c_str(), 0700);
  EXPECT_EQ(cluster.credentials(Role::driver).own.identity.role, Role::driver);
}

TEST(AuthorityTest, ASecondAuthorityInTheSameDirectoryIsRefused) {
  TestCluster cluster;
  const std::string before = read_text(cluster.directory() / "authority.crt");
  EXPECT_THAT(message_of_error([&] { Authority::create(cluster.directory(), "again"); }),
              HasSubstr("already holds an authority"));
  EXPECT_EQ(read_text(cluster.directory() / "authority.crt"), before);
  EXPECT_THAT(message_of_error([&] { Authority::create(cluster.scratch("x"), "a/b"); }),
              HasSubstr("cluster name"));
}

TEST(AuthorityTest, FilesOfTwoClustersDoNotMix) {
  TestCluster cluster, other;
  std::filesystem::copy_file(other.directory() / "driver.key", cluster.directory() / "driver.key",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(message_of_error([&] { (void)cluster.credentials(Role::driver); }),
              HasSubstr("does not belong to"));
  std::filesystem::copy_file(other.directory() / "driver.crt", cluster.directory() / "driver.crt",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(message_of_error([&] { (void)cluster.credentials(Role::driver); }),
              HasSubstr("has not signed it"));
  std::filesystem::copy_file(other.directory() / "authority.crt",
                             cluster.directory() / "authority.crt",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(message_of_error([&] { (void)Authority::open(cluster.directory()); }),
              HasSubstr("does not belong to"));
}

TEST(CertificateTest, OnlyTheAuthorityMakesMembers) {
  TestCluster cluster, other;
  const auto& authority = cluster.authority().certificate();
  const auto now = trusted_now();
  const Validity valid{.from = now - kDay, .to = now + kDay};
  const Key key = Key::make();
  EXPECT_TRUE(verify_member(authority, cluster.sign(key, Role::executor, "a", valid).pem));
  EXPECT_FALSE(verify_member(authority, other.sign(key, Role::executor, "a", valid).pem));
  // The authority's own certificate is no member's, and a member's key signs nobody.
  EXPECT_FALSE(verify_member(authority, authority.pem));
  const auto member = cluster.sign(key, Role::operator_, "a", valid);
  EXPECT_FALSE(parse_authority(member.pem));
  EXPECT_FALSE(verify_member(authority, make_authority(key, "test", valid).pem));
  // An authority that signs for another cluster's id.
  const Key authority_key = load_key(cluster.directory() / kAuthorityKeyFile);
  EXPECT_THAT(message_of_error([&] {
                (void)issue(authority_key, authority, key,
                            {.cluster = other.authority().certificate().cluster,
                             .role = Role::executor,
                             .name = "a"},
                            valid);
              }),
              HasSubstr("another cluster"));
  for (const std::string& text : {std::string(), std::string("x"), std::string(1 << 20, 'x'),
                                  authority.pem.substr(0, authority.pem.size() / 2)})
    EXPECT_FALSE(verify_member(authority, text));
}

TEST(CertificateTest, TimesAreCheckedAndNamed) {
  TestCluster cluster;
  const auto now = trusted_now();
  const Key key = Key::make();
  const auto fault = [&](Validity validity) {
    const auto member = cluster.sign(key, Role::executor, "node7", validity);
    EXPECT_EQ(member.validity, validity);
    const auto checked = check_validity(member, now);
    return checked ? "valid" : checked.error().message();
  };
  EXPECT_EQ(fault({.from = now, .to = now}), "valid");
  EXPECT_THAT(fault({.from = now - kDay, .to = now - 1}),
              AllOf(HasSubstr("executor node7"), HasSubstr("expired"), HasSubstr(to_utc(now - 1))));
  EXPECT_THAT(fault({.from = now + 1, .to = now + kDay}),
              AllOf(HasSubstr("valid from"), HasSubstr("set the clocks")));
  EXPECT_FALSE(is_due({.from = 0, .to = 300}, 200));
  EXPECT_TRUE(is_due({.from = 0, .to = 300}, 201));
}

TEST(KeyTest, ARequestProvesThePossessionOfItsKey) {
  const Key key = Key::make();
  std::string request = make_request(key);
  ASSERT_TRUE(parse_request(request));
  EXPECT_EQ(parse_request(request)->digest(), key.digest());
  EXPECT_FALSE(parse_request(request + "x"));
  for (std::size_t i = 0; i < request.size(); ++i)
    EXPECT_FALSE(parse_request(request.substr(0, i))) << i;
  request.back() = static_cast<char>(request.back() ^ 1);
  EXPECT_FALSE(parse_request(request));  // the signature differs
  const auto read = Key::from_pem(key.to_pem());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->digest(), key.digest());
  EXPECT_FALSE(Key::from_pem("-----BEGIN PRIVATE KEY-----"));
}

TEST(JoinTest, AHostJoinsOnceWithItsToken) {
  TestCluster cluster;
  const JoinToken token = cluster.authority().make_token({}, 1h, "host:1");
  EXPECT_EQ(token.pin, cluster.authority().certificate().digest);
  const Key key = Key::make(), other = Key::make();
  const auto joined = cluster.authority().join(request_with(token, "node7", key));
  ASSERT_TRUE(joined) << joined.error().message();
  EXPECT_EQ(to_string(joined->identity), "executor node7");
  EXPECT_EQ(joined->key, key.digest());
  EXPECT_TRUE(verify_member(cluster.authority().certificate(), joined->pem));
  EXPECT_TRUE(check_validity(*joined, trusted_now()));
  // The reply may have been lost, so the same key may ask again. Nobody else can.
  EXPECT_TRUE(cluster.authority().join(request_with(token, "node7", key)));
  EXPECT_THAT(refusal_of(cluster.authority().join(request_with(token, "node8", other))),
              AllOf(HasSubstr("may be used 1 times"), HasSubstr("node7")));
  EXPECT_THAT(refusal_of(cluster.authority().join(request_with(token, "node8", key))),
              HasSubstr("may be used 1 times"));
}

TEST(JoinTest, UsesAreCountedAndUnknownOrExpiredTokensRefused) {
  TestCluster cluster, elsewhere;
  const JoinToken token = cluster.authority().make_token({.uses = 2}, 1h, "");
  EXPECT_TRUE(cluster.authority().join(request_with(token, "a", Key::make())));
  EXPECT_TRUE(cluster.authority().join(request_with(token, "b", Key::make())));
  EXPECT_THAT(refusal_of(cluster.authority().join(request_with(token, "c", Key::make()))),
              HasSubstr("may be used 2 times"));
  const JoinToken foreign = elsewhere.authority().make_token({}, 1h, "");
  EXPECT_THAT(refusal_of(cluster.authority().join(request_with(foreign, "c", Key::make()))),
              HasSubstr("unknown here"));
  TokenBook book(cluster.directory() / "tokens");
  const auto now = trusted_now();
  book.add(foreign.secret, {.expires = now - 1}, now);
  EXPECT_THAT(refusal_of(cluster.authority().join(request_with(foreign, "c", Key::make()))),
              HasSubstr("expired at " + to_utc(now - 1)));
  // A day later the book forgets the token.
  book.add(token.secret, {.expires = now}, now + 2 * kDay);
  EXPECT_THAT(refusal_of(cluster.authority().join(request_with(foreign, "c", Key::make()))),
              HasSubstr("unknown here"));
}

TEST(JoinTest, ATokenTellsNothingToWhoReadsTheDirectory) {
  TestCluster cluster;
  const JoinToken token = cluster.authority().make_token({}, 1h, "");
  std::string files;
  for (const auto& file : std::filesystem::recursive_directory_iterator(cluster.directory()))
    if (file.is_regular_file()) files += read_text(file.path());
  EXPECT_EQ(files.find(token.secret), std::string::npos);
  EXPECT_EQ(files.find(to_text(token)), std::string::npos);
}

TEST(JoinTest, ANameBelongsToItsKeyUntilAnOperatorSaysOtherwise) {
  TestCluster cluster;
  const JoinToken any = cluster.authority().make_token({.uses = 9}, 1h, "");
  const Key first = Key::make(), second = Key::make();
  const auto old = cluster.authority().join(request_with(any, "node7", first));
  ASSERT_TRUE(old);
  EXPECT_THAT(refusal_of(cluster.authority().join(request_with(any, "node7", second))),
              AllOf(HasSubstr("has a certificate already"), HasSubstr("--host node7")));
  const JoinToken named = cluster.authority().make_token({.host = "node7"}, 1h, "");
  EXPECT_THAT(refusal_of(cluster.authority().join(request_with(named, "node8", second))),
              HasSubstr("was made for node7"));
  const auto taken = cluster.authority().join(request_with(named, "node7", second));
  ASSERT_TRUE(taken) << taken.error().message();
  RevokedSerials revoked(cluster.directory());
  EXPECT_TRUE(revoked.find(old->serial));
  EXPECT_FALSE(revoked.find(taken->serial));
  // An operator of the same name is somebody else.
  const JoinToken person = cluster.authority().make_token({.role = Role::operator_}, 1h, "");
  const auto joined = cluster.authority().join(request_with(person, "node7", Key::make()));
  ASSERT_TRUE(joined) << joined.error().message();
  EXPECT_EQ(joined->identity.role, Role::operator_);
  EXPECT_FALSE(revoked.find(taken->serial));
}

TEST(JoinTest, OneUseIsOneUseAlsoWhenManyAskAtOnce) {
  TestCluster cluster;
  const JoinToken token = cluster.authority().make_token({.uses = 3}, 1h, "");
  std::atomic<int> joined = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Authority another = Authority::open(cluster.directory());  // as another process would
      joined += another.join(request_with(token, "n" + std::to_string(i), Key::make())) ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(joined, 3);
  EXPECT_THAT(cluster.authority().members(), SizeIs(2 + 3));
}

TEST(JoinTest, NobodyJoinsAsDriverAndTermsHaveBounds) {
  TestCluster cluster;
  for (const auto& [terms, valid] :
       std::vector<std::pair<TokenTerms, std::chrono::seconds>>{{{.role = Role::driver}, 1h},
                                                                {{}, 0s},
                                                                {{}, std::chrono::hours(24 * 31)},
                                                                {{.uses = 0}, 1h},
                                                                {{.uses = 100'001}, 1h},
                                                                {{.host = "a/b"}, 1h}}) {
    EXPECT_NE(message_of_error(
                  [&, &t = terms, &v = valid] { (void)cluster.authority().make_token(t, v, ""); }),
              "no error");
  }
}

TEST(MembersTest, RevocationIsByMemberOrSerialAndSeenAtOnce) {
  TestCluster cluster;
  const JoinToken token = cluster.authority().make_token({.uses = 3}, 1h, "");
  const auto a = cluster.authority().join(request_with(token, "a", Key::make()));
  const auto b = cluster.authority().join(request_with(token, "b", Key::make()));
  ASSERT_TRUE(a && b);
  RevokedSerials revoked(cluster.directory());
  EXPECT_FALSE(revoked.find(a->serial));
  EXPECT_THAT(cluster.authority().revoke(Role::executor, "a"), SizeIs(1));
  EXPECT_TRUE(revoked.find(a->serial));
  EXPECT_FALSE(revoked.find(b->serial));
  EXPECT_THAT(cluster.authority().revoke(Role::executor, b->serial), SizeIs(1));
  EXPECT_TRUE(revoked.find(b->serial));
  EXPECT_THAT(message_of_error([&] { cluster.authority().revoke(Role::executor, "a"); }),
              HasSubstr("no valid certificate"));
  // A list that cannot be read is an error, not an empty list.
  ::chmod((cluster.directory() / "revoked").c_str(), 0644);
  write_text_atomically(cluster.directory() / "revoked", "garbage\n");
  EXPECT_THAT(message_of_error([&] { (void)revoked.find(a->serial); }), HasSubstr("chmod 600"));
  ::chmod((cluster.directory() / "revoked").c_str(), 0600);
  EXPECT_THAT(message_of_error([&] { (void)RevokedSerials(cluster.directory()).find(a->serial); }),
              HasSubstr("SERIAL SECONDS"));
}

TEST(MembersTest, RenewalKeepsKeyAndIdentity) {
  TestCluster cluster;
  EXPECT_THAT(cluster.authority().renew_own(false), IsEmpty());
  const auto before = cluster.credentials(Role::driver).own;
  EXPECT_THAT(cluster.authority().renew_own(true), SizeIs(2));
  const auto after = cluster.credentials(Role::driver).own;
  EXPECT_EQ(after.key, before.key);
  EXPECT_EQ(after.identity, before.identity);
  EXPECT_NE(after.serial, before.serial);
}

}  // namespace
}  // namespace megascale::secure
