#ifndef MEGASCALE_SIMULATE_PRODUCT_TILES_H_
#define MEGASCALE_SIMULATE_PRODUCT_TILES_H_

namespace megascale::simulate {

// Returns the factor (at least 1) by which a matrix product with a result of rows x columns takes
// longer than its FLOPs, because a device computes whole tiles in whole rounds: partly filled tiles
// are computed in full, and multiprocessors without a tile in the last round are idle. If there is
// one round only, idle multiprocessors share the inner dimension.
//
// The simulator's costs of ops (compute_costs.h) and the estimates of the layout search use this
// one model. It has no parameters that a calibration fits. `multiprocessors`: as in
// Cluster::Device, at least 1; each computes one tile at a time. Needs rows and columns above 0.
// `groups` results of this size are computed together, each with tiles of its own.
[[nodiscard]] double tile_factor(double rows, double columns, double multiprocessors,
                                 double groups = 1);

// Returns the number of rounds in which the tiles of such a product are computed, at least 1: parts
// of the result that are complete one after the other.
[[nodiscard]] double tile_rounds(double rows, double columns, double multiprocessors,
                                 double groups = 1);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_PRODUCT_TILES_H_
