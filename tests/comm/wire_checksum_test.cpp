// Messages with digests. This file takes the place of UCX's function that sends a message, so that a
// test can flip any bit of one.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "megascale/comm/ucx/port.h"
#include "support/watchdog.h"

namespace megascale::comm {
namespace {

using ::testing::HasSubstr;
using testing::Watchdog;

// The damage to the next messages of this process. The tests of this file have one thread; while
// `wire_is_watched` is false, the threads of other tests send as they like.
struct Wire {
  int messages_before = 0;         // that pass as they are
  std::optional<std::size_t> bit;  // of header and payload, modulo their size; flips once
  std::size_t header_nbytes = 0;   // of the last message
};
Wire& wire() {
  static Wire only;
  return only;
}
std::atomic<bool> wire_is_watched{false};

}  // namespace
}  // namespace megascale::comm

// As UCX declares it, with pointers in the place of its types.
extern "C" void* ucp_am_send_nbx(void* endpoint, unsigned id, const void* header,
                                 std::size_t header_nbytes, void* payload, std::size_t nbytes,
                                 const void* parameters) {
  using Send =
      void* (*)(void*, unsigned, const void*, std::size_t, void*, std::size_t, const void*);
  static const auto real = reinterpret_cast<Send>(::dlsym(RTLD_NEXT, "ucp_am_send_nbx"));
  if (!megascale::comm::wire_is_watched)
    return real(endpoint, id, header, header_nbytes, payload, nbytes, parameters);
  static std::array<std::byte, 512> changed;  // UCX may read the header later
  auto& wire = megascale::comm::wire();
  wire.header_nbytes = header_nbytes;
  if (wire.bit && wire.messages_before-- == 0) {
    const std::size_t bit = *std::exchange(wire.bit, std::nullopt) % (8 * (header_nbytes + nbytes));
    const std::byte mask = std::byte{1} << bit % 8;
    if (bit / 8 < header_nbytes) {
      std::memcpy(changed.data(), header, header_nbytes);
      changed[bit / 8] ^= mask;
      header = changed.data();
    } else {
      static_cast<std::byte*>(payload)[bit / 8 - header_nbytes] ^= mask;
    }
  }
  return real(endpoint, id, header, header_nbytes, payload, nbytes, parameters);
}

namespace megascale::comm {
namespace {

// Rank 11 sends bytes to rank 10.
class WireChecksumTest : public ::testing::Test {
 protected:
  struct End {
    explicit End(std::uint32_t rank, bool checksums = true, std::uint64_t token = 4711)
        : worker(
              wakeup,
              {.rank = rank, .token = token, .transports = "posix,self", .checksums = checksums}) {}
    Wakeup wakeup;
    UcxWorker worker;
    std::unique_ptr<Communicator> group;  // after `wakeup`, which must outlive it
  };
  void SetUp() override {
    if (!ucx_is_available()) GTEST_SKIP() << "built without UCX";
    wire() = {};
    wire_is_watched = true;
  }
  void TearDown() override { wire_is_watched = false; }
  void meet(End& reader, End& sender) {
    const std::vector<std::vector<std::byte>> addresses{reader.worker.address(),
                                                        sender.worker.address()};
    const std::string id = "checked " + std::to_string(groups_++);
    workers_ = {&reader.worker, &sender.worker};
    reader.group = reader.worker.make_group(addresses, 0, id);
    sender.group = sender.worker.make_group(addresses, 1, id);
    reader_ = reader.group.get();
    sender_ = sender.group.get();
  }
  // Flips a bit of the message that the sender sends after `messages_before` others. Returns the
  // reader's error; empty: it got the bytes.
  std::string send(std::size_t nbytes, std::optional<std::size_t> bit, int messages_before = 0) {
    sent_.assign(nbytes, std::byte{7});
    received_.assign(nbytes, std::byte{0});
    reader_->start({.rule = &transfer_rules::recv, .receive = received_});
    wire().bit = bit;
    wire().messages_before = messages_before;
    sender_->start({.rule = &transfer_rules::send, .send = sent_});
    Progress read = Progress::waiting, written = Progress::waiting;
    const auto goes_on = [](Progress progress) {
      return progress != Progress::done && progress != Progress::failed;
    };
    while (goes_on(read) || (goes_on(written) && read == Progress::failed)) {
      if (goes_on(read)) read = reader_->poll();
      if (goes_on(written)) written = sender_->poll();
      for (UcxWorker* worker : workers_) worker->progress();  // replies to aborts
    }
    if (read == Progress::done) return received_ == sent_ ? "" : "other bytes were received";
    EXPECT_EQ(reader_->error().code(), ErrorCode::corrupt_data);
    // A sender of a small part may be done before it hears of the failure.
    const Error told = written == Progress::failed ? sender_->error() : reader_->error();
    EXPECT_EQ(told.message(), reader_->error().message());
    return reader_->error().message();
  }
  std::array<UcxWorker*, 2> workers_{};
  Communicator *reader_ = nullptr, *sender_ = nullptr;
  std::vector<std::byte> sent_, received_;
  int groups_ = 0;
};

TEST_F(WireChecksumTest, MessagesThatAreWholeArrive) {
  const Watchdog watchdog("whole messages with checksums");
  End reader(10), sender(11);
  for (const std::size_t nbytes : {1UL, 4096UL, 7936UL, 7937UL, 3'000'001UL}) {
    meet(reader, sender);
    EXPECT_EQ(send(nbytes, std::nullopt), "") << nbytes;
  }
  EXPECT_EQ(wire().header_nbytes, sizeof(Message) + sizeof(std::uint64_t));
}

// The number of the sender and that of the group may be what has changed.
TEST_F(WireChecksumTest, AFlippedBitIsFoundWhereverItIs) {
  const Watchdog watchdog("messages with a flipped bit");
  End reader(10), sender(11);
  constexpr std::size_t kNbytes = 100, kHeaderBits = 8 * sizeof(MessageWithDigest);
  for (std::size_t bit = 0; bit < kHeaderBits + 8 * kNbytes; bit += bit < kHeaderBits ? 1 : 97) {
    meet(reader, sender);
    EXPECT_THAT(send(kNbytes, bit), HasSubstr("was changed on the way")) << bit;
  }
}

TEST_F(WireChecksumTest, TheErrorNamesTheLink) {
  const Watchdog watchdog("a piece with a flipped bit");
  End reader(10), sender(11);
  constexpr std::size_t kNbytes = 3'000'001, kFirstOfPayload = 8 * sizeof(MessageWithDigest);
  for (const int messages_before : {0, 1, 5, 20}) {
    meet(reader, sender);
    // The first message of a long transfer has no payload, so this is a bit of its header.
    const std::size_t bit = messages_before == 0 ? 8 * offsetof(Message, nbytes) : kFirstOfPayload;
    EXPECT_THAT(send(kNbytes, bit, messages_before),
                HasSubstr("a message of rank 11 to rank 10 was changed on the way: its digest is "
                          "not that of its bytes (transfer 0 of group checked"));
  }
}

TEST_F(WireChecksumTest, WithoutChecksumsMessagesAreAsShortAsBefore) {
  const Watchdog watchdog("messages without checksums");
  End reader(10, false), sender(11, false);
  meet(reader, sender);
  EXPECT_EQ(send(4096, std::nullopt), "");
  EXPECT_EQ(wire().header_nbytes, sizeof(Message));
  EXPECT_EQ(send(4096, 8 * sizeof(Message)), "other bytes were received");
}

// A stranger does not end the job, whatever its digests are.
TEST_F(WireChecksumTest, MessagesOfStrangersAreDropped) {
  const Watchdog watchdog("messages of a stranger");
  End reader(10), sender(11, true, ~std::uint64_t{4711});
  meet(reader, sender);
  received_.assign(100, std::byte{0});
  sent_.assign(100, std::byte{7});
  reader_->start({.rule = &transfer_rules::recv, .receive = received_});
  wire().bit = 8 * sizeof(MessageWithDigest);
  sender_->start({.rule = &transfer_rules::send, .send = sent_});
  EXPECT_FALSE(wire().bit) << "nothing was sent";
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(reader_->poll(), Progress::waiting);
    (void)sender_->poll();
  }
}

}  // namespace
}  // namespace megascale::comm
