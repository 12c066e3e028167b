#include "megascale/checkpoint/manifest.h"

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using testing::error_of;
using testing::says;

const std::string kDigest(32, '0');

// Two ranks with a half of one tensor each.
Manifest good() {
  Manifest manifest{
      .generation = std::string(32, 'a'), .world_size = 2, .state = {.step = 3, .seed = -1}};
  for (const std::int64_t rank : {0, 1}) {
    manifest.shards.push_back(
        {.file = rank == 0 ? "a" : "b",
         .rank = rank,
         .nbytes = 88,
         .header_digest = kDigest,
         .pieces = {{"t", DType::float32, {4, 3}, {{2 * rank, 0}, {2, 3}}, 64, 88, kDigest}}});
  }
  return manifest;
}
std::string body_of(const Manifest& manifest) {
  const std::string text = to_text(manifest);
  return text.substr(0, text.rfind("\n,\"digest\""));
}
void read(const std::string& text) { (void)collect_tensors(parse_manifest(text, "NAME"), "NAME"); }

TEST(ManifestTest, WhatIsWrittenIsRead) {
  EXPECT_EQ(parse_manifest(to_text(good()), "NAME"), good());
  Manifest imported = good();
  imported.state.origin = "{\"texts\": {}}";
  imported.epoch = 3;
  imported.attempt = AttemptMark{.record = std::string(32, 'e'), .epoch = 7};
  EXPECT_EQ(parse_manifest(to_text(imported), "NAME"), imported);
  EXPECT_FALSE(parse_manifest(to_text(imported), "NAME") == good());
  const LogicalTensors tensors = collect_tensors(good(), "NAME");
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors.begin()->second.shape, (Extents{4, 3}));
  EXPECT_EQ(tensors.begin()->second.pieces.size(), 2U);
  EXPECT_EQ(parse_shards(to_text(good().shards), "rank 1"), good().shards);
}

TEST(ManifestTest, WrongTextWithARightDigestIsRefusedByName) {
  struct Case {
    std::string from, to, expected;
  };
  const std::vector<Case> cases{
      {"\"format\": \"megascale-checkpoint\"", "\"format\": \"other\"",
       "the format \"megascale-checkpoint\", found \"other\""},
      {"\"generation\": \"aaaa", "\"generation\": \"AAAA",
       "\"generation\" to be 32 hexadecimal digits"},
      {"\"world_size\": 2", "\"world_size\": 0", "\"world_size\" to be an integer >= 1, found 0"},
      {"\"world_size\": 2", "\"world_size\": 1", "a rank below 1 for b, found 1"},
      {"\"world_size\": 2", "\"world_size\": 2, \"epoch\": 0",
       "\"epoch\" to be an integer >= 1, found 0"},
      {"\"world_size\": 2", "\"world_size\": 2, \"attempt\": {\"record\": \"x\", \"epoch\": 1}",
       "\"record\" in attempt to be 32 hexadecimal digits, found \"x\""},
      {"\"step\": 3", "\"step\": -3", "\"step\" in state to be an integer >= 0, found -3"},
      {"\"step\": 3", "\"step\": 9223372036854775808", "\"step\" in state to be an integer"},
      {"\"step\": 3", "\"step\": 3.0", "found 3.0"},
      {"\"step\": 3, ", "", "the key \"step\" in state, found none"},
      {"\"step\": 3", "\"step\": 9223372036854775807", "at most 2147483648 (the longest run)"},
      {"\"updates\": 0", "\"updates\": 9223372036854775807", "at most 3 (the steps done)"},
      {"\"updates\": 0, \"skipped\": 0", "\"updates\": 2, \"skipped\": 2",
       "\"skipped\" in state to be at most 1"},
      {"\"consumed_samples\": 0", "\"consumed_samples\": 9223372036854775807", "the longest run"},
      {"\"skipped_in_a_row\": 0", "\"skipped_in_a_row\": 1", "at most 0 (all skipped steps)"},
      {"\"skipped_in_a_row\": 0", "\"skipped_in_a_row\": \"x\"", "to be an integer >= 0"},
      {"\"data_digest\": \"\"", "\"data_digest\": 3", "\"data_digest\" in state to be a string"},
      {"\"file\": \"a\"", "\"file\": \"../a\"",
       "the name of a file in the checkpoint's directory, found \"../a\""},
      {"\"file\": \"a\"", "\"file\": \"x/a\"", "the name of a file"},
      {"\"file\": \"a\"", "\"file\": \"\"", "the name of a file"},
      {"\"file\": \"a\"", "\"file\": \"a\\u0000\"", "the name of a file"},
      {"\"file\": \"b\"", "\"file\": \"a\"", "each shard once, found a twice"},
      {"\"nbytes\": 88", "\"nbytes\": 87", "24 bytes between 8 and 87 in piece \"t\" of a"},
      {"\"nbytes\": 88", "\"nbytes\": 89", "a to end with its last piece at byte 88, found 89"},
      {"\"begin\": 64", "\"begin\": 4", "24 bytes"},
      {"\"begin\": 64, \"end\": 88", "\"begin\": 0, \"end\": 24", "between 8 and 88"},
      {"\"dtype\": \"F32\"", "\"dtype\": \"F64\"", "48 bytes"},
      {"\"dtype\": \"F32\"", "\"dtype\": \"I8\"",
       "a known dtype in piece \"t\" of a, found \"I8\""},
      {"\"dtype\": \"F32\"", "\"dtype\": \"I32\"",
       "all pieces of \"t\" to be of int32 [4, 3], found float32 [4, 3] in b"},
      {"\"global_shape\": [4,3]", "\"global_shape\": [5,3]", "all pieces of \"t\""},
      {"\"offset\": [2,0]", "\"offset\": [1,0]", "overlap"},
      {"\"offset\": [2,0]", "\"offset\": [3,0]", "a part of [4, 3] in piece \"t\" of b"},
      {"\"offset\": [2,0]", "\"offset\": [2]", "a part of [4, 3]"},
      {"\"offset\": [2,0]", "\"offset\": [-2,0]", "at most 8 integers >= 0, found [-2,0]"},
      {"\"global_shape\": [4,3]", "\"global_shape\": [4611686018427387903,3]",
       "a shape below 2^62"},
      {"\"shards\": [", "\"shards\": {}, \"x\": [", "\"shards\" to be a list"},
      {"\"world_size\": 2", "\"world_size\": 2, \"world_size\": 2", "each key once"},
      {"\"world_size\": 2", "\"world_size\": 2, \"x\": [[[[[[[[[]]]]]]]]]", "at most 8 levels"},
      {"\"world_size\": 2", "\"world_size\": 2,", "expected JSON"},
  };
  for (const Case& bad : cases) {
    std::string body = body_of(good());
    const std::size_t at = body.find(bad.from);
    ASSERT_NE(at, std::string::npos) << bad.from;
    body.replace(at, bad.from.size(), bad.to);
    EXPECT_TRUE(says(error_of([&] { read(with_digest(body)); }), ErrorCode::corrupt_data,
                     {"NAME: expected", bad.expected}));
  }
}

// Version 0.1 did not write these keys.
TEST(ManifestTest, KeysThatVersion01LacksAreOptional) {
  std::string body = body_of(good());
  const std::string later = ", \"skipped_in_a_row\": 0, \"data_digest\": \"\"";
  ASSERT_NE(body.find(later), std::string::npos);
  body.erase(body.find(later), later.size());
  EXPECT_EQ(parse_manifest(with_digest(body), "NAME"), good());
}

TEST(ManifestTest, MissingAndForeignDigestsAreRefused) {
  const std::string text = to_text(good());
  EXPECT_TRUE(says(error_of([&] { read(body_of(good())); }), ErrorCode::corrupt_data,
                   {"NAME", "ends with its digest"}));
  EXPECT_TRUE(says(error_of([&] { read(text + " "); }), ErrorCode::corrupt_data,
                   {"NAME", "ends with its digest"}));
  EXPECT_TRUE(
      says(error_of([&] { read(""); }), ErrorCode::corrupt_data, {"NAME", "ends with its digest"}));
  std::string changed = text;
  changed.replace(changed.find("\"step\": 3"), 9, "\"step\": 4");
  EXPECT_TRUE(says(error_of([&] { read(changed); }), ErrorCode::corrupt_data,
                   {"NAME", "the manifest was changed"}));
}

TEST(ManifestTest, TextThatIsNoUtf8IsNotWritten) {
  Manifest manifest = good();
  manifest.state.config = "a\xff";
  EXPECT_TRUE(says(error_of([&] { (void)to_text(manifest); }), ErrorCode::failed, {"UTF-8"}));
}

}  // namespace
}  // namespace megascale::checkpoint
