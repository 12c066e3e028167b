// Task function of latent attention in decoding. It takes a step's counts as cached_attention does.
#include "megascale/kernels/cpu/latent_decode.h"

#include <array>
#include <vector>

#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/functions/step_counts.h"

namespace megascale::kernels::cpu {
namespace {

LatentDecode latent_decode_config(const KernelSpec& spec) {
  using enum graph::cached_latent_attention::Operand;
  const std::size_t rotated = spec.size(table, 1),
                    sequences = StepCounts::sequences_of(spec.size(counts, 0));
  return {.heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads)),
          .plain = static_cast<std::size_t>(spec.attribute(graph::attribute::head_dim)) - rotated,
          .rotated = rotated,
          .values = static_cast<std::size_t>(spec.attribute(graph::attribute::value_dim)),
          .rank = spec.size(latent, 1),
          .most_tokens = spec.size(query, 0),
          .sequences = sequences,
          .places = spec.size(cache, 0) / sequences,
          .window = static_cast<std::size_t>(spec.attribute(graph::attribute::window)),
          .threads = spec.threads,
          .scale = spec.attributes->real(graph::attribute::scale, 0),
          .soft_cap = spec.attributes->real(graph::attribute::soft_cap, 0)};
}

class CachedLatentAttention {
 public:
  CachedLatentAttention(const LatentDecode& config, std::size_t counted)
      : config_(config), counted_(counted), decoder_(config), sequences_(config.sequences) {}
  std::string operator()(const TaskArguments& a) {
    using enum graph::cached_latent_attention::Operand;
    const StepCounts count(i64(a, counts), counted_);
    std::string problem = count.problem({.rows = static_cast<std::int64_t>(config_.most_tokens),
                                         .places = static_cast<std::int64_t>(config_.places)});
    if (!problem.empty()) return "cached_latent_attention: " + problem;
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      sequences_[i] = {.added = static_cast<std::size_t>(count[i].added),
                       .kept = static_cast<std::size_t>(count[i].kept),
                       .cache = f32(a, cache) + i * config_.places * config_.row()};
    }
    decoder_.run({.sequences = sequences_,
                  .query = f32(a, query),
                  .latent = f32(a, latent),
                  .key_rope = f32(a, key_rope),
                  .table = f32(a, table),
                  .weight = f32(a, weight),
                  .output = f32(a, output),
                  .scratch = a.operands.back()});
    return {};
  }

 private:
  LatentDecode config_;
  std::size_t counted_;  // elements of the counts
  LatentDecoder decoder_;
  std::vector<LatentSequence> sequences_;  // of a step
};

std::unique_ptr<TaskFunction> prepare_latent(const KernelSpec& spec) {
  return checked_function(CachedLatentAttention(
      latent_decode_config(spec), spec.size(graph::cached_latent_attention::counts, 0)));
}
std::uint64_t scratch_latent(const KernelSpec& spec) {
  return LatentDecoder::scratch_bytes(latent_decode_config(spec));
}

}  // namespace

std::span<const Kernel> latent_decode_kernels() {
  static constexpr std::array kKernels{
      Kernel{"cached_latent_attention", Device::cpu, prepare_latent, scratch_latent, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
