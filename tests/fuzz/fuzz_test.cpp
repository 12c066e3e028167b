// The fuzz targets as a short test: seeded mutations of good inputs. A failure aborts and prints
// the seed; rerun with MEGASCALE_FUZZ_SEED=<seed>. MEGASCALE_FUZZ_ROUNDS (default 3,000) makes it
// longer.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "megascale/base/philox.h"
#include "megascale/config/load.h"

namespace megascale {
namespace {

using namespace std::string_literals;
using Target = bool (*)(std::span<const std::byte>);

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

void run(Target target, const std::vector<std::string>& good,
         const std::vector<std::string>& words) {
  for (const std::string& text : good) {
    ASSERT_TRUE(target(std::as_bytes(std::span(text.data(), text.size()))))
        << "a good input is refused:\n"
        << text;
  }
  const std::uint64_t first = setting("MEGASCALE_FUZZ_SEED", 0),
                      rounds = setting("MEGASCALE_FUZZ_ROUNDS", 3000);
  std::uint64_t accepted = 0;
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    Mutator mutator(seed, words);
    const std::string text = mutator(good[mutator.below(good.size())]);
    try {
      accepted += target(std::as_bytes(std::span(text.data(), text.size()))) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n" << ::testing::PrintToString(text);
    }
  }
  // Otherwise the mutations never leave, or never reach, the code behind the first check.
  EXPECT_GT(accepted, rounds / 500);
  EXPECT_LT(accepted, rounds - rounds / 500);
}

TEST(FuzzTest, ConfigFiles) {
  run(fuzz::config,
      {to_toml(Config{}), "[model]\ntype = \"llama\"\nnum-layers = 4\n",
       "[data]\ndata_path = [\"a\", 'b']\n[observe]\ntrace_steps = [1]",
       "train.seed = 0x10\n[parallel]\nworld_size = 8\ntensor_model_parallel_size = 4 # "
       "four\n[optimizer]\nlr = 1e-3"},
      {"[train]\n", "\nlr = 1\n", "nan", "inf", "9223372036854775807", "-1", "0", "\"", "[[x]]",
       "{a = 1}", "\\u0000", "\"\"\"", "1979-05-27T07:32:00Z", "[[[[[[[[", "\nnum_layers = 2\n"});
}

TEST(FuzzTest, Overrides) {
  run(fuzz::config_override,
      {"model.num_layers=4", "data.data_path=a,b", "data.data_path=[\"a\", \"b\"]",
       "train.run_dir=\"x\"", "optimizer.lr=1e-3", "observe.trace_steps=1,2", "model.type=llama",
       "data.shuffle=false"},
      {"=", ".", ",", "[", "]", "\"", "\n", "9", "-", "nan", "#", "\\"});
}

TEST(FuzzTest, JsonLines) {
  run(fuzz::jsonl,
      {"{\"text\": \"a\\u00e9\\n\"}\n{\"id\": [1, {\"x\": null}], \"text\": \"b\"}\n",
       "\n{\"text\":\"\\ud83d\\ude00\"}", "{\"text\": \"é\"}\r\n"},
      {"\n", "\"text\"", "[[[[[[", "\\u0000", "1e999", "null", "{", "}", "\xff", "\\ud800",
       "\xef\xbb\xbf"});
}

TEST(FuzzTest, Indexes) {
  const std::string header = "MMIDIDX\0\0\1\0\0\0\0\0\0\0"s;
  const std::string two = "\12\0\0\0"s + header + "\10\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"s +
                          "\3\0\0\0\2\0\0\0"s + "\0\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0"s +
                          "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"s;
  const std::string none =
      "\0\0\0\0"s + header + "\4\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"s + "\0\0\0\0\0\0\0\0"s;
  run(fuzz::index, {two, none, two + "\1\1"s},
      {"\0\0\0\0"s, "\xff\xff\xff\xff\xff\xff\xff\x7f"s, "\1\0\0\0\0\0\0\0"s});
}

}  // namespace
}  // namespace megascale
