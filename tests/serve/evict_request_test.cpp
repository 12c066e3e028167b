// The body of a request to evict a host.
#include "megascale/serve/evict_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "megascale/base/error.h"

namespace megascale::serve {
namespace {

TEST(EvictRequestTest, HostAndReasonAreRead) {
  const EvictRequest request = parse_evict_request(R"({"host": "node-3.x", "why": "fan"})");
  EXPECT_EQ(request.host, "node-3.x");
  EXPECT_EQ(request.why, "fan");
  EXPECT_EQ(parse_evict_request(R"({"host": "a"})").why, "");
}

TEST(EvictRequestTest, OtherTextsAreRefused) {
  const std::string long_name(254, 'a'), long_reason(501, 'a');
  for (const std::string& text : std::vector<std::string>{
           "", "{", "[]", "{}", R"({"why": "x"})", R"({"host": ""})", R"({"host": 3})",
           R"({"host": "a b"})", R"({"host": "a/../b"})", R"({"host": "a", "force": true})",
           R"({"host": "a", "why": "line\n2"})", R"({"host": ")" + long_name + R"("})",
           R"({"host": "a", "why": ")" + long_reason + R"("})",
           R"({"host": "a")" + std::string(3000, ' ') + "}"}) {
    try {
      (void)parse_evict_request(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_THAT(error.message(), ::testing::HasSubstr("evict a host")) << text;
    }
  }
}

}  // namespace
}  // namespace megascale::serve
