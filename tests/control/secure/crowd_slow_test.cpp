// The same as crowd_test.cpp with a thousand connections and the limits of a driver.
#include <iostream>

#include "control/secure/crowd.h"
#include "support/sanitizer.h"

namespace megascale::secure {
namespace {

class LargeCrowdTest : public testing::EndpointFixture {};

// An executor sends a heartbeat each second (control.heartbeat_seconds).
TEST_F(LargeCrowdTest, AThousandStrangersDelayNoHeartbeatByAnInterval) {
  start(options());
  const testing::Crowd crowd(endpoint_->address(), 1000);
  const double slowest = testing::slowest_heartbeat(endpoint_->address(), executor(), 20);
  std::cout << "slowest heartbeat: " << slowest << " s; strangers tried " << crowd.tried()
            << " connections\n";
  // Instrumented code takes several times as long.
  EXPECT_LT(slowest, testing::kSanitizer.empty() ? 1 : 5);
}

}  // namespace
}  // namespace megascale::secure
