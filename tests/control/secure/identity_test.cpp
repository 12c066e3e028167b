// Names, URIs, tokens and messages: what is written is read back, and nothing else is taken.
#include "megascale/control/secure/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/control/secure/join_message.h"
#include "megascale/control/secure/join_token.h"

namespace megascale::secure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kCluster = "0123456789abcdef0123456789abcdef";

TEST(IdentityTest, AUriIsReadBackAndHasOneSpelling) {
  for (const Role role : {Role::driver, Role::executor, Role::operator_}) {
    const Identity identity{.cluster = kCluster, .role = role, .name = "node-7.rack_2"};
    const auto read = parse_identity(to_uri(identity));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, identity);
  }
  for (const std::string& uri : std::vector<std::string>{
           "", "megascale://", "megascale:///executor/a", "http://" + kCluster + "/executor/a",
           "megascale://" + kCluster + "/executor", "megascale://" + kCluster + "/executor/",
           "megascale://" + kCluster + "/root/a", "megascale://" + kCluster + "/executor/a/b",
           "megascale://" + kCluster + "/executor/..", "megascale://" + kCluster + "/executor/a b",
           "megascale://" + kCluster + "/executor/a\n", "megascale://" + kCluster + "/Executor/a",
           "MEGASCALE://" + kCluster + "/executor/a", "megascale://" + kCluster + "0/executor/a",
           "megascale://0123456789ABCDEF0123456789abcdef/executor/a",
           "megascale://" + kCluster + "/executor/" + std::string(65, 'a'),
           "megascale://" + kCluster + "/executor/a" + std::string(1, '\0')}) {
    EXPECT_FALSE(parse_identity(uri)) << uri;
  }
}

JoinToken token() {
  return {.secret = make_token_secret(),
          .pin = std::string(32, '\x7f'),
          .expires = 1'800'000'000,
          .address = "10.0.0.1:29400"};
}

TEST(JoinTokenTest, ATextIsReadBackWithSpaceAroundIt) {
  for (const std::string& address :
       {std::string(), std::string("h:1"), std::string("host-a:29400"), std::string(255, 'a')}) {
    JoinToken one = token();
    one.address = address;
    const auto read = parse_join_token(" " + to_text(one) + "\n");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, one);
  }
}

TEST(JoinTokenTest, EveryDamagedCopyIsRefusedAndNotQuoted) {
  const std::string text = to_text(token());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = damaged[i] == 'A' ? 'B' : 'A';
    const auto read = parse_join_token(damaged);
    ASSERT_FALSE(read) << i;
    EXPECT_EQ(read.error().code(), ErrorCode::bad_usage);
    EXPECT_THAT(read.error().message(), Not(HasSubstr(text.substr(10, 8)))) << i;
    EXPECT_FALSE(parse_join_token(text.substr(0, i))) << i;
    EXPECT_FALSE(parse_join_token(text + text.substr(0, i + 1))) << i;
  }
  EXPECT_FALSE(parse_join_token(std::string(1 << 20, 'A')));
}

TEST(JoinMessageTest, ARequestIsReadBackAndCutsAreRefused) {
  const JoinRequest request{.secret = token().secret, .name = "node7", .request = "der"};
  const std::string message = to_message(request);
  EXPECT_EQ(join_message_nbytes(message).value(), message.size());
  const std::string fields = message.substr(kJoinLengthNbytes);
  ASSERT_TRUE(parse_join_request(fields));
  EXPECT_EQ(*parse_join_request(fields), request);
  for (std::size_t i = 0; i < fields.size(); ++i)
    EXPECT_FALSE(parse_join_request(fields.substr(0, i))) << i;
  EXPECT_FALSE(parse_join_request(fields + "x"));
  EXPECT_FALSE(parse_join_reply(fields));
  for (const char* name : {"", "..", "a/b", "-a", "a b"}) {
    const std::string other =
        to_message(JoinRequest{.secret = request.secret, .name = name, .request = "der"});
    EXPECT_FALSE(parse_join_request(other.substr(kJoinLengthNbytes))) << name;
  }
}

TEST(JoinMessageTest, AReplyIsEitherARefusalOrACertificate) {
  const auto read_back = [](const JoinReply& reply) {
    return parse_join_reply(to_message(reply).substr(kJoinLengthNbytes));
  };
  EXPECT_EQ(read_back({.refusal = "no", .certificate = ""}).value().refusal, "no");
  EXPECT_EQ(read_back({.refusal = "", .certificate = "pem"}).value().certificate, "pem");
  EXPECT_FALSE(read_back({.refusal = "", .certificate = ""}));
  EXPECT_FALSE(read_back({.refusal = "no", .certificate = "pem"}));
}

TEST(JoinMessageTest, ALengthBeyondTheLimitIsRefusedBeforeAByteIsKept) {
  EXPECT_FALSE(join_message_nbytes(std::string(4, '\xff')));
  EXPECT_FALSE(join_message_nbytes("abc"));
  EXPECT_TRUE(join_message_nbytes(std::string("\1\0\0\0", 4)));
}

}  // namespace
}  // namespace megascale::secure
