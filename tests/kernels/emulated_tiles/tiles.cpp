#include "kernels/emulated_tiles/tiles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace megascale::testing::tiles {
namespace {

constexpr std::size_t kTiles = 8, kMostRows = 16, kMostRowBytes = 64;
constexpr std::size_t kMostColumns = kMostRowBytes / sizeof(float);

struct Tile {
  std::size_t rows = 0, row_bytes = 0;
  std::array<std::array<std::byte, kMostRowBytes>, kMostRows> bytes{};
};

struct State {
  bool configured = false;
  std::array<Tile, kTiles> tiles;
};

thread_local State state;

// Fails the test. A kernel that breaks a rule does so in every step, so only the first ones are told.
void fail(const std::string& message) {
  constexpr int kMost = 8;
  static std::atomic<int> told = 0;
  if (told++ < kMost) ADD_FAILURE() << message;
}

// Returns the tile, or null after it has failed the test.
Tile* tile_at(int tile, const char* instruction) {
  if (tile < 0 || static_cast<std::size_t>(tile) >= kTiles) {
    fail(fmt::format("{}: there is no tile {}", instruction, tile));
    return nullptr;
  }
  if (!state.configured) {
    fail(fmt::format("{}: the thread has loaded no configuration", instruction));
    return nullptr;
  }
  return &state.tiles[static_cast<std::size_t>(tile)];
}

float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

float bfloat16_at(const Tile& tile, std::size_t row, std::size_t index) {
  std::uint16_t half = 0;
  std::memcpy(&half, tile.bytes[row].data() + index * sizeof half, sizeof half);
  const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return flushed(value);
}

using Row = std::array<float, kMostColumns>;

// Adds the products of one left value with a row of right values.
void add_products(Row& sums, float left, const Row& right) {
  for (std::size_t n = 0; n < kMostColumns; ++n)
    sums[n] = flushed(std::fma(left, right[n], sums[n]));
}

}  // namespace

void load_configuration(const void* bytes) {
  constexpr std::size_t kRowBytesAt = 16, kRowsAt = 48;
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  state = {};
  if (from[0] != 1) {
    fail(fmt::format("LDTILECFG: expected palette 1, found {}", from[0]));
    return;
  }
  state.configured = true;
  for (std::size_t i = 0; i < kTiles; ++i) {
    std::uint16_t row_bytes = 0;
    std::memcpy(&row_bytes, from + kRowBytesAt + i * sizeof row_bytes, sizeof row_bytes);
    const std::size_t rows = from[kRowsAt + i];
    if (row_bytes > kMostRowBytes || rows > kMostRows) {
      fail(fmt::format("LDTILECFG: tile {} has {} rows of {} bytes", i, rows, row_bytes));
    } else {
      state.tiles[i] = {.rows = rows, .row_bytes = row_bytes};
    }
  }
}

void release() { state = {}; }

void zero(int tile) {
  if (Tile* t = tile_at(tile, "TILEZERO")) t->bytes = {};
}

void load(int tile, const void* base, std::ptrdiff_t stride) {
  Tile* t = tile_at(tile, "TILELOADD");
  if (t == nullptr) return;
  t->bytes = {};
  for (std::size_t row = 0; row < t->rows; ++row)
    std::memcpy(t->bytes[row].data(),
                static_cast<const std::byte*>(base) + static_cast<std::ptrdiff_t>(row) * stride,
                t->row_bytes);
}

void store(int tile, void* base, std::ptrdiff_t stride) {
  const Tile* t = tile_at(tile, "TILESTORED");
  if (t == nullptr) return;
  for (std::size_t row = 0; row < t->rows; ++row)
    std::memcpy(static_cast<std::byte*>(base) + static_cast<std::ptrdiff_t>(row) * stride,
                t->bytes[row].data(), t->row_bytes);
}

void multiply_bfloat16(int sums, int left, int right) {
  Tile* c = tile_at(sums, "TDPBF16PS");
  const Tile *a = tile_at(left, "TDPBF16PS"), *b = tile_at(right, "TDPBF16PS");
  if (c == nullptr || a == nullptr || b == nullptr) return;
  if (sums == left || sums == right || left == right || a->rows != c->rows ||
      b->row_bytes != c->row_bytes || a->row_bytes != b->rows * sizeof(float)) {
    fail(fmt::format("TDPBF16PS: tiles {}, {}, {} do not fit together", sums, left, right));
    return;
  }
  // A row of the right tile has pairs of values, one pair for each column of the sums.
  std::array<std::array<Row, 2>, kMostRows> pairs{};
  const std::size_t columns = c->row_bytes / sizeof(float), depth = b->rows;
  for (std::size_t k = 0; k < depth; ++k)
    for (std::size_t n = 0; n < columns; ++n)
      for (std::size_t i = 0; i < 2; ++i) pairs[k][i][n] = bfloat16_at(*b, k, 2 * n + i);
  for (std::size_t m = 0; m < c->rows; ++m) {
    // The unit adds the first values of all pairs, and the second ones, and then both sums.
    std::array<Row, 2> added{};
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t i = 0; i < 2; ++i)
        add_products(added[i], bfloat16_at(*a, m, 2 * k + i), pairs[k][i]);
    Row row{};
    std::memcpy(row.data(), c->bytes[m].data(), c->row_bytes);
    for (std::size_t n = 0; n < columns; ++n)
      row[n] = flushed(flushed(row[n]) + flushed(added[0][n] + added[1][n]));
    std::memcpy(c->bytes[m].data(), row.data(), c->row_bytes);
  }
}

}  // namespace megascale::testing::tiles
