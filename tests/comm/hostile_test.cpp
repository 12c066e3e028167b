// The embedded server against clients that mean no good. Goal: none is accepted, none does harm,
// and a proper client is served all the while.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "megascale/base/philox.h"
#include "megascale/comm/store/embedded/protocol.h"
#include "megascale/comm/store/embedded/server.h"
#include "megascale/comm/store/limits.h"
#include "megascale/comm/store/store.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::Watchdog;

// Bytes over a plain blocking socket, with a limit on every read.
class RawClient {
 public:
  explicit RawClient(const StoreAddress& address)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    ::inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
    const timeval limit{.tv_sec = 20};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { ::close(fd_); }
  [[nodiscard]] bool connected() const { return connected_; }
  bool send(std::string_view bytes) {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // Up to `most` bytes; fewer where the other side closed.
  std::string receive(std::size_t most) {
    std::string bytes(most, '\0');
    std::size_t got = 0;
    while (got < most) {
      const ssize_t count = ::recv(fd_, bytes.data() + got, most - got, 0);
      if (count <= 0) break;
      got += static_cast<std::size_t>(count);
    }
    bytes.resize(got);
    return bytes;
  }
  // The server has hung up, having sent at most `bytes`.
  bool is_closed(std::size_t bytes = 1 << 20) { return receive(bytes + 1).size() <= bytes; }

 private:
  int fd_;
  bool connected_ = false;
};

class HostileTest : public ::testing::Test {
 protected:
  static StoreServerOptions limits() {
    return {.address = {},
            .secret = JobSecret("a secret of the test's job"),
            .job = "job",
            .authentication_timeout = 20s,
            .max_connections = 200,
            .max_unauthenticated = 20,
            .max_nbytes = 1 << 20};
  }
  void start(const StoreServerOptions& options = limits()) {
    server_ = std::make_unique<StoreServer>(options);
    server_->start();
    store_ = std::make_unique<Store>(
        StoreOptions{.address = server_->address(), .secret = options.secret, .job = options.job});
    ASSERT_TRUE(store_->set("key", "value"));
  }
  // The claim of somebody who knows the secret, for this greeting.
  static std::string proper_claim(const std::string& greeting) {
    const auto server = read_greeting(greeting);
    if (!server) return {};
    const Nonce nonce = make_nonce();
    return make_claim(nonce, make_proof(limits().secret, ProofRole::client, "job", *server, nonce));
  }
  void admit(RawClient& client) {
    ASSERT_TRUE(client.send(proper_claim(client.receive(kGreetingNbytes))));
    ASSERT_TRUE(read_answer(client.receive(kAnswerNbytes)));
  }
  // A proper client is served, and `connected` are known to be proper.
  void expect_unharmed(std::uint64_t connected = 1) {
    EXPECT_EQ(store_->get("key", 0ms).value_or("nothing"), "value");
    EXPECT_EQ(server_->counts().connected, connected);
  }
  [[nodiscard]] StoreServer& server() { return *server_; }
  [[nodiscard]] Store& store() { return *store_; }

 private:
  Watchdog watchdog_{"HostileTest", 60s};
  std::unique_ptr<StoreServer> server_;
  std::unique_ptr<Store> store_;
};

TEST_F(HostileTest, TheProperClaimIsTheOneThatIsAccepted) {
  start();
  RawClient client(server().address());
  admit(client);
  EXPECT_EQ(server().counts().authenticated, 2U);
}

TEST_F(HostileTest, WrongProofsAreRefused) {
  start();
  const Nonce nonce = make_nonce();
  const auto claim_with = [&](const JobSecret& secret, ProofRole role, std::string_view job,
                              const Nonce& server) {
    return make_claim(nonce, make_proof(secret, role, job, server, nonce));
  };
  const JobSecret secret = limits().secret, other("another secret, as long as it");
  for (int kind = 0; kind < 5; ++kind) {
    RawClient client(server().address());
    const auto greeting = read_greeting(client.receive(kGreetingNbytes));
    ASSERT_TRUE(greeting);
    std::string claim;
    if (kind == 0) claim = claim_with(other, ProofRole::client, "job", *greeting);
    if (kind == 1) claim = claim_with(secret, ProofRole::server, "job", *greeting);  // reflected
    if (kind == 2) claim = claim_with(secret, ProofRole::client, "job2", *greeting);
    if (kind == 3) claim = claim_with(secret, ProofRole::client, "job", make_nonce());  // replayed
    if (kind == 4) {
      claim = claim_with(secret, ProofRole::client, "job", *greeting);
      claim.back() ^= 1;
    }
    ASSERT_TRUE(client.send(claim));
    const std::string answer = client.receive(kAnswerNbytes);
    EXPECT_TRUE(answer.starts_with(kStoreRefusal)) << kind;
    EXPECT_TRUE(client.is_closed(0)) << kind;
  }
  EXPECT_EQ(server().counts().refused, 5U);
  EXPECT_EQ(server().counts().authenticated, 1U);
  expect_unharmed();
}

TEST_F(HostileTest, RequestsBeforeTheProofAreNotExecuted) {
  start();
  std::string frame;
  append_frame(frame, {.op = StoreOp::set, .keys = {"key"}, .values = {"hacked"}});
  RawClient client(server().address());
  ASSERT_TRUE(client.send(frame));
  EXPECT_TRUE(client.is_closed(kGreetingNbytes + kAnswerNbytes));
  // Behind a claim that is as long as it should be.
  RawClient second(server().address());
  ASSERT_TRUE(second.send(std::string(kStoreMagic) +
                          std::string(kClaimNbytes - kStoreMagic.size(), 'x') + frame));
  EXPECT_TRUE(second.is_closed(kGreetingNbytes + kAnswerNbytes));
  expect_unharmed();
}

TEST_F(HostileTest, GarbageIsRefusedAtItsFirstByte) {
  start();
  for (const std::string_view bytes : {std::string_view("GET / HTTP/1.1\r\n\r\n"),
                                       std::string_view("\0", 1), std::string_view("MGSTORE2")}) {
    RawClient client(server().address());
    ASSERT_TRUE(client.send(bytes));
    EXPECT_TRUE(client.is_closed(kGreetingNbytes + kAnswerNbytes));
  }
  EXPECT_EQ(server().counts().refused, 3U);
  expect_unharmed();
}

TEST_F(HostileTest, SlowClaimsRunOutOfTime) {
  StoreServerOptions options = limits();
  options.authentication_timeout = 150ms;
  start(options);
  RawClient silent(server().address()), slow(server().address());
  const auto begin = Clock::now();
  std::thread drip([&] {
    const std::string claim = proper_claim(slow.receive(kGreetingNbytes));
    // A byte now and then keeps other servers' connections alive.
    for (const char byte : claim) {
      if (!slow.send({&byte, 1})) return;
      std::this_thread::sleep_for(20ms);
    }
  });
  EXPECT_TRUE(silent.is_closed(kGreetingNbytes));
  EXPECT_GE(Clock::now() - begin, 100ms);
  drip.join();
  EXPECT_TRUE(slow.is_closed(0));
  EXPECT_EQ(server().counts().authenticated, 1U);
  expect_unharmed();
}

TEST_F(HostileTest, AFloodOfConnectionsGivesWayToProperClients) {
  start();
  std::vector<std::unique_ptr<RawClient>> flood;
  for (int i = 0; i < 300; ++i) {
    flood.push_back(std::make_unique<RawClient>(server().address()));
    ASSERT_TRUE(flood.back()->connected());
    if (i % 50 != 0) continue;
    Store another({.address = server().address(), .secret = limits().secret, .job = "job"});
    EXPECT_EQ(another.get("key", 0ms).value_or("nothing"), "value");
  }
  // Only the newest still have a place.
  EXPECT_TRUE(flood.front()->is_closed(kGreetingNbytes));
  EXPECT_GE(server().counts().refused, 200U);
  flood.clear();
  expect_unharmed();
}

TEST_F(HostileTest, MalformedFramesEndTheirConnectionOnly) {
  start();
  std::string good;
  append_frame(good, {.op = StoreOp::add, .keys = {"count"}, .number = 1});
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    ByteWriter(bytes).number(value);
    return bytes;
  };
  std::string many_keys = good;  // a count of keys beyond what follows
  many_keys.replace(4 + 1 + 4 + 8, 4, number(0xffffffff));
  const std::vector<std::string> bad{
      number(kMaxFrameNbytes + 1),
      number(0xffffffff),
      number(0),
      number(1) + "\x07",
      many_keys,
      number(static_cast<std::uint32_t>(good.size() - 3)) + good.substr(4) + "x"};
  for (const std::string& frame : bad) {
    RawClient client(server().address());
    admit(client);
    ASSERT_TRUE(client.send(good + frame));
    // One answer, one refusal, the end.
    EXPECT_TRUE(client.is_closed());
  }
  EXPECT_EQ(store().add("count", 0).value(), static_cast<std::int64_t>(bad.size()));
  EXPECT_EQ(server().counts().refused, bad.size());
  expect_unharmed();
}

TEST_F(HostileTest, HalfARequestAndThenNothingHarmsNobody) {
  start();
  std::string frame;
  append_frame(frame, {.op = StoreOp::set, .keys = {"key"}, .values = {"half"}});
  {
    RawClient half(server().address()), stays(server().address());
    admit(half);
    admit(stays);
    ASSERT_TRUE(half.send(frame.substr(0, frame.size() - 1)));
    ASSERT_TRUE(stays.send(frame.substr(0, 2)));
    EXPECT_EQ(store().get("key", 0ms).value(), "value");
  }
  while (server().counts().connected > 1) std::this_thread::sleep_for(1ms);
  expect_unharmed();
}

TEST_F(HostileTest, WhoDoesNotReadItsRepliesGetsNoMoreOfThem) {
  start();
  ASSERT_TRUE(store().set("large", std::string(500'000, 'x')));
  RawClient client(server().address());
  admit(client);
  std::string frames;
  for (int i = 0; i < 2000; ++i) append_frame(frames, {.op = StoreOp::get, .keys = {"large"}});
  ASSERT_TRUE(client.send(frames));  // a gigabyte of replies
  for (int i = 0; i < 20; ++i) expect_unharmed(2);
  // The kernel's buffers and one reply; not all of them.
  EXPECT_LT(server().counts().requests, 100U);
}

TEST_F(HostileTest, AFullStoreRefusesAndServesOn) {
  start();
  const std::string value(200'000, 'x');
  int stored = 0;
  for (int i = 0; i < 8; ++i) stored += store().set("fill" + std::to_string(i), value) ? 1 : 0;
  EXPECT_EQ(stored, 5);
}

// Goal: no bytes at all bring the server down.  Method: random bytes, half of them behind a proper
// claim, some made of pieces of proper frames.
TEST_F(HostileTest, SurvivesRandomBytes) {
  start();
  constexpr std::uint64_t kSeed = 5;
  const PhiloxStream random(kSeed, "hostile");
  std::uint64_t next = 0;
  const auto below = [&](std::uint64_t n) { return random.bits(next++) % n; };
  std::string good;
  append_frame(good, {.op = StoreOp::set, .keys = {"a", "b"}, .values = {"1", "2"}});
  append_frame(good, {.op = StoreOp::wait, .keys = {"c"}, .number = 5, .timeout = 100ms});
  for (int i = 0; i < 300; ++i) {
    RawClient client(server().address());
    if (i % 2 == 0) admit(client);
    std::string bytes = good;
    for (std::uint64_t m = 0, count = below(6); m < count; ++m)
      bytes[below(bytes.size())] = static_cast<char>(below(256));
    bytes.resize(below(bytes.size() + 1));
    (void)client.send(bytes);
  }
  EXPECT_EQ(store().get("key", 0ms).value_or("nothing"), "value") << "seed " << kSeed;
}

// A listener that is no store of this job: `serve` gets every connection.
class FakeServer {
 public:
  explicit FakeServer(std::function<void(int fd)> serve)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), serve_(std::move(serve)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t nbytes = sizeof name;
    const int on = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&name), &nbytes);
    address_.port = ntohs(name.sin_port);
    thread_ = std::thread([this] {
      for (;;) {
        const int fd = ::accept(fd_, nullptr, nullptr);
        if (fd < 0) return;
        serve_(fd);
        ::close(fd);
      }
    });
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  ~FakeServer() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  [[nodiscard]] StoreAddress address() const { return address_; }

 private:
  int fd_;
  std::function<void(int fd)> serve_;
  StoreAddress address_;
  std::thread thread_;
};

// Goal: a server that does not know the secret gets no request.
TEST(HostileServerTest, IsToldNothing) {
  const Watchdog watchdog("a hostile server", 60s);
  std::string heard;
  Error error(ErrorCode::failed, "no error");
  {
    FakeServer fake([&](int fd) {
      const std::string greeting = make_greeting(make_nonce()), answer = make_answer(make_nonce());
      (void)::send(fd, greeting.data(), greeting.size(), MSG_NOSIGNAL);
      (void)::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
      std::array<char, 4096> buffer{};
      for (ssize_t count = 0; (count = ::recv(fd, buffer.data(), buffer.size(), 0)) > 0;)
        heard.append(buffer.data(), static_cast<std::size_t>(count));
    });
    error = Store({.address = fake.address(), .secret = JobSecret::random()})
                .set("key", "private")
                .error();
  }
  EXPECT_EQ(error.code(), ErrorCode::bad_usage);
  EXPECT_THAT(error.message(), ::testing::HasSubstr("does not know the job's secret"));
  EXPECT_EQ(heard.size(), kClaimNbytes);
}

TEST(HostileServerTest, OtherProtocolsAreRecognised) {
  const Watchdog watchdog("another server", 60s);
  FakeServer fake([](int fd) {
    const std::string text = "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3 and what follows it\r\n";
    (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  });
  const auto set =
      Store({.address = fake.address(), .secret = JobSecret::random()}).set("key", "value");
  EXPECT_THAT(set.error().message(), ::testing::HasSubstr("found another server on the port"));
}

// Goal: a connection that a busy server drops is tried again.
TEST(HostileServerTest, DroppedConnectionsAreTriedAgain) {
  const Watchdog watchdog("dropped connections", 60s);
  const JobSecret secret = JobSecret::random();
  std::atomic<int> dropped{0};
  auto fake = std::make_unique<FakeServer>([&](int) { ++dropped; });
  const StoreAddress address = fake->address();
  Result<void> set;
  std::thread client(
      [&] { set = Store({.address = address, .secret = secret}).set("key", "value"); });
  while (dropped < 3) std::this_thread::sleep_for(1ms);
  fake.reset();
  StoreServer server({.address = address, .secret = secret});
  server.start();
  client.join();
  EXPECT_TRUE(set) << set.error().message();
}

// Goal: whatever a server answers, the user reads what is wrong.
TEST(HostileServerTest, ARefusalWithoutAReasonIsMalformed) {
  const auto reply = parse_reply(std::string_view("\3\0\0\0\0", 5));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), ::testing::HasSubstr("reply"));
}

}  // namespace
}  // namespace megascale::comm
