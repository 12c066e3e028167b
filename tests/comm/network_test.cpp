// What the ranks of a job talk over.
#include "megascale/comm/process/network.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace megascale::comm {
namespace {

Network choose(const LaunchEnvironment& environment,
               const std::map<std::string, std::string>& variables = {}) {
  return choose_network(environment, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}
LaunchEnvironment on_hosts(std::uint32_t local,
                           StoreAddress store = {.host = "127.0.0.1", .port = 4711}) {
  LaunchEnvironment environment;
  environment.world_size = 4;
  environment.local_world_size = local;
  environment.store = std::move(store);
  return environment;
}

TEST(NetworkTest, OneHostOpensNoPort) {
  EXPECT_EQ(choose(on_hosts(4)), (Network{"posix,self", "lo"}));
}

TEST(NetworkTest, SeveralHostsUseTheDeviceThatLeadsToTheStore) {
  EXPECT_EQ(choose(on_hosts(2)), (Network{"posix,self,tcp", "lo"}));
  StoreAddress socket;
  socket.kind = StoreKind::redis;
  socket.path = "/run/redis.sock";
  EXPECT_EQ(choose(on_hosts(2, socket)).devices, "lo");
}

TEST(NetworkTest, UcxVariablesWin) {
  EXPECT_EQ(choose(on_hosts(2), {{"UCX_TLS", "rc,self"}, {"UCX_NET_DEVICES", "mlx5_0:1"}}),
            (Network{"rc,self", "mlx5_0:1"}));
  EXPECT_EQ(choose(on_hosts(4), {{"UCX_TLS", "tcp,self"}}), (Network{"tcp,self", "lo"}));
}

TEST(NetworkTest, AStoreThatNothingLeadsToIsNamed) {
  StoreAddress unknown;
  unknown.host = "no.such.host.invalid";
  unknown.port = 4711;
  try {
    (void)choose(on_hosts(2, unknown));
    FAIL() << "found a way to no host";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("no.such.host.invalid"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace megascale::comm
