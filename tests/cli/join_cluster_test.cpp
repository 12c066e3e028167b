// Goal: a cluster is made, joined and cleaned up with the commands that docs/cluster.md shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string last_word(const std::string& text) {
  const std::string line = text.substr(0, text.find_last_not_of('\n') + 1);
  return line.substr(line.rfind('\n') + 1);
}

TEST(JoinCluster, AHostJoinsIsListedAndRevoked) {
  const Workspace space;
  const std::string cluster = (space / "cluster").string(), host = (space / "host").string();
  const Finished made = megascale({"cluster", "init", cluster, "--name", "demo", "--json"});
  ASSERT_EQ(made.exit_code, 0) << made;
  EXPECT_THAT(made.out, AllOf(HasSubstr("cluster serve"), HasSubstr("cluster join")));
  EXPECT_EQ(made.json().at("name"), "demo");
  const Finished token = megascale({"cluster", "token", cluster});
  ASSERT_EQ(token.exit_code, 0) << token;

  Process server({"cluster", "serve", cluster, "--listen", "127.0.0.1:0"});
  ASSERT_TRUE(server.wait_until([&] { return server.err().find("Ctrl-C") != std::string::npos; }));
  const std::size_t at = server.err().find("127.0.0.1:");
  const std::string address = server.err().substr(at, server.err().find(' ', at) - at);
  const std::string text = last_word(token.out);
  const Finished joined =
      megascale({"cluster", "join", address, text, host, "--name", "node7", "--json"});
  ASSERT_EQ(joined.exit_code, 0) << joined;
  EXPECT_EQ(joined.json().at("role"), "executor");
  EXPECT_EQ(joined.json().at("cluster"), made.json().at("cluster"));
  struct stat status {};
  ASSERT_EQ(::stat((host + "/executor.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  const Finished again =
      megascale({"cluster", "join", address, text, (space / "b").string(), "--name", "b"});
  EXPECT_EQ(again.exit_code, 2) << again;
  EXPECT_THAT(again.err, AllOf(HasSubstr("refuses"), HasSubstr("make a new one")));
  server.send(SIGTERM);
  const Finished served = server.wait();
  EXPECT_EQ(served.exit_code, 0) << served;
  EXPECT_THAT(served.err, AllOf(HasSubstr("executor node7"), Not(HasSubstr(text))));

  const Finished revoked = megascale({"cluster", "revoke", cluster, "node7"});
  EXPECT_EQ(revoked.exit_code, 0) << revoked;
  const Finished list = megascale({"cluster", "list", cluster, "--json"});
  ASSERT_EQ(list.exit_code, 0) << list;
  EXPECT_THAT(list.out, HasSubstr("revoked"));
  EXPECT_EQ(list.json().at("members").size(), 3U);
}

TEST(JoinCluster, WrongUseIsRefusedWithCodeTwo) {
  const Workspace space;
  const std::string cluster = (space / "cluster").string();
  ASSERT_EQ(megascale({"cluster", "init", cluster}).exit_code, 0);
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"cluster"},
           {"cluster", "init", cluster},
           {"cluster", "init", (space / "x").string(), "--name", "a b"},
           {"cluster", "token", cluster, "--valid", "1"},
           {"cluster", "token", cluster, "--valid", "31d"},
           {"cluster", "token", cluster, "--uses", "0"},
           {"cluster", "token", cluster, "--role", "driver"},
           {"cluster", "token", cluster, "--address", "here"},
           {"cluster", "serve", cluster, "--listen", "0.0.0.0:29400"},
           {"cluster", "join", "127.0.0.1:1", "nonsense", (space / "y").string()},
           {"cluster", "revoke", cluster, "nobody"},
           {"cluster", "list", (space / "absent").string()}}) {
    const Finished refused = megascale(arguments);
    EXPECT_EQ(refused.exit_code, 2) << ::testing::PrintToString(arguments) << refused;
  }
}

}  // namespace
}  // namespace megascale::testing
