#include "megascale/kernels/cuda/head_exchange.h"

#include <algorithm>
#include <array>

#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {
namespace {

template <void (*kExchange)(const HeadExchange&, CUstream_st*) noexcept>
std::unique_ptr<TaskFunction> prepare_heads(const KernelSpec& spec) {
  const auto attribute = [&](const char* name) {
    return static_cast<std::size_t>(spec.attribute(name));
  };
  // The other side has the tokens once per rank.
  const HeadExchange exchange{.tokens = std::min(spec.size(0, 0), spec.size(1, 0)),
                              .heads = attribute("heads"),
                              .groups = attribute("groups"),
                              .head_size = attribute("head_dim"),
                              .ranks = attribute("ranks"),
                              .dtype = dtype_of(spec, 0)};
  return function([exchange](const TaskArguments& a) {
    HeadExchange bound = exchange;
    bound.from = raw(a, 0);
    bound.to = raw(a, 1);
    kExchange(bound, a.stream);
  });
}

template <void (*kExchange)(const SequenceExchange&, CUstream_st*) noexcept>
std::unique_ptr<TaskFunction> prepare_sequences(const KernelSpec& spec) {
  const auto length = static_cast<std::size_t>(spec.attribute("sequence"));
  const SequenceExchange exchange{.sequences = spec.size(0, 0) / length,
                                  .length = length,
                                  .channels = spec.size(0, 1),
                                  .ranks = static_cast<std::size_t>(spec.attribute("ranks")),
                                  .dtype = dtype_of(spec, 0)};
  return function([exchange](const TaskArguments& a) {
    SequenceExchange bound = exchange;
    bound.from = raw(a, 0);
    bound.to = raw(a, 1);
    kExchange(bound, a.stream);
  });
}

}  // namespace

std::span<const Prepare> head_exchange_functions() {
  static constexpr std::array kFunctions{
      Prepare{"split_heads", prepare_heads<split_heads>},
      Prepare{"join_heads", prepare_heads<join_heads>},
      Prepare{"split_sequences", prepare_sequences<split_sequences>},
      Prepare{"join_sequences", prepare_sequences<join_sequences>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
