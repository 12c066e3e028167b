#ifndef MEGASCALE_TESTS_KERNELS_EMULATED_TILES_TILES_H_
#define MEGASCALE_TESTS_KERNELS_EMULATED_TILES_TILES_H_

#include <immintrin.h>

#include <cstddef>

// A stand-in for the tiles of a matrix unit (AMX), so that its kernels run on processors without
// one. Source: Intel's architecture instruction set extensions reference, chapter "Intel AMX". Each
// thread has tiles of its own. A rule that is broken (tiles without a configuration, a tile that
// does not exist, shapes that do not fit together) fails the running test.
namespace megascale::testing::tiles {

// LDTILECFG: reads 64 bytes of configuration and sets all tiles to zero.
void load_configuration(const void* bytes);

// TILERELEASE: afterwards the thread has no configuration.
void release();

// TILEZERO.
void zero(int tile);

// TILELOADD, TILESTORED: rows of a tile are `stride` bytes apart in memory.
void load(int tile, const void* base, std::ptrdiff_t stride);
void store(int tile, void* base, std::ptrdiff_t stride);

// TDPBF16PS: adds the product of two tiles of bfloat16 to a tile of float32. Subnormal operands,
// sums and results count as zero.
void multiply_bfloat16(int sums, int left, int right);

}  // namespace megascale::testing::tiles

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbf16ps
#define _tile_loadconfig(bytes) ::megascale::testing::tiles::load_configuration(bytes)
#define _tile_release() ::megascale::testing::tiles::release()
#define _tile_zero(tile) ::megascale::testing::tiles::zero(tile)
#define _tile_loadd(tile, base, stride) ::megascale::testing::tiles::load(tile, base, stride)
#define _tile_stored(tile, base, stride) ::megascale::testing::tiles::store(tile, base, stride)
#define _tile_dpbf16ps(sums, left, right) \
  ::megascale::testing::tiles::multiply_bfloat16(sums, left, right)

#endif  // MEGASCALE_TESTS_KERNELS_EMULATED_TILES_TILES_H_
