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

}  // namespace

double tile_factor(double rows, double columns, double multiprocessors, double groups) {
  double least = std::numeric_limits<double>::infinity();
  for (const Tile& tile : kTiles) {
    const double tiles = groups * std::ceil(rows / tile.rows) * std::ceil(columns / tile.columns);
    // With fewer tiles than multiprocessors, several multiprocessors share a tile by splitting the
    // inner dimension.
    const double rounds = tiles < multiprocessors ? 1 / std::floor(multiprocessors / tiles)
                                                  : std::ceil(tiles / multiprocessors);
    least = std::min(least, rounds * multiprocessors * tile.rows * tile.columns);
  }
  return least / (groups * rows * columns);
}

}  // namespace megascale::simulate
