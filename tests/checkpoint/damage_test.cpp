// Checkpoints that were changed at rest: each is refused by name, and the one before is offered.
#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using testing::error_of;
using testing::file_bytes;
using testing::holds;
using testing::Model;
using testing::says;
using testing::Scratch;
using testing::write_bytes;

const char* const kShard = "shard-00000-of-00001.safetensors";
const char* const kSecondShard = "shard-00000-of-00001-part-001.safetensors";
const char* const kManifest = "manifest.json";

class DamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    save(directory(), former_.state, former_.pieces(), options());
    save(directory(), newest_.state, newest_.pieces(), options());
  }
  [[nodiscard]] const std::filesystem::path& directory() const { return scratch_.path(); }
  [[nodiscard]] std::filesystem::path path(std::int64_t step, const std::string& file) const {
    return directory() / (step == 1 ? "step-00000001" : "step-00000002") / file;
  }
  static SaveOptions options() { return {.shard_nbytes_max = 4000}; }

  // The newest is refused with `parts` in the reason, and the former loads.
  ::testing::AssertionResult refused(const std::vector<std::string>& parts,
                                     ErrorCode code = ErrorCode::corrupt_data) {
    std::vector<Error> problems;
    const auto opened =
        open_newest(directory(), [&](const Error& error) { problems.push_back(error); });
    if (problems.size() != 1)
      return ::testing::AssertionFailure() << problems.size() << " problems";
    if (!opened || opened->state().step != 1)
      return ::testing::AssertionFailure() << "the former is not offered";
    if (auto result = holds(*opened, former_); !result) return result;
    std::vector<std::string> all{"step-00000002"};
    all.insert(all.end(), parts.begin(), parts.end());
    return says(problems[0], code, all);
  }

  Scratch scratch_;
  Model former_{1}, newest_{2};
};

TEST_F(DamageTest, UndamagedItIsTheNewest) {
  EXPECT_TRUE(holds(*open_newest(directory()), newest_));
  EXPECT_TRUE(verify(directory()).good());
}

TEST_F(DamageTest, EveryFlippedBitIsFound) {
  std::mt19937 random(7);
  for (const char* file : {kShard, kSecondShard, kManifest}) {
    const auto good = file_bytes(path(2, file));
    for (int round = 0; round < 150; ++round) {
      auto bad = good;
      // The length, the header and the manifest's tail at every position or often; the rest at
      // random.
      const std::size_t at = round < 20   ? static_cast<std::size_t>(round)
                             : round < 30 ? good.size() - static_cast<std::size_t>(round - 19)
                                          : random() % good.size();
      bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
      write_bytes(path(2, file), bad);
      ASSERT_TRUE(refused({file})) << file << " byte " << at;
    }
    write_bytes(path(2, file), good);
  }
  EXPECT_TRUE(holds(*open_newest(directory()), newest_));
}

TEST_F(DamageTest, LazyOpeningFindsItWhenTheByteIsRead) {
  auto bytes = file_bytes(path(2, kShard));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_bytes(path(2, kShard), bytes);
  const Opened opened(directory() / "step-00000002", Check::on_read);
  const StoredPiece& last = opened.manifest().shards[0].pieces.back();
  const StoredPiece& first = opened.manifest().shards[0].pieces.front();
  std::vector<std::byte> one(4), whole(last.end - last.begin);
  opened.read(first.name, Extents(first.box.shape.size(), 0), Extents(first.box.shape.size(), 1),
              one);
  // Also where the box does not touch the byte: the digest is of the piece.
  for (int again = 0; again < 2; ++again) {
    const Error error = error_of([&] {
      opened.read(last.name, Extents(last.box.shape.size(), 0), Extents(last.box.shape.size(), 1),
                  one);
    });
    EXPECT_TRUE(says(error, ErrorCode::corrupt_data,
                     {kShard, last.name, last.digest, "its bytes were changed"}));
  }
}

TEST_F(DamageTest, ByteChangedAfterOpeningIsFoundWhenThePieceIsReadWhole) {
  const Opened opened(directory() / "step-00000002");
  const StoredPiece& last = opened.manifest().shards[0].pieces.back();
  auto bytes = file_bytes(path(2, kShard));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_bytes(path(2, kShard), bytes);
  std::vector<std::byte> whole(last.end - last.begin);
  EXPECT_TRUE(says(error_of([&] { opened.read(last.name, whole); }), ErrorCode::corrupt_data,
                   {kShard, last.name}));
}

TEST_F(DamageTest, TruncatedShard) {
  const auto size = std::filesystem::file_size(path(2, kShard));
  for (const std::uintmax_t cut :
       {size - 1, size / 2, std::uintmax_t{9}, std::uintmax_t{7}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(path(2, kShard), cut);
    EXPECT_TRUE(refused(
        {kShard, "expected " + std::to_string(size) + " bytes", "found " + std::to_string(cut)}));
  }
}

TEST_F(DamageTest, LengthenedShard) {
  auto bytes = file_bytes(path(2, kShard));
  bytes.push_back('\0');
  write_bytes(path(2, kShard), bytes);
  EXPECT_TRUE(refused({kShard, "found " + std::to_string(bytes.size())}));
}

TEST_F(DamageTest, TruncatedOrEmptyManifest) {
  const auto size = std::filesystem::file_size(path(2, kManifest));
  for (const std::uintmax_t cut : {size - 1, size / 2, std::uintmax_t{1}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(path(2, kManifest), cut);
    EXPECT_TRUE(refused({kManifest, "ends with its digest"}));
  }
}

TEST_F(DamageTest, MissingFiles) {
  std::filesystem::remove(path(2, kSecondShard));
  EXPECT_TRUE(refused({kSecondShard, "No such file"}, ErrorCode::io));
  std::filesystem::remove(path(2, kManifest));
  EXPECT_TRUE(refused({kManifest, "No such file"}, ErrorCode::io));
}

TEST_F(DamageTest, ShardFromAnotherStep) {
  std::filesystem::copy_file(path(1, kShard), path(2, kShard),
                             std::filesystem::copy_options::overwrite_existing);
  const std::string generation = Opened(directory() / "step-00000001").manifest().generation;
  EXPECT_TRUE(refused({kShard, "expected the generation", "found " + generation,
                       "not written with this manifest"}));
}

TEST_F(DamageTest, OldManifestOverNewShards) {
  std::filesystem::copy_file(path(1, kManifest), path(2, kManifest),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(refused({kManifest, "expected step 2", "found 1"}));
}

TEST_F(DamageTest, SwappedShards) {
  // Two parts of equal size: the same tensors but for the name.
  const Scratch scratch;
  const std::vector<float> a(100, 1.0F), b(100, 2.0F);
  const std::vector<Piece> pieces{
      whole_piece("a", DType::float32, {100}, std::as_bytes(std::span(a))),
      whole_piece("b", DType::float32, {100}, std::as_bytes(std::span(b)))};
  const auto checkpoint = save(scratch.path(), {.step = 2}, pieces, {.shard_nbytes_max = 1}).path;
  // The name of the second is longer, but the header is padded.
  ASSERT_EQ(std::filesystem::file_size(checkpoint / kShard),
            std::filesystem::file_size(checkpoint / kSecondShard));
  std::filesystem::rename(checkpoint / kShard, checkpoint / "x");
  std::filesystem::rename(checkpoint / kSecondShard, checkpoint / kShard);
  std::filesystem::rename(checkpoint / "x", checkpoint / kSecondShard);
  const Error error = error_of([&] { (void)Opened(checkpoint); });
  EXPECT_TRUE(says(error, ErrorCode::corrupt_data,
                   {kShard, "expected the file", std::string("found ") + kSecondShard}));
}

TEST_F(DamageTest, SymbolicLinkToADirectoryOrPipeIsNoShard) {
  std::filesystem::remove(path(2, kShard));
  std::filesystem::create_directory(path(2, kShard));
  EXPECT_TRUE(refused({kShard}, ErrorCode::io));
}

TEST_F(DamageTest, RenamedCheckpointIsRefused) {
  std::filesystem::rename(directory() / "step-00000002", directory() / "step-00000003");
  std::vector<Error> problems;
  const auto opened =
      open_newest(directory(), [&](const Error& error) { problems.push_back(error); });
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(
      says(problems[0], ErrorCode::corrupt_data, {"step-00000003", "expected step 3", "found 2"}));
  EXPECT_TRUE(holds(*opened, former_));
}

TEST_F(DamageTest, NoneGoodIsAnErrorWithEveryReason) {
  std::filesystem::remove(path(1, kShard));
  std::filesystem::resize_file(path(2, kManifest), 10);
  int told = 0;
  const Error error =
      error_of([&] { (void)open_newest(directory(), [&](const Error&) { ++told; }); });
  EXPECT_TRUE(says(error, ErrorCode::corrupt_data,
                   {directory().string(), "step-00000001", kShard, "step-00000002", kManifest}));
  EXPECT_EQ(told, 2);
}

TEST_F(DamageTest, AnotherVersionIsNoDamageToFallBackFrom) {
  // A manifest of version 2 with a right digest.
  const Manifest manifest = Opened(directory() / "step-00000002").manifest();
  std::string text = to_text(manifest);
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  text = with_digest(text.substr(0, text.rfind("\n,\"digest\"")));
  write_bytes(path(2, kManifest), {text.begin(), text.end()});
  EXPECT_TRUE(says(error_of([&] { (void)open_newest(directory()); }), ErrorCode::unsupported,
                   {kManifest, "expected version 1", "found 2"}));
}

TEST_F(DamageTest, VerifyNamesTheBadOnes) {
  std::filesystem::remove(path(1, kShard));
  std::filesystem::create_directory(directory() /
                                    ".partial-step-00000009-0123456789abcdef0123456789abcdef");
  for (const char* name : {"passed-over-step-00000003", "doubtful-step-00000003-2",
                           "doubtful-step-3", "doubtful-step-00000003-x", "passed-over-"})
    std::filesystem::create_directory(directory() / name);
  const Verification all = verify(directory());
  ASSERT_EQ(all.checkpoints.size(), 2U);
  EXPECT_FALSE(all.good());
  EXPECT_FALSE(all.checkpoints[0].error);
  EXPECT_EQ(all.checkpoints[0].step, 2);
  EXPECT_GT(all.checkpoints[0].nbytes, 1000U);
  ASSERT_TRUE(all.checkpoints[1].error);
  EXPECT_TRUE(says(*all.checkpoints[1].error, ErrorCode::io, {kShard}));
  ASSERT_EQ(all.leftovers.size(), 1U);
  ASSERT_EQ(all.aside.size(), 2U);
  EXPECT_EQ(all.aside[0].filename(), "doubtful-step-00000003-2");
  EXPECT_EQ(all.aside[1].filename(), "passed-over-step-00000003");
  EXPECT_TRUE(verify(directory() / "step-00000002").good());
  EXPECT_FALSE(verify(directory() / "step-00000001").good());
  EXPECT_TRUE(says(error_of([&] { (void)verify(directory() / "none"); }), ErrorCode::bad_input,
                   {"none", "found neither"}));
  EXPECT_EQ(open_path(directory()).state().step, 2);
  EXPECT_EQ(open_path(directory() / "step-00000002").state().step, 2);
  EXPECT_TRUE(says(error_of([&] { (void)open_path(directory() / "none"); }), ErrorCode::bad_input,
                   {"none"}));
}

// Retention

std::vector<std::int64_t> steps_in(const std::filesystem::path& directory) {
  std::vector<std::int64_t> steps;
  for (const Entry& entry : list(directory).checkpoints) steps.push_back(entry.step);
  return steps;
}

TEST(RetentionTest, KeepsTheNewestGoodOnes) {
  const Scratch scratch;
  for (const std::int64_t step : {1, 2, 3, 4})
    save(scratch.path(), Model(step).state, Model(step).pieces());
  EXPECT_EQ(steps_in(scratch.path()), (std::vector<std::int64_t>{4, 3, 2, 1}));
  // A bad one does not count as kept.
  std::filesystem::remove(scratch.path() / "step-00000004" / kShard);
  const SaveReport report =
      save(scratch.path(), Model(5).state, Model(5).pieces(), {.keep_last = 2});
  EXPECT_EQ(steps_in(scratch.path()), (std::vector<std::int64_t>{5, 4, 3}));
  EXPECT_EQ(report.removed, (std::vector<std::filesystem::path>{scratch.path() / "step-00000002",
                                                                scratch.path() / "step-00000001"}));
  EXPECT_TRUE(list(scratch.path()).leftovers.empty());
  EXPECT_TRUE(holds(*open_newest(scratch.path()), Model(5)));
}

TEST(RetentionTest, NeverRemovesWhatWasJustSavedNorLaterSteps) {
  const Scratch scratch;
  for (const std::int64_t step : {10, 20, 30})
    save(scratch.path(), Model(step).state, Model(step).pieces());
  save(scratch.path(), Model(15).state, Model(15).pieces(), {.keep_last = 1});
  EXPECT_EQ(steps_in(scratch.path()), (std::vector<std::int64_t>{30, 20, 15}));
}

TEST(RetentionTest, RemovesNothingWhenTheNewOneDoesNotReadBack) {
  const Scratch scratch;
  save(scratch.path(), Model(1).state, Model(1).pieces());
  // The disk changes a byte between the write and the reading back: before the shard is synced.
  bool changed = false;
  const ActionHook hook = [&](Action action, const std::filesystem::path& path) {
    if (action != Action::sync_file || changed || path.filename() != kShard) return;
    auto bytes = file_bytes(path);
    bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 4);
    write_bytes(path, bytes);
    changed = true;
  };
  const Error error = error_of([&] {
    save(scratch.path(), Model(2).state, Model(2).pieces(),
         {.keep_last = 1, .before_action = hook});
  });
  EXPECT_TRUE(changed);
  EXPECT_TRUE(says(error, ErrorCode::corrupt_data, {kShard, "reading back"}));
  EXPECT_EQ(steps_in(scratch.path()), (std::vector<std::int64_t>{1}));
  EXPECT_TRUE(list(scratch.path()).leftovers.empty());
}

// The new one had already taken the name of the former one of the same step.
TEST(RetentionTest, ACheckpointOfTheSameStepComesBackWhenTheNewOneDoesNotReadBack) {
  const Scratch scratch;
  const Model former(1), latter(1, 192);  // the latter is written past the page cache
  save(scratch.path(), former.state, former.pieces());
  const std::filesystem::path committed = scratch.path() / "step-00000001";
  const ActionHook hook = [&](Action action, const std::filesystem::path& path) {
    if (action != Action::sync_directory || path != scratch.path()) return;
    if (!std::filesystem::exists(committed / kShard)) return;
    auto bytes = file_bytes(committed / kShard);
    bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 4);
    write_bytes(committed / kShard, bytes);
  };
  const Error error = error_of(
      [&] { save(scratch.path(), latter.state, latter.pieces(), {.before_action = hook}); });
  EXPECT_TRUE(says(error, ErrorCode::corrupt_data, {kShard, "reading back"}));
  EXPECT_EQ(steps_in(scratch.path()), (std::vector<std::int64_t>{1}));
  EXPECT_TRUE(list(scratch.path()).leftovers.empty());
}

}  // namespace
}  // namespace megascale::checkpoint
