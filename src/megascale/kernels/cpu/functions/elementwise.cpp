#include "megascale/kernels/cpu/elementwise.h"

#include <algorithm>
#include <array>

#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/column_sum.h"
#include "megascale/kernels/cpu/embedding.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/rope.h"

namespace megascale::kernels::cpu {
namespace {

// The first vocabulary entry of this rank's rows.
std::size_t vocabulary_start(const KernelSpec& spec, std::size_t entries) {
  return tensor_coordinate(spec) * entries;
}

// Under vocabulary parallelism the ranks' rows are added up: only the first one adds positions.
std::unique_ptr<TaskFunction> prepare_embedding(const KernelSpec& spec) {
  const std::size_t entries = spec.size(0, 0);
  const bool adds_positions = spec.has(1) && tensor_coordinate(spec) == 0;
  return function([tokens = Rows(spec, 4), channels = spec.size(4, 1), entries,
                   start = vocabulary_start(spec, entries),
                   adds_positions](const TaskArguments& a) {
    embedding_forward({.tokens = tokens(a),
                       .channels = channels,
                       .y = f32(a, 4),
                       .token = i32(a, 2),
                       .table = f32(a, 0),
                       .vocab_start = start,
                       .vocab_count = entries,
                       .position = adds_positions ? i32(a, 3) : nullptr,
                       .position_table = adds_positions ? f32(a, 1) : nullptr});
  });
}

std::unique_ptr<TaskFunction> prepare_embedding_gradient(const KernelSpec& spec) {
  const std::size_t entries = spec.size(3, 0);
  const EmbeddingBackward words{.tokens = spec.size(0, 0),
                                .channels = spec.size(0, 1),
                                .vocab_start = vocabulary_start(spec, entries),
                                .vocab_count = entries};
  const std::size_t positions = spec.has(4) ? spec.size(4, 0) : 0;
  return function([words, positions](const TaskArguments& a) {
    EmbeddingBackward table = words;
    table.dy = f32(a, 0);
    table.accumulate = !a.first;
    table.index = i32(a, 1);
    table.table_gradient = f32(a, 3);
    embedding_backward(table);
    if (positions == 0) return;
    table.index = i32(a, 2);
    table.vocab_start = 0;
    table.vocab_count = positions;
    table.table_gradient = f32(a, 4);
    embedding_backward(table);
  });
}

std::unique_ptr<TaskFunction> prepare_gelu(const KernelSpec& spec) {
  return function([rows = Rows(spec, 0), channels = spec.size(0, 1)](const TaskArguments& a) {
    gelu_forward({.tokens = rows(a), .channels = channels, .x = f32(a, 0), .y = f32(a, 1)});
  });
}

std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(1, 0), channels = spec.size(1, 1)](const TaskArguments& a) {
    gelu_backward(
        {.tokens = tokens, .channels = channels, .dy = f32(a, 0), .x = f32(a, 1), .dx = f32(a, 2)});
  });
}

std::unique_ptr<TaskFunction> prepare_swiglu(const KernelSpec& spec) {
  return function([rows = Rows(spec, 1), width = spec.size(1, 1)](const TaskArguments& a) {
    swiglu_forward({.tokens = rows(a), .width = width, .x = f32(a, 0), .y = f32(a, 1)});
  });
}

std::unique_ptr<TaskFunction> prepare_swiglu_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(0, 0), width = spec.size(0, 1)](const TaskArguments& a) {
    swiglu_backward(
        {.tokens = tokens, .width = width, .dy = f32(a, 0), .x = f32(a, 1), .dx = f32(a, 2)});
  });
}

std::unique_ptr<TaskFunction> prepare_add(const KernelSpec& spec) {
  return function([rows = Rows(spec, 0), channels = spec.size(0, 1)](const TaskArguments& a) {
    add({.tokens = rows(a), .channels = channels, .a = f32(a, 0), .b = f32(a, 1), .y = f32(a, 2)});
  });
}

std::unique_ptr<TaskFunction> prepare_add_bias(const KernelSpec& spec) {
  return function([rows = spec.size(0, 0), channels = spec.size(0, 1)](const TaskArguments& a) {
    add_bias(
        {.tokens = rows, .channels = channels, .x = f32(a, 0), .bias = f32(a, 1), .y = f32(a, 2)});
  });
}

std::unique_ptr<TaskFunction> prepare_bias_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(0, 0), channels = spec.size(0, 1)](const TaskArguments& a) {
    column_sum({.tokens = tokens,
                .channels = channels,
                .stride = channels,
                .x = f32(a, 0),
                .result = f32(a, 1),
                .accumulate = !a.first,
                .scratch = scratch(a)});
  });
}
std::uint64_t scratch_bias_gradient(const KernelSpec& spec) {
  return column_sum_scratch_bytes(spec.size(0, 0), spec.size(0, 1));
}

// ((block 0 + block 1) + block 2) + ...: the order in which ranks' values are added everywhere.
std::unique_ptr<TaskFunction> prepare_sum_blocks(const KernelSpec& spec) {
  const std::size_t numel = spec.size(1, 0) * spec.size(1, 1);
  return function([numel, blocks = spec.size(0, 0) / spec.size(1, 0)](const TaskArguments& a) {
    const Add shape{.tokens = 1, .channels = numel};
    for (std::size_t b = 1; b < blocks; ++b) {
      Add sum = shape;
      sum.a = b == 1 ? f32(a, 0) : f32(a, 1);
      sum.b = f32(a, 0) + b * numel;
      sum.y = f32(a, 1);
      add(sum);
    }
  });
}

std::unique_ptr<TaskFunction> prepare_rope_table(const KernelSpec& spec) {
  const RopeSettings settings{.positions = spec.size(0, 0),
                              .head_size = spec.size(0, 1),
                              .theta = spec.attributes->real("base")};
  return function([settings](const TaskArguments& a) {
    rope_table(settings, {f32(a, 0), rope_table_size(settings)});
  });
}

// Queries and keys are neighbours in the packed row and turn alike; the values behind them are
// carried over.
template <void (*kRotate)(const Rope&) noexcept>
std::unique_ptr<TaskFunction> prepare_rope(const KernelSpec& spec) {
  const auto heads = static_cast<std::size_t>(spec.attribute("heads")),
             groups = static_cast<std::size_t>(spec.attribute("groups"));
  const auto size = static_cast<std::size_t>(spec.attribute("head_dim"));
  const Rope rope{.heads = heads + groups,
                  .head_size = size,
                  .x_stride = spec.size(0, 1),
                  .y_stride = spec.size(0, 1)};
  return function([rope, rows = Rows(spec, 0)](const TaskArguments& a) {
    Rope bound = rope;
    bound.tokens = rows(a);
    bound.x = f32(a, 0);
    bound.y = f32(a, 3);
    bound.position = i32(a, 1);
    bound.table = f32(a, 2);
    kRotate(bound);
    if (bound.x == bound.y) return;
    const std::size_t rotated = rope.heads * rope.head_size, values = rope.x_stride - rotated;
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < bound.tokens; ++n) {
      const float* from = bound.x + n * rope.x_stride + rotated;
      std::copy(from, from + values, bound.y + n * rope.y_stride + rotated);
    }
  });
}

std::unique_ptr<TaskFunction> prepare_host_copy(const KernelSpec& spec) {
  return function([nbytes = spec.nbytes[0]](const TaskArguments& a) {
    copy({as<std::byte>(a, 1), nbytes}, {as<std::byte>(a, 0), nbytes});
  });
}

}  // namespace

std::span<const Kernel> elementwise_kernels() {
  static constexpr std::array kKernels{
      Kernel{"embedding", Device::cpu, prepare_embedding, nullptr},
      Kernel{"embedding_gradient", Device::cpu, prepare_embedding_gradient, nullptr},
      Kernel{"gelu", Device::cpu, prepare_gelu, nullptr},
      Kernel{"gelu_gradient", Device::cpu, prepare_gelu_gradient, nullptr},
      Kernel{"swiglu", Device::cpu, prepare_swiglu, nullptr},
      Kernel{"swiglu_gradient", Device::cpu, prepare_swiglu_gradient, nullptr},
      Kernel{"add", Device::cpu, prepare_add, nullptr},
      Kernel{"add_bias", Device::cpu, prepare_add_bias, nullptr},
      Kernel{"bias_gradient", Device::cpu, prepare_bias_gradient, scratch_bias_gradient},
      Kernel{"sum_blocks", Device::cpu, prepare_sum_blocks, nullptr},
      Kernel{"rope_table", Device::cpu, prepare_rope_table, nullptr},
      Kernel{"rope", Device::cpu, prepare_rope<rope_forward>, nullptr},
      Kernel{"host_copy", Device::cpu, prepare_host_copy, nullptr},
      Kernel{"rope_gradient", Device::cpu, prepare_rope<rope_backward>, nullptr}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
