// Measures the rate of a large square product by gemm.h, repeatedly, on a team of a given size. The
// result is the roof for matrix products on this machine.
#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "megascale/base/clock.h"
#include "megascale/kernels/cpu/gemm.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu {
namespace {

// A matrix aligned to pages like the arena of a plan. oneDNN's scratch must be aligned, and unusual
// alignments of operands cost time.
class Matrix {
 public:
  // Fills with values in [-0.5, 0.5). They repeat, but no row or column is constant.
  explicit Matrix(std::size_t count)
      : data_(static_cast<float*>(::operator new(count * sizeof(float), kAlignment))) {
    for (std::size_t i = 0; i < count; ++i)
      data_[i] = static_cast<float>(i * 37 % 251) / 251.0F - 0.5F;
  }
  [[nodiscard]] float* get() const noexcept { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlignment{4096};
  struct Deleter {
    void operator()(float* data) const noexcept { ::operator delete(data, kAlignment); }
  };
  std::unique_ptr<float[], Deleter> data_;
};

}  // namespace

PeakRate gemm_peak(std::size_t threads, std::size_t size, const PeakOptions& options) {
  const TeamSize team(threads);
  const Gemm gemm({.kind = GemmKind::forward, .rows = size, .in = size, .out = size});
  const Matrix x(size * size), w(size * size), y(size * size),
      scratch(gemm.scratch_bytes() / sizeof(float) + 1);
  const GemmOperands operands{.left = x.get(),
                              .right = w.get(),
                              .result = y.get(),
                              .scratch = reinterpret_cast<std::byte*>(scratch.get())};
  const auto edge = static_cast<double>(size);
  const double flops = 2.0 * edge * edge * edge;
  gemm.run(operands);  // starts the team
  std::vector<double> rates;
  const std::int64_t start = monotonic_ns();
  const auto seconds_since = [](std::int64_t begin_ns) {
    return static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  };
  const double enough = options.seconds * static_cast<double>(options.repetitions);
  do {
    const std::int64_t begin = monotonic_ns();
    gemm.run(operands);
    rates.push_back(flops / seconds_since(begin));
  } while (rates.size() < options.repetitions || seconds_since(start) < enough);
  std::sort(rates.begin(), rates.end());
  return {rates.back(), rates[rates.size() / 2]};
}

}  // namespace megascale::kernels::cpu
