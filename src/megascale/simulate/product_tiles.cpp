// The cost of tiles. The factor is the FLOPs that all multiprocessors could do during the rounds of
// tiles, over the FLOPs of the product. The inner dimension is not cut into tiles, so it cancels.
#include "megascale/simulate/product_tiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace megascale::simulate {
namespace {

// Tile shapes of matrix libraries for large products. The model takes the fastest for each product.
struct Tile {
  double rows, columns;
};
constexpr std::array kTiles{Tile{256, 128}, Tile{128, 256}, Tile{128, 128}};

// The rounds of the fastest shape of tiles, and the elements of the result that all multiprocessors
// could compute in them.
struct Rounds {
  double count = 0, elements = std::numeric_limits<double>::infinity();
};

Rounds fastest_rounds(double rows, double columns, double multiprocessors, double groups) {
  Rounds fastest;
  for (const Tile& tile : kTiles) {
    const double tiles = groups * std::ceil(rows / tile.rows) * std::ceil(columns / tile.columns);
    // With fewer tiles than multiprocessors, several multiprocessors share a tile by splitting the
    // inner dimension.
    const double rounds = tiles < multiprocessors ? 1 / std::floor(multiprocessors / tiles)
                                                  : std::ceil(tiles / multiprocessors);
    const double elements = rounds * multiprocessors * tile.rows * tile.columns;
    if (elements < fastest.elements) fastest = {rounds, elements};
  }
  return fastest;
}

}  // namespace

double tile_factor(double rows, double columns, double multiprocessors, double groups) {
  return fastest_rounds(rows, columns, multiprocessors, groups).elements /
         (groups * rows * columns);
}

double tile_rounds(double rows, double columns, double multiprocessors, double groups) {
  return std::max(1.0, fastest_rounds(rows, columns, multiprocessors, groups).count);
}

}  // namespace megascale::simulate
