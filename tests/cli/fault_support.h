#ifndef MEGASCALE_TESTS_CLI_FAULT_SUPPORT_H_
#define MEGASCALE_TESTS_CLI_FAULT_SUPPORT_H_

#include <filesystem>
#include <string>

#include "cli/robust_support.h"

// Jobs in which the matrix products of a rank misbehave (tests/faults/faulty_product.cpp).
namespace megascale::testing {

class FaultTest : public RobustTest {
 protected:
  // The fault begins with begin_fault().
  [[nodiscard]] megascale::testing::Setup with_fault(const std::string& kind, int rank,
                                                     int amount = 0) const {
    return {.environment = {"LD_PRELOAD=" MEGASCALE_FAULTY_PRODUCT,
                            "MEGASCALE_FAULT=" + kind + " " + std::to_string(rank) + " " +
                                trigger() + " " + std::to_string(amount)}};
  }
  void begin_fault() const { space.write("fault", ""); }
  void end_fault() const { std::filesystem::remove(trigger()); }
  [[nodiscard]] std::string trigger() const { return (space / "fault").string(); }
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_FAULT_SUPPORT_H_
