// Who is let in: every way that a web page, or a program without the token, could try.
#include "megascale/serve/access.h"

#include <gtest/gtest.h>

namespace megascale::serve {
namespace {

constexpr std::uint16_t kPort = 4711;

class AccessTest : public ::testing::Test {
 protected:
  [[nodiscard]] Access judged() const { return judge(rules_, request_); }
  AccessRules rules_{.port = kPort, .token = "the-token", .cookie = "the-cookie"};
  // A request that is allowed.
  RequestFacts request_{.method = "GET",
                        .path = "/api/runs",
                        .host = "127.0.0.1:4711",
                        .cookies = "a=b; megascale_4711=the-cookie; c=d"};
};

TEST_F(AccessTest, TheCookieOrTheTokenIsAllowed) {
  EXPECT_EQ(judged(), Access::allowed);
  request_.cookies = "";
  EXPECT_EQ(judged(), Access::no_token);
  request_.authorization = "Bearer the-token";
  EXPECT_EQ(judged(), Access::allowed);
}

TEST_F(AccessTest, OtherSecretsAreRefused) {
  for (const char* cookies :
       {"megascale_4711=the-token", "megascale_4711=", "megascale_4712=the-cookie",
        "xmegascale_4711=the-cookie", "megascale_4711=the-cookie2", "megascale_4711"}) {
    request_.cookies = cookies;
    EXPECT_EQ(judged(), Access::no_token) << cookies;
  }
  request_.cookies = "";
  for (const char* authorization :
       {"Bearer ", "Bearer the-cookie", "Basic the-token", "the-token", "Bearer the-token "}) {
    request_.authorization = authorization;
    EXPECT_EQ(judged(), Access::no_token) << authorization;
  }
}

TEST_F(AccessTest, WithoutSecretsNobodyIsAllowed) {
  rules_ = {.port = kPort};
  request_.cookies = "megascale_4711=";
  EXPECT_EQ(judged(), Access::no_token);
  request_.path = "/";
  EXPECT_EQ(judged(), Access::no_token);
}

TEST_F(AccessTest, TheLinkGivesTheCookie) {
  request_ = {.method = "GET", .path = "/", .host = "localhost:4711", .token = "the-token"};
  EXPECT_EQ(judged(), Access::give_cookie);
  request_.fetch_site = "cross-site";  // a link in a note
  EXPECT_EQ(judged(), Access::give_cookie);
  request_.token = "another";
  EXPECT_EQ(judged(), Access::no_token);
  request_.path = "/api/runs";
  request_.token = "the-token";
  EXPECT_EQ(judged(), Access::other_site);
  request_.fetch_site = "";
  EXPECT_EQ(judged(), Access::no_token) << "only the link itself has a token in its address";
}

TEST_F(AccessTest, OtherHostsAreRefusedEvenWithTheCookie) {
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:80", "evil.example:4711", "localhost",
                           "127.0.0.1:4711.evil.example", "127.0.0.1:47110"}) {
    request_.host = host;
    EXPECT_EQ(judged(), Access::wrong_host) << host;
  }
}

TEST_F(AccessTest, OtherSitesAreRefusedEvenWithTheCookie) {
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:4711",
                             "http://127.0.0.1:4712", "http://127.0.0.1"}) {
    request_.origin = origin;
    EXPECT_EQ(judged(), Access::other_site) << origin;
  }
  request_.origin = "http://127.0.0.1:4711";
  EXPECT_EQ(judged(), Access::allowed);
  request_.fetch_site = "same-site";  // another port of this machine
  EXPECT_EQ(judged(), Access::other_site);
}

TEST_F(AccessTest, OnlyReadingIsAllowed) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "get"}) {
    request_.method = method;
    EXPECT_EQ(judged(), Access::not_read_only) << method;
  }
  request_.method = "HEAD";
  EXPECT_EQ(judged(), Access::allowed);
}

// Goal: a page of another site, a link, or a program without the token never evicts a host.
TEST_F(AccessTest, OnlyTheOwnPageOrTheTokenEvicts) {
  request_.path = "/api/runs/0/evict";
  request_.method = "POST";
  request_.origin = "http://127.0.0.1:4711";
  EXPECT_EQ(judged(), Access::not_read_only) << "no driver was given";
  rules_.can_evict = true;
  EXPECT_EQ(judged(), Access::allowed);
  request_.origin = "";
  EXPECT_EQ(judged(), Access::other_site) << "the cookie alone does not tell whose page it is";
  request_.origin = "http://evil.example";
  EXPECT_EQ(judged(), Access::other_site);
  request_.origin = "";
  request_.authorization = "Bearer the-token";
  EXPECT_EQ(judged(), Access::allowed);
  request_.cookies = request_.authorization = "";
  request_.origin = "http://127.0.0.1:4711";
  EXPECT_EQ(judged(), Access::no_token);
  request_.cookies = "megascale_4711=the-cookie";
  for (const char* path : {"/api/runs", "/", "/api/runs/0/evict/", "/api/runs/0/job"}) {
    request_.path = path;
    EXPECT_EQ(judged(), Access::not_read_only) << path;
  }
}

TEST_F(AccessTest, WithTlsTheNamesOfTheHostAreKnown) {
  rules_.tls = true;
  rules_.names = {"node1.example"};
  request_.host = "node1.example:4711";
  EXPECT_EQ(judged(), Access::allowed);
  request_.origin = "https://node1.example:4711";
  EXPECT_EQ(judged(), Access::allowed);
  request_.origin = "http://node1.example:4711";
  EXPECT_EQ(judged(), Access::other_site);
  request_.host = "node2.example:4711";
  EXPECT_EQ(judged(), Access::wrong_host);
}

}  // namespace
}  // namespace megascale::serve
