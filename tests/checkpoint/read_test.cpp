// Reading boxes of logical tensors from whatever pieces hold them, and saving from several ranks.
#include <array>
#include <random>
#include <thread>

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using testing::error_of;
using testing::Model;
using testing::says;
using testing::Scratch;

struct RandomCuts {
  std::mt19937 engine;
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
  }
};

// A tensor cut at random into pieces that own their bytes: by recursive cuts along random axes, or
// as flat ranges.
struct Cut {
  std::vector<Box> boxes;
  std::vector<std::vector<float>> bytes;
};
std::vector<float> part_of(const std::vector<float>& values, const Extents& shape, const Box& box) {
  std::vector<float> part(*checked_numel(box.shape));
  // Element by element: the code under test copies runs.
  for (std::size_t i = 0; i < part.size(); ++i) {
    std::size_t rest = i, at = 0, stride = 1;
    for (std::size_t a = shape.size(); a-- > 0;) {
      const auto extent = static_cast<std::size_t>(box.shape[a]);
      at += (rest % extent + static_cast<std::size_t>(box.offset[a])) * stride;
      rest /= extent;
      stride *= static_cast<std::size_t>(shape[a]);
    }
    part[i] = values[at];
  }
  return part;
}
void cut_box(const Box& box, int depth, RandomCuts& random, std::vector<Box>& out) {
  const std::size_t a = box.shape.empty()
                            ? 0
                            : static_cast<std::size_t>(random.between(
                                  0, static_cast<std::int64_t>(box.shape.size()) - 1));
  if (depth == 0 || box.shape.empty() || box.shape[a] < 2) {
    out.push_back(box);
    return;
  }
  Box low = box, high = box;
  low.shape[a] = random.between(1, box.shape[a] - 1);
  high.offset[a] += low.shape[a];
  high.shape[a] -= low.shape[a];
  cut_box(low, depth - 1, random, out);
  cut_box(high, depth - 1, random, out);
}
Cut cut(const std::vector<float>& values, const Extents& shape, RandomCuts& random) {
  Cut result;
  if (random.between(0, 1) == 0) {
    cut_box(whole(shape), 3, random, result.boxes);
  } else {
    for (std::uint64_t at = 0; at < values.size();) {
      const auto end = static_cast<std::uint64_t>(random.between(
          static_cast<std::int64_t>(at) + 1, static_cast<std::int64_t>(values.size())));
      for (Box& box : boxes_of_range(shape, at, end)) result.boxes.push_back(std::move(box));
      at = end;
    }
  }
  for (const Box& box : result.boxes) result.bytes.push_back(part_of(values, shape, box));
  return result;
}

// Goal: any box reads as the model says, whatever the pieces.  Method: random shapes, cuts, ranks
// and boxes; the pieces of `world` ranks go through the steps that several processes take; reading
// with and without prior verification.
TEST(ReadTest, AnyBoxFromAnyPiecesOfAnyRanks) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCuts random{std::mt19937(seed)};
    const Scratch scratch;
    const std::int64_t world = random.between(1, 4);
    std::map<std::string, std::pair<Extents, std::vector<float>>> tensors;
    std::vector<Cut> cuts;
    std::vector<std::vector<Piece>> pieces(static_cast<std::size_t>(world));
    for (int t = 0; t < 4; ++t) {
      Extents shape;
      for (int a = 0; a < t; ++a) shape.push_back(random.between(1, 9));
      std::vector<float> values(*checked_numel(shape));
      for (float& value : values) value = static_cast<float>(random.engine());
      cuts.push_back(cut(values, shape, random));
      const std::string name = "tensor" + std::to_string(t);
      for (std::size_t p = 0; p < cuts.back().boxes.size(); ++p) {
        pieces[static_cast<std::size_t>(random.between(0, world - 1))].push_back(
            {.name = name,
             .dtype = DType::float32,
             .global_shape = shape,
             .offset = cuts.back().boxes[p].offset,
             .shape = cuts.back().boxes[p].shape,
             .bytes = std::as_bytes(std::span(cuts.back().bytes[p])),
             .fill = {}});
      }
      tensors[name] = {shape, values};
    }
    PendingSave pending = begin_save(scratch.path(), 1, 0);
    std::vector<ShardFile> shards;
    for (std::int64_t rank = 0; rank < world; ++rank) {
      const auto written =
          write_shards(pending, pieces[static_cast<std::size_t>(rank)],
                       {.rank = rank, .world_size = world, .shard_nbytes_max = 500});
      for (ShardFile& shard : parse_shards(to_text(written), "rank " + std::to_string(rank)))
        shards.push_back(std::move(shard));
    }
    const auto report = commit_save(pending, {.step = 1}, shards, {.world_size = world});
    const Opened eager(report.path), lazy(report.path, Check::on_read);
    for (int round = 0; round < 40; ++round) {
      auto it = tensors.begin();
      std::advance(it, random.between(0, 3));
      const auto& [shape, values] = it->second;
      Box box = whole(shape);
      for (std::size_t a = 0; a < shape.size(); ++a) {
        box.offset[a] = random.between(0, shape[a] - 1);
        box.shape[a] = random.between(1, shape[a] - box.offset[a]);
      }
      const std::vector<float> wanted = part_of(values, shape, box);
      for (const Opened* opened : {&eager, &lazy}) {
        std::vector<float> got(wanted.size(), -1.0F);
        opened->read(it->first, box.offset, box.shape, std::as_writable_bytes(std::span(got)));
        ASSERT_EQ(got, wanted) << it->first << " " << to_string(box);
      }
    }
  }
}

TEST(ReadTest, BlocksOfLargePiecesAreCopiedWhole) {
  // Larger than the blocks of reading and writing, and no multiple of either.
  const Extents shape{1031, 1537};
  std::vector<float> values(*checked_numel(shape));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Scratch scratch;
  const std::vector<Piece> pieces{
      whole_piece("t", DType::float32, shape, std::as_bytes(std::span(values)))};
  const auto path = save(scratch.path(), {.step = 0}, pieces).path;
  const Box box{{3, 1000}, {1025, 537}};
  const std::vector<float> wanted = part_of(values, shape, box);
  for (const Check check : {Check::everything, Check::on_read}) {
    const Opened opened(path, check);
    std::vector<float> got(wanted.size());
    opened.read("t", box.offset, box.shape, std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, wanted);
    std::vector<float> all(values.size());
    opened.read("t", std::as_writable_bytes(std::span(all)));
    EXPECT_EQ(all, values);
  }
}

TEST(ReadTest, EveryDtypeKeepsItsBytes) {
  const Scratch scratch;
  std::vector<std::byte> bytes(48);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i + 11);
  std::vector<Piece> pieces;
  for (int d = 0; d <= static_cast<int>(DType::uint16); ++d) {
    const auto dtype = static_cast<DType>(d);
    pieces.push_back(whole_piece(std::string(to_string(dtype)), dtype,
                                 {static_cast<std::int64_t>(48 / itemsize(dtype))}, bytes));
  }
  const Opened opened(save(scratch.path(), {.step = 0}, pieces).path);
  for (const Piece& piece : pieces) {
    EXPECT_EQ(opened.tensor(piece.name).dtype, piece.dtype);
    std::vector<std::byte> got(48);
    opened.read(piece.name, got);
    EXPECT_EQ(got, bytes) << piece.name;
  }
}

TEST(ReadTest, ThreadsMayShareACheckpoint) {
  const Scratch scratch;
  const Model model(2, 64);
  const Opened opened(
      save(scratch.path(), model.state, model.pieces(), {.shard_nbytes_max = 20000}).path,
      Check::on_read);
  std::array<std::jthread, 4> threads;
  std::atomic<int> wrong{0};
  for (std::jthread& thread : threads) {
    thread = std::jthread([&] {
      if (!testing::holds(opened, model)) ++wrong;
    });
  }
  for (std::jthread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ReadTest, WrongRequestsAreRefusedByName) {
  const Scratch scratch;
  const Model model(2);
  const Opened opened(save(scratch.path(), model.state, model.pieces()).path);
  std::vector<std::byte> out(8 * sizeof(float));
  const auto read = [&](const char* name, Extents offset, Extents shape) {
    return error_of([&] { opened.read(name, offset, shape, out); });
  };
  EXPECT_TRUE(says(read("final_nrom.weight", {0}, {8}), ErrorCode::bad_input,
                   {"final_nrom.weight", "nearest: \"final_norm.weight\""}));
  EXPECT_TRUE(says(read("final_norm.weight", {1}, {8}), ErrorCode::bad_input,
                   {"expected a part of", "[8]", "offset [1]"}));
  EXPECT_TRUE(says(read("final_norm.weight", {-1}, {8}), ErrorCode::bad_input, {"offset [-1]"}));
  EXPECT_TRUE(
      says(read("final_norm.weight", {0, 0}, {8, 1}), ErrorCode::bad_input, {"offset [0, 0]"}));
  EXPECT_TRUE(says(read("final_norm.weight", {0}, {7}), ErrorCode::bad_input,
                   {"expected 28 bytes", "found 32"}));
}

TEST(ReadTest, GapsAndOverlapsAreNeverCommitted) {
  const std::vector<float> values(12, 1.0F);
  const auto piece = [&](Extents offset, Extents shape, Extents global = {4, 3},
                         DType dtype = DType::float32) {
    const std::size_t nbytes = *checked_numel(shape) * itemsize(dtype);
    return Piece{"t",
                 dtype,
                 std::move(global),
                 std::move(offset),
                 std::move(shape),
                 std::as_bytes(std::span(values)).first(nbytes),
                 {}};
  };
  struct Case {
    std::vector<Piece> pieces;
    std::string message;
  };
  const std::vector<Case> cases{
      {{piece({0, 0}, {3, 3})}, "pieces hold 9 of 12 elements"},
      {{piece({0, 0}, {3, 3}), piece({2, 0}, {2, 3})}, "overlap"},
      {{piece({0, 0}, {4, 2}), piece({0, 1}, {4, 2})}, "overlap"},
      {{piece({0, 0}, {2, 3}), piece({2, 0}, {2, 3}, {4, 4})},
       "expected all pieces of \"t\" to be of float32 [4, 3]"},
      {{piece({0, 0}, {2, 3}), piece({2, 0}, {2, 3}, {4, 3}, DType::bfloat16)}, "found bfloat16"},
      {{piece({0, 0}, {4, 3}), piece({0, 0}, {4, 3})}, "each name once"},
      {{piece({1, 0}, {4, 3})}, "expected a part of [4, 3]"},
  };
  for (const Case& bad : cases) {
    const Scratch scratch;
    const Model good(1);
    save(scratch.path(), good.state, good.pieces());
    const Error error = error_of([&] { save(scratch.path(), {.step = 2}, bad.pieces); });
    EXPECT_NE(error.message().find(bad.message), std::string::npos) << error.message();
    EXPECT_TRUE(testing::holds(*open_newest(scratch.path()), good));
    EXPECT_TRUE(list(scratch.path()).leftovers.empty());
  }
  const Scratch scratch;
  Piece wrong_size = piece({0, 0}, {4, 3});
  wrong_size.bytes = wrong_size.bytes.first(44);
  const Error error = error_of([&] { save(scratch.path(), {.step = 2}, std::vector{wrong_size}); });
  EXPECT_TRUE(says(error, ErrorCode::failed, {"piece \"t\"", "expected 48 bytes", "found 44"}));
}

}  // namespace
}  // namespace megascale::checkpoint
