// The fuzz targets as a short test: seeded mutations of good inputs. A failure aborts and prints
// the seed; rerun with MEGASCALE_FUZZ_SEED=<seed>. MEGASCALE_FUZZ_ROUNDS (default 3,000) makes it
// longer.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/inputs.h"
#include "megascale/base/philox.h"

namespace megascale {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, const std::vector<std::string>& words)
      : stream_(seed, "fuzz"), words_(words) {}

  std::string operator()(std::string text) {
    for (std::uint64_t i = 0, count = 1 + below(4); i < count; ++i) mutate(text);
    return text;
  }
  std::uint64_t below(std::uint64_t n) { return stream_.bits(next_++) % n; }

 private:
  void mutate(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const auto byte = static_cast<char>(below(256));
    switch (below(7)) {
      case 0:
        text.insert(at, 1, byte);
        break;
      case 1:
        text.erase(at, 1 + below(4));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), below(20)));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, words_[below(words_.size())]);
        break;
      default:
        if (at < text.size())
          text[at] = below(2) == 0 ? byte : static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }
  PhiloxStream stream_;
  std::uint64_t next_ = 0;
  const std::vector<std::string>& words_;
};

class FuzzTest : public ::testing::TestWithParam<fuzz::Subject> {
 protected:
  static bool accepts(const std::string& text) {
    return GetParam().target(std::as_bytes(std::span(text.data(), text.size())));
  }
};

TEST_P(FuzzTest, SurvivesSeededMutations) {
  const std::vector<std::string>& good = GetParam().good;
  for (const std::string& text : good)
    ASSERT_TRUE(accepts(text)) << "a good input is refused:\n" << text;
  const std::uint64_t first = setting("MEGASCALE_FUZZ_SEED", 0),
                      rounds = setting("MEGASCALE_FUZZ_ROUNDS", 3000);
  std::uint64_t accepted = 0;
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    Mutator mutator(seed, GetParam().words);
    const std::string text = mutator(good[mutator.below(good.size())]);
    try {
      accepted += accepts(text) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n" << ::testing::PrintToString(text);
    }
  }
  // Otherwise the mutations never leave, or never reach, the code behind the first check.
  EXPECT_GT(accepted, rounds / 500);
  EXPECT_LT(accepted, rounds - rounds / 500);
}
INSTANTIATE_TEST_SUITE_P(All, FuzzTest, ::testing::ValuesIn(fuzz::subjects()),
                         [](const auto& subject) { return subject.param.name; });

}  // namespace
}  // namespace megascale
