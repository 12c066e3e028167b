// Measures the roofs of the machine: fused multiply-adds on registers, products on the tiles of the
// matrix unit, and the bandwidth of STREAM's triad. All threads work at once for a set time.
#include "megascale/kernels/cpu/peak.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "megascale/base/clock.h"
#include "megascale/kernels/cpu/matrix_unit/block.h"
#include "megascale/kernels/cpu/matrix_unit/unit.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/peak.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;

#if HWY_TARGET <= HWY_AVX3
inline constexpr int kAccumulators = 24;
#else
inline constexpr int kAccumulators = 12;  // of 16 vector registers
#endif

// Does `rounds` times kAccumulators fused multiply-adds; returns the FLOPs done. The accumulators
// start with different values; otherwise the compiler would see that they are equal and keep only
// one. They converge to 2, far from overflow and from denormals, which are slow.
double multiply_rounds(std::size_t rounds, float* sink) {
  const Tag d;
  hn::Vec<Tag> sums[kAccumulators];
  for (int i = 0; i < kAccumulators; ++i) sums[i] = hn::Set(d, sink[i]);
  const auto factor = hn::Set(d, 0.5F), addend = hn::Set(d, 1.0F);
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
    for (int i = 0; i < kAccumulators; ++i) sums[i] = hn::MulAdd(sums[i], factor, addend);
  }
  for (int i = 0; i < kAccumulators; ++i) sink[i] = hn::GetLane(sums[i]);
  return 2.0 * static_cast<double>(rounds) * kAccumulators * static_cast<double>(hn::Lanes(d));
}

void triad(float* a, const float* b, const float* c, float s, std::size_t count) {
  const Tag d;
  const auto factor = hn::Set(d, s);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, c + i), hn::LoadU(d, b + i)), d, a + i);
  }
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(multiply_rounds);
HWY_EXPORT(triad);
HWY_EXPORT(target_name);

namespace {

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(monotonic_ns() - start_ns) * 1e-9;
}

PeakRate rate_of(std::vector<double> rates) {
  std::sort(rates.begin(), rates.end());
  return {rates.back(), rates[rates.size() / 2]};
}

// In each repetition, each of `threads` threads calls work(timed) once. timed(window) calls
// window() until the time is over, and returns the total FLOPs. window() works for about a tenth of
// a millisecond and returns the FLOPs it did.
template <class Work>
PeakRate compute_peak(std::size_t threads, const PeakOptions& options, const Work& work) {
  std::vector<double> rates, best_window(threads);
  for (std::size_t repetition = 0; repetition < std::max<std::size_t>(options.repetitions, 1);
       ++repetition) {
    std::vector<double> flops(threads);
    const std::int64_t start = monotonic_ns();
    for_each_unit(threads, threads, [&](std::size_t unit, std::size_t) {
      flops[unit] = work([&](const auto& window) {
        double done = 0;
        do {
          const std::int64_t begin = monotonic_ns();
          const double of_window = window();
          best_window[unit] = std::max(best_window[unit], of_window / seconds_since(begin));
          done += of_window;
        } while (seconds_since(start) < options.seconds);
        return done;
      });
    });
    double total = 0;
    for (const double f : flops) total += f;
    rates.push_back(total / seconds_since(start));
  }
  // A window of a tenth of a millisecond is seldom interrupted. So the sum of the threads' best
  // windows is close to the true roof, even on a machine with other users.
  PeakRate rate = rate_of(std::move(rates));
  rate.best = std::accumulate(best_window.begin(), best_window.end(), 0.0);
  return rate;
}

}  // namespace

PeakRate fma_peak(std::size_t threads, const PeakOptions& options) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(multiply_rounds);
  constexpr std::size_t kRounds = 1 << 14;
  return compute_peak(threads, options, [&](const auto& timed) {
    float sink[24];
    for (int i = 0; i < 24; ++i) sink[i] = 0.5F + 0.01F * static_cast<float>(i);
    const double flops = timed([&] { return kernel(kRounds, sink); });
    return sink[0] > 1e30F ? 0.0 : flops;  // uses the result, so that the compiler keeps the loop
  });
}

PeakRate matrix_unit_peak(std::size_t threads, const PeakOptions& options) {
  if (!matrix_unit_available()) return {};
  return compute_peak(threads, options, [&](const auto& timed) {
    const TilesInUse tiles;
    return timed([] { return multiply_tiles(1 << 12); });
  });
}

PeakRate triad_bandwidth(std::size_t threads, std::size_t nbytes, const PeakOptions& options) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(triad);
  const std::size_t count = nbytes / sizeof(float) / 64 * 64,
                    piece = (count / threads + 63) / 64 * 64;
  const auto a = std::make_unique_for_overwrite<float[]>(count),
             b = std::make_unique_for_overwrite<float[]>(count),
             c = std::make_unique_for_overwrite<float[]>(count);
  // Which thread takes which piece may differ from pass to pass. With several memory nodes, a piece
  // may thus be read from a node other than the thread's own.
  const auto each_piece = [&](auto body) {
    for_each_unit(threads, threads, [&](std::size_t unit, std::size_t) {
      const std::size_t begin = std::min(count, unit * piece), end = std::min(count, begin + piece);
      body(begin, end - begin);
    });
  };
  each_piece([&](std::size_t at,
                 std::size_t n) {  // a page is placed on the node of the thread that fills it
    std::fill_n(a.get() + at, n, 0.0F);
    std::fill_n(b.get() + at, n, 1.0F);
    std::fill_n(c.get() + at, n, 2.0F);
  });
  std::vector<double> rates;
  for (std::size_t repetition = 0; repetition < std::max<std::size_t>(options.repetitions, 1);
       ++repetition) {
    const std::int64_t start = monotonic_ns();
    double moved = 0;
    do {
      each_piece([&](std::size_t at, std::size_t n) {
        kernel(a.get() + at, b.get() + at, c.get() + at, 3.0F, n);
      });
      moved += 12.0 * static_cast<double>(count);
    } while (seconds_since(start) < options.seconds);
    rates.push_back(moved / seconds_since(start));
  }
  return rate_of(std::move(rates));
}

std::string_view vector_target() noexcept { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace megascale::kernels::cpu
#endif
