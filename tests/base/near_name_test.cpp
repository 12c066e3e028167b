#include "megascale/base/near_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace megascale {
namespace {

TEST(NearNameTest, FindsTheMeantNameAndStaysSilentOtherwise) {
  const std::vector<std::string> known{"seq_length", "hidden_size", "num_layers"};
  EXPECT_EQ(nearest_name("seq_lenght", known), "seq_length");
  EXPECT_EQ(nearest_name("hiden_size", known), "hidden_size");
  EXPECT_EQ(nearest_name("zzz", known), "");
}

}  // namespace
}  // namespace megascale
