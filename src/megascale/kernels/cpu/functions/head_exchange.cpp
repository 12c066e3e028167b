// Task functions of the CPU for the copies around the all_to_alls of Ulysses (context parallelism).
// split_* lays tokens out in one block per rank before an all_to_all, join_* restores rows after
// it; *_heads exchange heads, *_sequences parts of sequences.
#include "megascale/kernels/cpu/head_exchange.h"

#include <algorithm>
#include <array>

#include "megascale/graph/attention_row.h"
#include "megascale/kernels/cpu/functions/functions.h"

namespace megascale::kernels::cpu {
namespace {

// `kFrom` and `kTo` are the operands that `kExchange` reads and writes.
template <auto kFrom, auto kTo, void (*kExchange)(const HeadExchange&) noexcept>
std::unique_ptr<TaskFunction> prepare_heads(const KernelSpec& spec) {
  const graph::AttentionRow row = graph::attention_row(*spec.attributes);
  HeadExchange exchange{.heads = static_cast<std::size_t>(row.heads),
                        .groups = static_cast<std::size_t>(row.groups),
                        .head_size = static_cast<std::size_t>(row.head_dim),
                        .ranks = static_cast<std::size_t>(spec.attribute(graph::attribute::ranks)),
                        .value_size = static_cast<std::size_t>(row.value_dim)};
  exchange.tokens =
      std::min(spec.size(kFrom, 0), spec.size(kTo, 0));  // the blocks have each token once per rank
  return function([exchange](const TaskArguments& a) {
    HeadExchange bound = exchange;
    bound.from = f32(a, kFrom);
    bound.to = f32(a, kTo);
    kExchange(bound);
  });
}

template <auto kFrom, auto kTo, void (*kExchange)(const SequenceExchange&) noexcept>
std::unique_ptr<TaskFunction> prepare_sequences(const KernelSpec& spec) {
  const auto length = static_cast<std::size_t>(spec.attribute(graph::attribute::sequence));
  const SequenceExchange exchange{
      .sequences = spec.size(kFrom, 0) / length,
      .length = length,
      .channels = spec.size(kFrom, 1),
      .ranks = static_cast<std::size_t>(spec.attribute(graph::attribute::ranks))};
  return function([exchange](const TaskArguments& a) {
    SequenceExchange bound = exchange;
    bound.from = f32(a, kFrom);
    bound.to = f32(a, kTo);
    kExchange(bound);
  });
}

}  // namespace

std::span<const Kernel> head_exchange_kernels() {
  static constexpr std::array kKernels{
      Kernel{"split_heads", Device::cpu,
             prepare_heads<graph::split_heads::rows, graph::split_heads::blocks, split_heads>,
             nullptr},
      Kernel{"join_heads", Device::cpu,
             prepare_heads<graph::join_heads::blocks, graph::join_heads::rows, join_heads>,
             nullptr},
      Kernel{"split_sequences", Device::cpu,
             prepare_sequences<graph::split_sequences::rows, graph::split_sequences::blocks,
                               split_sequences>,
             nullptr},
      Kernel{"join_sequences", Device::cpu,
             prepare_sequences<graph::join_sequences::blocks, graph::join_sequences::rows,
                               join_sequences>,
             nullptr}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
