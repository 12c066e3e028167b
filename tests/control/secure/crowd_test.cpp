// Heartbeats beside a crowd of connections that mean no good.
#include "control/secure/crowd.h"

namespace megascale::secure {
namespace {

class CrowdTest : public testing::EndpointFixture {};

// More than may be pending at a time, so that strangers push each other out.
TEST_F(CrowdTest, EveryHeartbeatIsAnsweredBesideManyStrangers) {
  EndpointOptions few = options();
  few.connections.pending = 64;
  few.connections.pending_per_address = 16;
  start(few);
  const testing::Crowd crowd(endpoint_->address(), 150);
  (void)testing::slowest_heartbeat(endpoint_->address(), executor(), 2);
  EXPECT_GT(crowd.tried(), 150U) << "none was turned away";
}

}  // namespace
}  // namespace megascale::secure
