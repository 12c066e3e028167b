// The kernel of sum_in_order_async(): each thread adds the same element of all sources, in the
// order of the sources, so that the result does not depend on timing.
#include "megascale/base/error.h"
#include "megascale/cuda/device_code.h"
#include "megascale/cuda/sum.h"

namespace megascale::cuda {
namespace {

struct Sources {
  const void* at[kMostSources];
  unsigned count;
};

// Reads and writes elements of type T. Sums are computed in type A and rounded to T once, at the
// end.
template <class T, class A>
struct Numbers {
  __device__ static A read(const void* from, std::size_t i) {
    return static_cast<const T*>(from)[i];
  }
  __device__ static void write(void* to, std::size_t i, A value) { static_cast<T*>(to)[i] = value; }
};
template <>
struct Numbers<Bf16, float> {
  __device__ static float read(const void* from, std::size_t i) {
    return to_float(static_cast<const Bf16*>(from)[i]);
  }
  __device__ static void write(void* to, std::size_t i, float value) {
    static_cast<Bf16*>(to)[i] = from_float<Bf16>(value);
  }
};

template <class T, class A>
__global__ void sum_kernel(std::size_t count, Sources sources, void* out) {
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) {
    A sum = Numbers<T, A>::read(sources.at[0], i);
    for (unsigned s = 1; s < sources.count; ++s) sum += Numbers<T, A>::read(sources.at[s], i);
    Numbers<T, A>::write(out, i, sum);
  }
}

}  // namespace

void sum_in_order_async(std::span<std::byte> out, std::span<const std::byte* const> from,
                        DType dtype, CUstream_st* stream) noexcept {
  MEGASCALE_CHECK(from.size() <= kMostSources, "a sum over more ranks than one device holds");
  const std::size_t count = out.size() / itemsize(dtype);
  if (count == 0) return;
  Sources sources{};
  for (const std::byte* source : from) sources.at[sources.count++] = source;
  void* to = out.data();
  switch (dtype) {
    case DType::float32:
      return launch(sum_kernel<float, float>, grid_for(count), stream, count, sources, to);
    case DType::float64:
      return launch(sum_kernel<double, double>, grid_for(count), stream, count, sources, to);
    case DType::int64:
      return launch(sum_kernel<long long, long long>, grid_for(count), stream, count, sources, to);
    case DType::bfloat16:
      return launch(sum_kernel<Bf16, float>, grid_for(count), stream, count, sources, to);
    default:
      MEGASCALE_CHECK(false, "a dtype that ranks do not sum");
  }
}

}  // namespace megascale::cuda
