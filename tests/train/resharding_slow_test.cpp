// From each of 14 layouts to each other one; resharding_test.cpp says what is compared.
#include "train/resharding.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

class AllPairsTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(AllPairsTest, FromOneLayoutToAllOthers) {
  ReshardingCheck check;
  const auto& all = layouts_to_reshard();
  for (const Layout& to : all) {
    if (&to != &all[GetParam()]) check.check(all[GetParam()], to);
  }
  check.report();
}

INSTANTIATE_TEST_SUITE_P(Layouts, AllPairsTest,
                         ::testing::Range(std::size_t{0}, layouts_to_reshard().size()),
                         [](const auto& layout) {
                           return std::string(layouts_to_reshard()[layout.param].name);
                         });

}  // namespace
}  // namespace megascale
