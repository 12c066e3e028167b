#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/grouped_table.h"

namespace megascale::kernels::cuda {
namespace {

template <class T>
T* take(std::byte*& memory, std::size_t count) {
  T* begin = reinterpret_cast<T*>(memory);
  memory += grouped_array_bytes(count * sizeof(T));
  return begin;
}

__device__ const void* at(const void* first, std::size_t elements, std::size_t itemsize) {
  return static_cast<const unsigned char*>(first) + elements * itemsize;
}

// `itemsize`: of left and right. `result_itemsize`: of y and dx.
__global__ void write_table_kernel(GroupedProduct a, GroupedTable t, std::size_t itemsize,
                                   std::size_t result_itemsize) {
  for (std::size_t e = threadIdx.x; e < a.experts; e += blockDim.x) {
    const std::size_t row =
        counted_rows({.counts = a.counts, .terms = static_cast<std::uint32_t>(e)}, a.rows);
    const std::size_t rows = counted_rows({.counts = a.counts + e, .terms = 1}, a.rows - row);
    const std::size_t weight = e * a.in * a.out;
    if (a.fp8) t.factors[e] = a.left_scale->inverse * a.right_scales[e].inverse;
    const auto m = static_cast<std::int32_t>(rows), in = static_cast<std::int32_t>(a.in),
               out = static_cast<std::int32_t>(a.out);
    if (a.kind == GemmKind::forward) {
      t.sizes[e] = {m, out, in};
      t.left[e] = at(a.left, row * a.in, itemsize);
      t.right[e] = at(a.right, weight, itemsize);
      t.result[e] = const_cast<void*>(at(a.result, row * a.out, result_itemsize));
      t.left_stride[e] = t.right_stride[e] = in;
      t.result_stride[e] = out;
    } else if (a.kind == GemmKind::input_gradient) {
      t.sizes[e] = {m, in, out};
      t.left[e] = at(a.left, row * a.out, itemsize);
      t.right[e] = at(a.right, weight, itemsize);
      t.result[e] = const_cast<void*>(at(a.result, row * a.in, result_itemsize));
      t.left_stride[e] = out;
      t.right_stride[e] = a.fp8 ? out : in;
      t.result_stride[e] = in;
    } else {
      t.sizes[e] = {m == 0 ? 0 : out, in, m};
      t.left[e] = at(a.left, row * a.out, itemsize);
      t.right[e] = at(a.right, row * a.in, itemsize);
      t.result[e] = const_cast<void*>(at(a.result, weight, sizeof(float)));
      t.left_stride[e] = out;
      t.right_stride[e] = t.result_stride[e] = in;
    }
  }
}

// blockIdx.y is the expert.
__global__ void clear_kernel(GroupedProduct a, GroupedTable t) {
  if (t.sizes[blockIdx.y].m > 0) return;
  auto* result = static_cast<float*>(t.result[blockIdx.y]);
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < a.in * a.out;
       i += std::size_t{gridDim.x} * blockDim.x)
    result[i] = 0;
}

}  // namespace

GroupedTable place_grouped_table(std::byte* memory, std::size_t experts) noexcept {
  GroupedTable table;
  table.sizes = take<GroupedTable::Sizes>(memory, experts);
  table.left = take<const void*>(memory, experts);
  table.right = take<const void*>(memory, experts);
  table.result = take<void*>(memory, experts);
  table.left_stride = take<std::int64_t>(memory, experts);
  table.right_stride = take<std::int64_t>(memory, experts);
  table.result_stride = take<std::int64_t>(memory, experts);
  table.factors = take<float>(memory, experts);
  return table;
}

void write_grouped_table(const GroupedProduct& a, const GroupedTable& table,
                         CUstream_st* stream) noexcept {
  constexpr unsigned kThreads = 256, kBlocksOfExpert = 64;
  launch(write_table_kernel, {.grid = dim3(1), .block = kThreads}, stream, a, table,
         a.fp8 ? std::size_t{1} : itemsize(a.dtype), itemsize(a.dtype));
  if (a.kind != GemmKind::weight_gradient || a.accumulate) return;
  launch(clear_kernel,
         {.grid = dim3(kBlocksOfExpert, static_cast<unsigned>(a.experts)), .block = kThreads},
         stream, a, table);
}

}  // namespace megascale::kernels::cuda
