// The ports of a process as the kernel shows them, and the files in which a job keeps them.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "megascale/base/files.h"
#include "megascale/control/port_watch.h"
#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A socket on a free port of an address, which listens if it is one of TCP.
FileHandle open_port(const char* address, int type, std::uint16_t& port) {
  FileHandle socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  EXPECT_EQ(::inet_pton(AF_INET, address, &name.sin_addr), 1);
  auto* bytes = reinterpret_cast<sockaddr*>(&name);
  socklen_t nbytes = sizeof name;
  EXPECT_EQ(::bind(socket.get(), bytes, nbytes), 0);
  EXPECT_TRUE(type != SOCK_STREAM || ::listen(socket.get(), 1) == 0);
  EXPECT_EQ(::getsockname(socket.get(), bytes, &nbytes), 0);
  port = ntohs(name.sin_port);
  return socket;
}

TEST(PortsTest, EverySocketThatCanBeReachedIsFoundWithItsInterface) {
  std::uint16_t tcp = 0, everywhere = 0, udp = 0;
  const FileHandle one = open_port("127.0.0.1", SOCK_STREAM, tcp);
  const FileHandle two = open_port("0.0.0.0", SOCK_STREAM, everywhere);
  const FileHandle three = open_port("127.0.0.1", SOCK_DGRAM, udp);
  const auto ports = listening_ports(::getpid(), sockets_of(::getpid()), "data", 5);
  const auto has = [&](const char* protocol, const char* address, std::uint16_t port,
                       const char* interface) {
    return std::count(ports.begin(), ports.end(),
                      ListeningPort{.purpose = "data",
                                    .rank = 5,
                                    .process = ::getpid(),
                                    .protocol = protocol,
                                    .address = address,
                                    .port = port,
                                    .interface = interface}) == 1;
  };
  EXPECT_TRUE(has("tcp", "127.0.0.1", tcp, "lo"));
  EXPECT_TRUE(has("tcp", "0.0.0.0", everywhere, "all"));
  EXPECT_TRUE(has("udp", "127.0.0.1", udp, "lo"));
  EXPECT_THAT(ports, SizeIs(3)) << "a connected socket, or one of another process, is no port";
}

TEST(PortsTest, AJobsFilesFollowItsProcessesAndGoWithThem) {
  const megascale::testing::ScratchDirectory scratch;
  const std::filesystem::path run = scratch / "run";
  const WatchedProcess self{.process = ::getpid(), .purpose = "store"};
  std::int64_t now = 1;
  const auto ports = [&] { return read_ports(run, {"a"}); };
  {
    PortWatch host(run, "host-a", "a"), lost(run, "host-b", "b"), driver(run, kPortsOfDriver, "d");
    host.look({self}, now);
    EXPECT_THAT(ports(), IsEmpty());
    std::uint16_t port = 0;
    const FileHandle socket = open_port("127.0.0.1", SOCK_STREAM, port);
    host.look({self}, now + 1);
    EXPECT_THAT(ports(), IsEmpty()) << "it looks once in two seconds";
    now += 3'000'000'000;
    for (PortWatch* watch : {&host, &lost, &driver}) watch->look({self}, now);
    const Json found = ports();
    ASSERT_THAT(found, SizeIs(2)) << "host b does not serve the job: " << found;
    EXPECT_EQ(found[0].at("host"), "d");
    EXPECT_EQ(found[1].at("host"), "a");
    EXPECT_EQ(found[1].at("port"), port);
    EXPECT_EQ(found[1].at("purpose"), "store");
    EXPECT_FALSE(found[1].contains("rank"));
    std::ofstream(run / "control/ports/host-c.json") << "no JSON";
    EXPECT_THAT(ports(), SizeIs(2));
  }
  EXPECT_THAT(ports(), IsEmpty());
}

}  // namespace
}  // namespace megascale::control
