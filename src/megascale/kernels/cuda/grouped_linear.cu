// Grouped products by blocks that walk over (expert, tile of the result) pairs: the host starts as many
// blocks as a device holds, and each takes every n-th tile. So experts without rows cost nothing, and the
// host need not know the counts. A tile goes through its sums in slices: threads read the next slice into
// registers while the block multiplies the one in shared memory. bfloat16 is multiplied by the matrix
// units, float32 by ordinary arithmetic. 8-bit codes become bfloat16 when they are read.
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/float8_values-inl.h"
#include "megascale/kernels/cuda/grouped_linear.h"
#include "megascale/kernels/cuda/matrix_unit-inl.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kThreads = 256;
// Blocks of a launch: two for each multiprocessor of an H100, which has room for them if elements are
// read in packs (128 registers a thread, 40 KiB a block). Bits do not depend on it.
constexpr std::size_t kMostBlocks = std::size_t{132} * 2;

// An operand of one tile: element (i, k), i < kept, k < terms, of a matrix whose rows (i or k, `kSide`
// says which lie side by side) are `stride` elements apart.
template <class T>
struct Matrix {
  const T* first = nullptr;
  std::size_t stride = 0, kept = 0, terms = 0;
};

// How a type is multiplied: kTile x kTile elements of a result, kSlice terms at a time.
template <class T, Side kLeft, Side kRight>
class Multiplier;

// Eight warps, two by four, compute 64 x 32 elements each. A slice lies in shared memory as in the
// matrix; the gap behind each row spreads rows over the banks.
template <Side kLeft, Side kRight>
class Multiplier<Bf16, kLeft, kRight> {
 public:
  static constexpr unsigned kTile = 128, kSlice = 32, kGap = 8;
  template <Side kSide>
  static constexpr unsigned kStride = (kSide == Side::terms ? kSlice : kTile) + kGap;
  template <Side kSide>
  static constexpr unsigned kSliceElements =
      (kSide == Side::terms ? kTile : kSlice) * kStride<kSide>;

  template <Side kSide, int kWidth>
  __device__ static void put(Bf16* slice, unsigned row, unsigned column, Pack<Bf16, kWidth> pack) {
    *reinterpret_cast<Pack<Bf16, kWidth>*>(slice + row * kStride<kSide> + column) = pack;
  }
  __device__ void clear() {
#pragma unroll
    for (auto& row : sums_) {
      for (SumTile& sum : row) sum.clear();
    }
  }
  __device__ void multiply(const Bf16* left, const Bf16* right) {
#pragma unroll
    for (unsigned k = 0; k < kSlice; k += 16) {
      RightTile<kRight> columns[2];
      for (unsigned j = 0; j < 2; ++j)
        columns[j].load(place<kRight>(right, first_column() + 16 * j, k), kStride<kRight>);
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        LeftTile<kLeft> row;
        row.load(place<kLeft>(left, first_row() + 16 * i, k), kStride<kLeft>);
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) sums_[i][j].add_product(row, columns[j]);
      }
    }
  }
  // Calls body(row, column, values): eight elements of a row that this thread writes. `memory`: shared,
  // of the block; no thread needs its content any more.
  template <class Body>
  __device__ void write(unsigned char* memory, const Body& body) {
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float* staging = reinterpret_cast<float*>(memory) + warp * 256;
    // Unrolled, since sums in registers have no index.
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
#pragma unroll
      for (unsigned j = 0; j < 2; ++j) {
        sums_[i][j].store(staging, 16);
        float values[8];
        for (unsigned n = 0; n < 8; ++n) values[n] = staging[lane / 2 * 16 + lane % 2 * 8 + n];
        body(first_row() + 16 * i + lane / 2, first_column() + 16 * j + lane % 2 * 8, values);
        __syncwarp();  // the next store overwrites what others may still read
      }
    }
  }
  static constexpr int kWritten = 8;

 private:
  template <Side kSide>
  __device__ static const Bf16* place(const Bf16* slice, unsigned kept, unsigned term) {
    return kSide == Side::terms ? slice + kept * kStride<kSide> + term
                                : slice + term * kStride<kSide> + kept;
  }
  __device__ static unsigned first_row() { return threadIdx.x / 128 * 64; }
  __device__ static unsigned first_column() { return threadIdx.x / 32 % 4 * 32; }

  SumTile sums_[4][2];
};

// A thread computes 4 x 4 elements. A slice lies in shared memory term by term, whatever the matrix is.
template <Side kLeft, Side kRight>
class Multiplier<float, kLeft, kRight> {
 public:
  static constexpr unsigned kTile = 64, kSlice = 16, kStride = kTile + 4;
  template <Side kSide>
  static constexpr unsigned kSliceElements = kSlice* kStride;

  template <Side kSide, int kWidth>
  __device__ static void put(float* slice, unsigned row, unsigned column,
                             Pack<float, kWidth> pack) {
    for (unsigned w = 0; w < kWidth; ++w) {
      const unsigned term = kSide == Side::terms ? column + w : row,
                     kept = kSide == Side::terms ? row : column + w;
      slice[term * kStride + kept] = pack.at[w];
    }
  }
  __device__ void clear() {
    for (auto& row : sums_) {
      for (float& sum : row) sum = 0;
    }
  }
  __device__ void multiply(const float* left, const float* right) {
#pragma unroll
    for (unsigned k = 0; k < kSlice; ++k) {
      const auto rows = *reinterpret_cast<const Pack<float, 4>*>(left + k * kStride + first_row());
      const auto columns =
          *reinterpret_cast<const Pack<float, 4>*>(right + k * kStride + first_column());
      for (unsigned i = 0; i < 4; ++i) {
        for (unsigned j = 0; j < 4; ++j) sums_[i][j] += rows.at[i] * columns.at[j];
      }
    }
  }
  template <class Body>
  __device__ void write(unsigned char*, const Body& body) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) body(first_row() + i, first_column(), sums_[i]);
  }
  static constexpr int kWritten = 4;

 private:
  __device__ static unsigned first_row() { return threadIdx.x / 16 * 4; }
  __device__ static unsigned first_column() { return threadIdx.x % 16 * 4; }

  float sums_[4][4];
};

// This thread's part of a slice, in registers. kWidth elements are read at once.
template <class M, class T, Side kSide, int kWidth>
class SlicePart {
 public:
  // Reads terms [k, k + kSlice) of rows [i, i + kTile) of the matrix, and zeros outside of it.
  template <class Item>
  __device__ void read(const Matrix<Item>& matrix, std::size_t i, std::size_t k) {
#pragma unroll
    for (unsigned n = 0; n < kPacks; ++n) {
      const std::size_t row = (kSide == Side::terms ? i : k) + row_of(n),
                        column = (kSide == Side::terms ? k : i) + column_of(n);
      const bool inside = kSide == Side::terms ? row < matrix.kept && column < matrix.terms
                                               : row < matrix.terms && column < matrix.kept;
      packs_[n] = {};
      if (inside) packs_[n] = load<Item>(matrix.first + row * matrix.stride + column);
    }
  }
  __device__ void put(T* slice) const {
#pragma unroll
    for (unsigned n = 0; n < kPacks; ++n)
      M::template put<kSide, kWidth>(slice, row_of(n), column_of(n), packs_[n]);
  }

 private:
  static constexpr unsigned kColumns = (kSide == Side::terms ? M::kSlice : M::kTile) / kWidth,
                            kPacks = M::kSlice * M::kTile / kWidth / kThreads;
  template <class Item>
  __device__ static Pack<T, kWidth> load(const Item* from) {
    const auto items = *reinterpret_cast<const Pack<Item, kWidth>*>(from);
    if constexpr (std::is_same_v<Item, T>) {
      return items;
    } else {
      Pack<T, kWidth> pack;
      for (int w = 0; w < kWidth; ++w) pack.at[w] = from_float<T>(to_float(items.at[w]));
      return pack;
    }
  }
  __device__ static unsigned row_of(unsigned n) { return (n * kThreads + threadIdx.x) / kColumns; }
  __device__ static unsigned column_of(unsigned n) {
    return (n * kThreads + threadIdx.x) % kColumns * kWidth;
  }
  Pack<T, kWidth> packs_[kPacks];
};

// Computes one tile of left right^T, whose first element is (i, j), and calls body as Multiplier::write.
// All threads of the block.
template <class T, Side kLeft, Side kRight, int kWidth, class Left, class Right, class Body>
__device__ void multiply_tile(const Matrix<Left>& left, const Matrix<Right>& right, std::size_t i,
                              std::size_t j, const Body& body) {
  using M = Multiplier<T, kLeft, kRight>;
  constexpr unsigned kLeftElements = M::template kSliceElements<kLeft>,
                     kElements = kLeftElements + M::template kSliceElements<kRight>;
  __align__(128) __shared__ unsigned char memory[2 * kElements * sizeof(T)];
  T* slices = reinterpret_cast<T*>(memory);
  SlicePart<M, T, kLeft, kWidth> left_part;
  SlicePart<M, T, kRight, kWidth> right_part;
  M multiplier;
  multiplier.clear();
  __syncthreads();  // the tile before has been written
  left_part.read(left, i, 0);
  right_part.read(right, j, 0);
  unsigned buffer = 0;
  for (std::size_t k = 0; k < left.terms; k += M::kSlice) {
    T* slice = slices + buffer * kElements;
    left_part.put(slice);
    right_part.put(slice + kLeftElements);
    // The buffer that is written next was read before the barrier of this round.
    __syncthreads();
    if (k + M::kSlice < left.terms) {
      left_part.read(left, i, k + M::kSlice);
      right_part.read(right, j, k + M::kSlice);
    }
    multiplier.multiply(slice, slice + kLeftElements);
    buffer ^= 1U;
  }
  __syncthreads();
  multiplier.write(memory, body);
}

// Writes elements [column, column + kCount) of a row, of which the first `valid` exist.
template <int kCount, int kWidth>
__device__ void write_elements(Bf16* to, const float (&values)[kCount], std::size_t valid, bool) {
  if constexpr (kWidth == kCount) {
    Pack<Bf16, kCount> pack{};
    for (int n = 0; n < kCount; ++n) pack.at[n] = from_float<Bf16>(values[n]);
    if (valid >= kCount) *reinterpret_cast<Pack<Bf16, kCount>*>(to) = pack;
  } else {
    for (int n = 0; n < kCount; ++n) {
      if (static_cast<std::size_t>(n) < valid) to[n] = from_float<Bf16>(values[n]);
    }
  }
}
template <int kCount, int kWidth>
__device__ void write_elements(float* to, const float (&values)[kCount], std::size_t valid,
                               bool accumulate) {
  for (int n = 0; n < kCount; ++n) {
    if (static_cast<std::size_t>(n) < valid) to[n] = accumulate ? to[n] + values[n] : values[n];
  }
}

constexpr std::size_t parts_of(std::size_t count, std::size_t size) {
  return (count + size - 1) / size;
}

// The elements of left and right in memory, multiplied as T. kFloat8: GroupedProduct::fp8.
template <class T, GemmKind kKind, bool kFloat8>
struct Items {
  using Left = T;
  using Right = T;
};
template <GemmKind kKind>
struct Items<Bf16, kKind, true> {
  using Left = std::conditional_t<kKind == GemmKind::forward, E4m3, E5m2>;
  using Right = E4m3;
};

template <class T, int kWidth, GemmKind kKind, bool kFloat8>
__global__ void __launch_bounds__(kThreads, kWidth == 1 ? 1 : 2) grouped_kernel(GroupedProduct a) {
  constexpr bool kOfWeights = kKind == GemmKind::weight_gradient;
  constexpr Side kLeft = kOfWeights ? Side::kept : Side::terms,
                 kRight = kKind == GemmKind::forward || kFloat8 ? Side::terms : Side::kept;
  using Left = typename Items<T, kKind, kFloat8>::Left;
  using Right = typename Items<T, kKind, kFloat8>::Right;
  using M = Multiplier<T, kLeft, kRight>;
  using Result = std::conditional_t<kOfWeights, float, T>;
  const std::size_t columns = kKind == GemmKind::forward ? a.out : a.in;
  const std::size_t weights = a.in * a.out;
  std::size_t row = 0, first_tile = 0, tile = blockIdx.x;
  for (std::size_t e = 0; e < a.experts; ++e) {
    const std::int64_t count = a.counts[e];
    std::size_t rows = count < 0 ? 0 : static_cast<std::size_t>(count);
    if (rows > a.rows - row) rows = a.rows - row;
    const auto* left = static_cast<const Left*>(a.left);
    const auto* right = static_cast<const Right*>(a.right);
    auto* result = static_cast<Result*>(a.result);
    Matrix<Left> of_left{};
    Matrix<Right> of_right{};
    float factor = 1;
    if constexpr (kFloat8) factor = a.left_scale->inverse * a.right_scales[e].inverse;
    std::size_t result_rows = rows;
    if constexpr (kKind == GemmKind::forward) {
      of_left = {left + row * a.in, a.in, rows, a.in};
      of_right = {right + e * weights, a.in, a.out, a.in};
      result += row * a.out;
    } else if constexpr (kKind == GemmKind::input_gradient) {
      of_left = {left + row * a.out, a.out, rows, a.out};
      of_right = {right + e * weights, kFloat8 ? a.out : a.in, a.in, a.out};
      result += row * a.in;
    } else {
      of_left = {left + row * a.out, a.out, a.out, rows};
      of_right = {right + row * a.in, a.in, a.in, rows};
      result += e * weights;
      result_rows = rows == 0 && a.accumulate ? 0 : a.out;
    }
    // Neighbours share columns, so blocks that run together read one part of the weights.
    const std::size_t down = parts_of(result_rows, M::kTile);
    const std::size_t end = first_tile + down * parts_of(columns, M::kTile);
    for (; tile < end; tile += gridDim.x) {
      const std::size_t at = tile - first_tile, i = at % down * M::kTile, j = at / down * M::kTile;
      multiply_tile<T, kLeft, kRight, kWidth>(
          of_left, of_right, i, j, [&](unsigned r, unsigned c, const float(&values)[M::kWritten]) {
            if (i + r >= result_rows || j + c >= columns) return;
            float scaled[M::kWritten];
            for (int n = 0; n < M::kWritten; ++n)
              scaled[n] = kFloat8 ? factor * values[n] : values[n];
            write_elements<M::kWritten, kWidth>(result + (i + r) * columns + j + c, scaled,
                                                columns - j - c, a.accumulate);
          });
    }
    first_tile = end;
    row += rows;
  }
}

template <class T, int kWidth, GemmKind kKind, bool kFloat8 = false>
void launch_kind(const GroupedProduct& a, CUstream_st* stream) {
  constexpr std::size_t kTile = Multiplier<T, Side::terms, Side::terms>::kTile;
  const std::size_t columns = kKind == GemmKind::forward ? a.out : a.in;
  // An expert has at most one tile of rows that is not full.
  const std::size_t down = kKind == GemmKind::weight_gradient
                               ? a.experts * parts_of(a.out, kTile)
                               : a.rows / kTile + (a.experts < a.rows ? a.experts : a.rows);
  const std::size_t most = down * parts_of(columns, kTile);
  const std::size_t blocks = most < 1 ? 1 : (most > kMostBlocks ? kMostBlocks : most);
  launch(grouped_kernel<T, kWidth, kKind, kFloat8>,
         {.grid = dim3(static_cast<unsigned>(blocks)), .block = kThreads}, stream, a);
}

}  // namespace

void grouped_product(const GroupedProduct& a, CUstream_st* stream) noexcept {
  if (a.fp8) {
    return a.kind == GemmKind::forward
               ? launch_kind<Bf16, 8, GemmKind::forward, true>(a, stream)
               : launch_kind<Bf16, 8, GemmKind::input_gradient, true>(a, stream);
  }
  const std::size_t packs = a.in % 8 == 0 && a.out % 8 == 0 ? 8 : 1;
  with_width(a.dtype, packs, [&](auto element, auto width) {
    using T = decltype(element);
    constexpr int kWidth = decltype(width)::value;
    switch (a.kind) {
      case GemmKind::forward:
        return launch_kind<T, kWidth, GemmKind::forward>(a, stream);
      case GemmKind::input_gradient:
        return launch_kind<T, kWidth, GemmKind::input_gradient>(a, stream);
      case GemmKind::weight_gradient:
        return launch_kind<T, kWidth, GemmKind::weight_gradient>(a, stream);
    }
  });
}

}  // namespace megascale::kernels::cuda
