// A state with a value that is not finite is not saved.
#include "megascale/train/finite_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "megascale/base/error.h"

namespace megascale::train {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::vector<float>& values) {
  const std::vector<float> healthy(100, std::numeric_limits<float>::max());
  const std::vector<checkpoint::Piece> pieces{
      checkpoint::whole_piece("a", DType::float32, {100}, std::as_bytes(std::span(healthy))),
      checkpoint::whole_piece("b", DType::float32, {static_cast<std::int64_t>(values.size())},
                              std::as_bytes(std::span(values)))};
  try {
    require_finite(pieces);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(FiniteStateTest, NamesTheFirstValueThatIsNot) {
  std::vector<float> values(1000, -std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(refusal_of(values), "");
  for (const float bad :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    auto damaged = values;
    damaged[999] = damaged[517] = bad;
    EXPECT_THAT(refusal_of(damaged), HasSubstr("finite values in b, found one that is not at "
                                               "element 517"));
  }
}

}  // namespace
}  // namespace megascale::train
