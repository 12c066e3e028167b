#include "megascale/kernels/cpu/head_exchange.h"

#include <algorithm>
#include <array>

#include "megascale/kernels/cpu/functions/functions.h"

namespace megascale::kernels::cpu {
namespace {

template <void (*kExchange)(const HeadExchange&) noexcept>
std::unique_ptr<TaskFunction> prepare_heads(const KernelSpec& spec) {
  const auto attribute = [&](const char* name) {
    return static_cast<std::size_t>(spec.attribute(name));
  };
  HeadExchange exchange{.heads = attribute("heads"),
                        .groups = attribute("groups"),
                        .head_size = attribute("head_dim"),
                        .ranks = attribute("ranks")};
  exchange.tokens = std::min(spec.size(0, 0), spec.size(1, 0));  // the other has them once per rank
  return function([exchange](const TaskArguments& a) {
    HeadExchange bound = exchange;
    bound.from = f32(a, 0);
    bound.to = f32(a, 1);
    kExchange(bound);
  });
}

template <void (*kExchange)(const SequenceExchange&) noexcept>
std::unique_ptr<TaskFunction> prepare_sequences(const KernelSpec& spec) {
  const auto length = static_cast<std::size_t>(spec.attribute("sequence"));
  const SequenceExchange exchange{.sequences = spec.size(0, 0) / length,
                                  .length = length,
                                  .channels = spec.size(0, 1),
                                  .ranks = static_cast<std::size_t>(spec.attribute("ranks"))};
  return function([exchange](const TaskArguments& a) {
    SequenceExchange bound = exchange;
    bound.from = f32(a, 0);
    bound.to = f32(a, 1);
    kExchange(bound);
  });
}

}  // namespace

std::span<const Kernel> head_exchange_kernels() {
  static constexpr std::array kKernels{
      Kernel{"split_heads", Device::cpu, prepare_heads<split_heads>, nullptr},
      Kernel{"join_heads", Device::cpu, prepare_heads<join_heads>, nullptr},
      Kernel{"split_sequences", Device::cpu, prepare_sequences<split_sequences>, nullptr},
      Kernel{"join_sequences", Device::cpu, prepare_sequences<join_sequences>, nullptr}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
