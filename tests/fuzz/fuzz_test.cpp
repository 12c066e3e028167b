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
#include "megascale/checkpoint/manifest.h"
#include "megascale/checkpoint/safetensors.h"
#include "megascale/comm/bootstrap/rank_record.h"
#include "megascale/comm/store/embedded/protocol.h"
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

std::string safetensors_file() {
  std::vector<checkpoint::StoredTensor> tensors{
      {.name = "a", .shape = {2, 3}},
      {.name = "b\n", .type = checkpoint::StoredType::bfloat16, .shape = {}}};
  std::string file = checkpoint::make_safetensors_header(tensors, {{"format", "pt"}});
  return file + std::string(tensors.back().end, 'x');
}

TEST(FuzzTest, Safetensors) {
  run(fuzz::safetensors,
      {safetensors_file(), "\2\0\0\0\0\0\0\0{}"s,
       "\x38\0\0\0\0\0\0\0{\"t\":{\"dtype\":\"U8\",\"shape\":[0,3],\"data_offsets\":[0,0]}} "s},
      {"\"t\"", ":{}", "[[[[", "-1", "1e9", "null", "18446744073709551615", "__metadata__",
       "\"F32\"", "\"I64\"", "\xff", ",", "4294967296,4294967296", "\0\0\0\0\0\0\0\x80"s,
       "\\u0000"});
}

TEST(FuzzTest, Manifests) {
  checkpoint::Manifest manifest{.generation = std::string(32, 'a'),
                                .world_size = 2,
                                .state = {.step = 200, .seed = -1, .config = "[model]\n"},
                                .shards = {}};
  const std::string digest(32, '0');
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    const auto row = rank * 2;
    manifest.shards.push_back(
        {"shard-" + std::to_string(rank),
         rank,
         512 + 24,
         digest,
         {{"t", DType::float32, {4, 3}, {{row, 0}, {2, 3}}, 512, 536, digest}}});
  }
  const auto body = [](const checkpoint::Manifest& of) {
    const std::string text = to_text(of);
    return text.substr(0, text.rfind("\n,\"digest\""));
  };
  const std::string two = body(manifest);
  manifest.shards.clear();
  run(fuzz::manifest, {two, body(manifest)},
      {"\"rank\"", "0", "1", "-1", "9223372036854775807", "[]", "[[[[[[", "{}", ",", "null",
       "\"..\"", "\"F64\"", "\"shards\": [], ", "4611686018427387904", "\xff", "\\u0000", "/"});
}

TEST(FuzzTest, HuggingFaceConfigs) {
  run(fuzz::model_json,
      {R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 8, "n_head": 2, "n_positions": 4,
           "vocab_size": 9, "n_inner": null, "activation_function": "gelu_new"})",
       R"({"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 4,
           "vocab_size": 9, "rope_scaling": null, "rope_theta": 1e4, "hidden_act": "silu"})"},
      {"\"n_inner\": 3, ", "\"head_dim\": 6, ", "0", "-1", "1e400", "1e-3", "null", "true", "[]",
       "{", "\"tie_word_embeddings\": true, ", "\"rope_parameters\": {}, ", "\xff", "99999999999"});
}

TEST(FuzzTest, StoreFrames) {
  using namespace comm;
  std::string writes, waits;
  append_frame(writes, {.op = StoreOp::set_new, .keys = {"rank/0", "k"}, .values = {"value", ""}});
  append_frame(writes, {.op = StoreOp::add, .keys = {"arrived"}, .number = -1});
  append_frame(waits,
               {.op = StoreOp::get, .keys = {"a", "b", "c"}, .timeout = std::chrono::hours(1)});
  append_frame(waits, {.op = StoreOp::erase, .keys = {"a"}});
  run(fuzz::store_frames, {writes, waits},
      {"\1\0\0\0"s, "\xff\xff\xff\xff"s, "\0\0\0\1"s, "\0\0\0\0"s, "a"});
}

TEST(FuzzTest, StoreRecords) {
  using namespace comm;
  std::string reply;
  append_frame(reply,
               {.status = StoreStatus::timed_out, .number = 7, .values = {"x", std::nullopt, ""}});
  run(fuzz::store_records,
      {reply.substr(4), encode(Verdict{.error = Error(ErrorCode::timeout, "rank 3")}),
       encode(RankRecord{.rank = 3, .host = {"host", "id", 17}, .endpoint = "\0\1"s}),
       encode(LaunchRecord{.rank = 1, .world_size = 2, .hostname = "h", .digest = {.plan = "p"}})},
      {"\1\0\0\0"s, "\xff\xff\xff\xff"s, "\0\0\0\0"s, "MGRANK01", "a"});
}

}  // namespace
}  // namespace megascale
