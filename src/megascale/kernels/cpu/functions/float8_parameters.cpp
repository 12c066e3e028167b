// Task functions of the CPU for parameters that are kept in 8 bits. A rank has a shard of the masters
// of a bucket; scale_runs.h says which parts of it share a scale, on this rank and on others.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "megascale/graph/ops/float8_parameter_ops.h"
#include "megascale/graph/scale_runs.h"
#include "megascale/kernels/cpu/float8.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/shard_segments.h"

namespace megascale::kernels::cpu {
namespace {

using graph::ScaleRun;

// The runs of this rank's shard of `numel` elements.
std::vector<ScaleRun> own_runs(const KernelSpec& spec, std::uint64_t numel) {
  return graph::scale_runs(spec.segments, shard_begin(spec, numel), numel);
}

// Calls body(first, last) for ranges of runs, in parallel.
template <class Body>
void for_ranges(const std::vector<ScaleRun>& runs, const Body& body) noexcept {
  if (runs.empty()) return;
  const std::size_t numel = runs.back().begin + runs.back().count;
  parallel_ranges(runs.size(), 1, numel / runs.size() * 5, body);
}

std::unique_ptr<TaskFunction> prepare_amax(const KernelSpec& spec) {
  using enum graph::float8_amax::Operand;
  return function([runs = own_runs(spec, spec.nbytes[masters] / sizeof(float)),
                   slots = spec.nbytes[amax] / sizeof(float)](const TaskArguments& a) {
    const float* values = f32(a, masters);
    float* largest = f32(a, amax);
    std::fill(largest + runs.size(), largest + slots, 0.0F);
    for_ranges(runs, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r)
        largest[r] = largest_magnitude(values + runs[r].begin, runs[r].count);
    });
  });
}

class QuantiseFloat8 {
 public:
  explicit QuantiseFloat8(const KernelSpec& spec)
      : numel_(spec.nbytes[graph::quantise_float8::codes]),
        runs_(own_runs(spec, numel_)),
        scales_(spec.nbytes[graph::quantise_float8::scales] / sizeof(float)) {
    const auto shards =
        static_cast<std::uint64_t>(spec.attributes->integer(graph::attribute::shards));
    const std::uint64_t slots = spec.nbytes[graph::quantise_float8::amax] / sizeof(float) / shards;
    scale_of_amax_.assign(shards * slots, kNone);
    for (std::uint64_t s = 0; s < shards; ++s) {
      std::uint64_t slot = s * slots;
      for (const ScaleRun& run : graph::scale_runs(spec.segments, s * numel_, numel_))
        scale_of_amax_[slot++] = run.scale;
    }
  }

  // `scales` holds the largest magnitudes until the codes are written.
  void operator()(const TaskArguments& a) const noexcept {
    using enum graph::quantise_float8::Operand;
    const float* values = f32(a, masters);
    const float* largest = f32(a, amax);
    float* by_scale = f32(a, scales);
    auto* out = as<std::uint8_t>(a, codes);
    std::fill_n(by_scale, scales_, 0.0F);
    for (std::size_t i = 0; i < scale_of_amax_.size(); ++i) {
      if (scale_of_amax_[i] == kNone) continue;
      float& of_scale = by_scale[scale_of_amax_[i]];
      of_scale = larger_magnitude(of_scale, largest[i]);
    }
    clear_padding(out);
    for_ranges(runs_, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        const ScaleRun& run = runs_[r];
        encode_float8(values + run.begin, run.count, float8_factor(by_scale[run.scale]),
                      out + run.begin);
      }
    });
    for (std::size_t s = 0; s < scales_; ++s) by_scale[s] = 1.0F / float8_factor(by_scale[s]);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void clear_padding(std::uint8_t* out) const noexcept {
    std::uint64_t end = 0;
    for (const ScaleRun& run : runs_) {
      std::fill(out + end, out + run.begin, std::uint8_t{0});
      end = run.begin + run.count;
    }
    std::fill(out + end, out + numel_, std::uint8_t{0});
  }

  std::uint64_t numel_;
  std::vector<ScaleRun> runs_;                // of this rank's shard
  std::size_t scales_;                        // of the bucket
  std::vector<std::uint32_t> scale_of_amax_;  // by place in the operand amax
};

std::unique_ptr<TaskFunction> prepare_quantise(const KernelSpec& spec) {
  return function(QuantiseFloat8(spec));
}

std::unique_ptr<TaskFunction> prepare_dequantise(const KernelSpec& spec) {
  using enum graph::dequantise_float8::Operand;
  const std::size_t columns = spec.tensors[codes]->shape.back().size,
                    rows = static_cast<std::size_t>(graph::numel(spec.tensors[codes]->shape)) /
                           columns;
  return function([rows, columns, group = rows / spec.size(scales, 0)](const TaskArguments& a) {
    dequantise_row_groups({.rows = rows,
                           .columns = columns,
                           .codes = as<const std::uint8_t>(a, codes),
                           .inverses = f32(a, scales),
                           .y = f32(a, output)},
                          group);
  });
}

}  // namespace

std::span<const Kernel> float8_parameter_kernels() {
  static constexpr std::array kKernels{
      Kernel{"float8_amax", Device::cpu, prepare_amax},
      Kernel{"quantise_float8", Device::cpu, prepare_quantise},
      Kernel{"dequantise_float8", Device::cpu, prepare_dequantise}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
