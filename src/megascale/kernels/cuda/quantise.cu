// Rounds matrices to 8 bits in three kernels: partial maxima of |x|, the scale from them, and the
// rounding. The last one also transposes, through a tile in shared memory, so that both results
// cost one read of the matrix. Where the maxima of all ranks are given, the first kernel is left out.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/quantise.h"
#include "megascale/kernels/float8.h"

namespace megascale::kernels::cuda {
namespace {

using ValuePack = Pack<Bf16, 8>;
using BytePack = Pack<unsigned char, 8>;

constexpr unsigned kTile = 64, kPacks = kTile / 8, kThreads = 256;
constexpr float kMost[] = {kMostE4m3, kMostE5m2};

// Returns |x|, and infinity for a NaN: fmaxf would drop a NaN, but keeps an infinity.
__device__ float magnitude(float x) { return x != x ? INFINITY : fabsf(x); }

// blockIdx.y is the matrix. `packs`: of one matrix.
__global__ void magnitude_parts(std::size_t packs, std::size_t columns, RowCount counted,
                                const ValuePack* x, float* parts) {
  const std::size_t valid = counted_packs<8>(counted, packs, columns);
  x += blockIdx.y * packs;
  float most = 0;
  for (std::size_t i = grid_thread(); i < valid; i += grid_threads()) {
    const ValuePack values = x[i];
    for (int k = 0; k < 8; ++k) most = fmaxf(most, magnitude(to_float(values.at[k])));
  }
  most = block_max(most);
  if (threadIdx.x == 0) parts[blockIdx.y * gridDim.x + blockIdx.x] = most;
}

// Returns the largest of the parts, on thread 0.
__device__ float largest_of(unsigned count, const float* parts) {
  float most = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) most = fmaxf(most, parts[i]);
  return block_max(most);
}

__global__ void largest_part(unsigned count, const float* parts, float* amax) {
  const float most = largest_of(count, parts);
  if (threadIdx.x == 0) *amax = most;
}

// blockIdx.x is the matrix, which has `count` parts.
__global__ void make_scale(unsigned count, const float* parts, float most_of_format,
                           QuantisedScale* scale) {
  const float most = largest_of(count, parts + std::size_t{blockIdx.x} * count);
  if (threadIdx.x != 0) return;
  // The bound keeps the factor finite if all values are tiny. The factor of a zero matrix is 1.
  constexpr float kMostFactor = kMostFloat8Factor;
  const bool finite = most < INFINITY;
  const float factor = finite && most > 0 ? fminf(most_of_format / most, kMostFactor) : 1.0F;
  scale[blockIdx.x].factor = factor;
  scale[blockIdx.x].inverse = finite ? 1.0F / factor : NAN;
}

template <Float8 kFormat>
__device__ unsigned char to_float8(float x) {
  return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, kFormat == Float8::e4m3 ? __NV_E4M3 : __NV_E5M2);
}

// A tile of 64 x 64 in shared memory. Its rows have 4 bytes more, so that the bytes of a column are in
// different banks.
using Tile = unsigned char[kTile][kTile + 4];

// Writes the transpose of a tile, whose first byte is at (first_row, first_column) of (rows, columns).
__device__ void write_transposed(const Tile& tile, std::size_t first_row, std::size_t first_column,
                                 std::size_t rows, std::size_t columns, BytePack* transposed) {
  for (unsigned i = threadIdx.x; i < kTile * kPacks; i += kThreads) {
    const unsigned c = i / kPacks, p = i % kPacks;
    const std::size_t row = first_row + std::size_t{p} * 8, column = first_column + c;
    if (row >= rows || column >= columns) continue;
    BytePack bytes;
    for (unsigned k = 0; k < 8; ++k) bytes.at[k] = tile[p * 8 + k][c];
    transposed[(column * rows + row) / 8] = bytes;
  }
}

// A thread block rounds one tile of 64 x 64 of matrix blockIdx.z.
template <Float8 kFormat>
__global__ void quantise_kernel(std::size_t rows, std::size_t columns, RowCount counted,
                                const ValuePack* x, const QuantisedScale* scale, BytePack* out,
                                BytePack* transposed) {
  __shared__ Tile tile;
  const std::size_t first_row = static_cast<std::size_t>(blockIdx.y) * kTile,
                    first_column = static_cast<std::size_t>(blockIdx.x) * kTile,
                    matrix = blockIdx.z * (rows * columns / 8);
  const std::size_t valid = counted_rows(counted, rows);
  if (transposed == nullptr && first_row >= valid) return;
  const float factor = scale[blockIdx.z].factor;
  for (unsigned i = threadIdx.x; i < kTile * kPacks; i += kThreads) {
    const unsigned r = i / kPacks, p = i % kPacks;
    const std::size_t row = first_row + r, column = first_column + std::size_t{p} * 8;
    if (row >= rows || column >= columns) continue;
    BytePack bytes{};  // zeros beyond the count
    if (row < valid) {
      const std::size_t at = matrix + (row * columns + column) / 8;
      const ValuePack values = x[at];
      for (unsigned k = 0; k < 8; ++k)
        bytes.at[k] = to_float8<kFormat>(to_float(values.at[k]) * factor);
      if (out != nullptr) out[at] = bytes;
    }
    for (unsigned k = 0; k < 8; ++k) tile[r][p * 8 + k] = bytes.at[k];
  }
  if (transposed == nullptr) return;
  __syncthreads();
  write_transposed(tile, first_row, first_column, rows, columns, transposed + matrix);
}

__global__ void transpose_kernel(std::size_t rows, std::size_t columns, const BytePack* codes,
                                 BytePack* transposed) {
  __shared__ Tile tile;
  const std::size_t first_row = static_cast<std::size_t>(blockIdx.y) * kTile,
                    first_column = static_cast<std::size_t>(blockIdx.x) * kTile;
  for (unsigned i = threadIdx.x; i < kTile * kPacks; i += kThreads) {
    const unsigned r = i / kPacks, p = i % kPacks;
    const std::size_t row = first_row + r, column = first_column + std::size_t{p} * 8;
    if (row >= rows || column >= columns) continue;
    const BytePack bytes = codes[(row * columns + column) / 8];
    for (unsigned k = 0; k < 8; ++k) tile[r][p * 8 + k] = bytes.at[k];
  }
  __syncthreads();
  write_transposed(tile, first_row, first_column, rows, columns, transposed);
}

// Writes partial maxima of each matrix to `parts`, and returns how many of one matrix.
unsigned launch_parts(std::size_t matrices, std::size_t packs, std::size_t columns,
                      const RowCount& counted, const ValuePack* x, float* parts,
                      CUstream_st* stream) {
  const std::size_t most = quantise_parts(matrices) / matrices;
  LaunchShape shape = grid_for(packs);
  if (shape.grid.x > most) shape.grid.x = static_cast<unsigned>(most);
  shape.grid.y = static_cast<unsigned>(matrices);
  launch(magnitude_parts, shape, stream, packs, columns, counted, x, parts);
  return shape.grid.x;
}

unsigned tiles(std::size_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); }

}  // namespace

void quantise(const Quantise& args, CUstream_st* stream) noexcept {
  const std::size_t packs = args.rows * args.columns / 8;
  if (packs == 0 || args.matrices == 0) return;
  const auto matrices = static_cast<unsigned>(args.matrices);
  const auto* x = static_cast<const ValuePack*>(args.x);
  const auto format = static_cast<std::size_t>(args.format);
  const float* parts = args.amax;
  auto part_count = static_cast<unsigned>(args.amax_count);
  if (parts == nullptr) {
    part_count =
        launch_parts(args.matrices, packs, args.columns, args.counted, x, args.scratch, stream);
    parts = args.scratch;
  }
  launch(make_scale, {.grid = dim3(matrices), .block = kThreads}, stream, part_count, parts,
         kMost[format], args.scale);
  const LaunchShape tiled{.grid = dim3(tiles(args.columns), tiles(args.rows), matrices),
                          .block = kThreads};
  auto* out = reinterpret_cast<BytePack*>(args.out);
  auto* transposed = reinterpret_cast<BytePack*>(args.transposed);
  launch(
      args.format == Float8::e4m3 ? quantise_kernel<Float8::e4m3> : quantise_kernel<Float8::e5m2>,
      tiled, stream, args.rows, args.columns, args.counted, x, args.scale, out, transposed);
}

void matrix_amax(const MatrixAmax& args, CUstream_st* stream) noexcept {
  const std::size_t packs = args.rows * args.columns / 8;
  if (packs == 0) return;
  const unsigned count = launch_parts(1, packs, args.columns, {},
                                      static_cast<const ValuePack*>(args.x), args.scratch, stream);
  launch(largest_part, {.grid = dim3(1), .block = kThreads}, stream, count, args.scratch,
         args.amax);
}

void transpose_codes(std::size_t rows, std::size_t columns, const std::byte* codes,
                     std::byte* transposed, CUstream_st* stream) noexcept {
  if (rows * columns == 0) return;
  launch(transpose_kernel, {.grid = dim3(tiles(columns), tiles(rows)), .block = kThreads}, stream,
         rows, columns, reinterpret_cast<const BytePack*>(codes),
         reinterpret_cast<BytePack*>(transposed));
}

}  // namespace megascale::kernels::cuda
