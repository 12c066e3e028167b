// Task functions of the device for the copies around the all_to_alls of Ulysses (context
// parallelism).
#include "megascale/kernels/cuda/head_exchange.h"

#include <algorithm>
#include <array>

#include "megascale/graph/attention_row.h"
#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {
namespace {

// `kFrom` and `kTo` are the operands that `kExchange` reads and writes.
template <auto kFrom, auto kTo, void (*kExchange)(const HeadExchange&, CUstream_st*) noexcept>
std::unique_ptr<TaskFunction> prepare_heads(const KernelSpec& spec) {
  const graph::AttentionRow row = graph::attention_row(*spec.attributes);
  // The blocks have each token once per rank, so the smaller number of rows is that of the tokens.
  const HeadExchange exchange{
      .tokens = std::min(spec.size(kFrom, 0), spec.size(kTo, 0)),
      .heads = static_cast<std::size_t>(row.heads),
      .groups = static_cast<std::size_t>(row.groups),
      .head_size = static_cast<std::size_t>(row.head_dim),
      .ranks = static_cast<std::size_t>(spec.attribute(graph::attribute::ranks)),
      .value_size = static_cast<std::size_t>(row.value_dim),
      .dtype = dtype_of(spec, kFrom)};
  return function([exchange](const TaskArguments& a) {
    HeadExchange bound = exchange;
    bound.from = raw(a, kFrom);
    bound.to = raw(a, kTo);
    kExchange(bound, a.stream);
  });
}

template <auto kFrom, auto kTo, void (*kExchange)(const SequenceExchange&, CUstream_st*) noexcept>
std::unique_ptr<TaskFunction> prepare_sequences(const KernelSpec& spec) {
  const auto length = static_cast<std::size_t>(spec.attribute(graph::attribute::sequence));
  const SequenceExchange exchange{
      .sequences = spec.size(kFrom, 0) / length,
      .length = length,
      .channels = spec.size(kFrom, 1),
      .ranks = static_cast<std::size_t>(spec.attribute(graph::attribute::ranks)),
      .dtype = dtype_of(spec, kFrom)};
  return function([exchange](const TaskArguments& a) {
    SequenceExchange bound = exchange;
    bound.from = raw(a, kFrom);
    bound.to = raw(a, kTo);
    kExchange(bound, a.stream);
  });
}

}  // namespace

std::span<const Prepare> head_exchange_functions() {
  static constexpr std::array kFunctions{
      Prepare{"split_heads",
              prepare_heads<graph::split_heads::rows, graph::split_heads::blocks, split_heads>},
      Prepare{"join_heads",
              prepare_heads<graph::join_heads::blocks, graph::join_heads::rows, join_heads>},
      Prepare{"split_sequences",
              prepare_sequences<graph::split_sequences::rows, graph::split_sequences::blocks,
                                split_sequences>},
      Prepare{"join_sequences", prepare_sequences<graph::join_sequences::blocks,
                                                  graph::join_sequences::rows, join_sequences>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
