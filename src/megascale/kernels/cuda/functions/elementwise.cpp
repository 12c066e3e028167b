#include "megascale/kernels/cuda/elementwise.h"

#include <array>

#include "megascale/kernels/cuda/activation.h"
#include "megascale/kernels/cuda/embedding.h"
#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/rope.h"

namespace megascale::kernels::cuda {
namespace {

// Under vocabulary parallelism the ranks' rows are added up: only the first one adds positions.
std::unique_ptr<TaskFunction> prepare_embedding(const KernelSpec& spec) {
  const bool adds_positions = spec.has(1) && tensor_coordinate(spec) == 0;
  const Embedding embedding{.tokens = spec.size(4, 0),
                            .channels = spec.size(4, 1),
                            .dtype = dtype_of(spec, 4),
                            .vocab_start = tensor_coordinate(spec) * spec.size(0, 0),
                            .vocab_count = spec.size(0, 0)};
  return function([embedding, adds_positions](const TaskArguments& a) {
    Embedding bound = embedding;
    bound.y = raw(a, 4);
    bound.token = i32(a, 2);
    bound.table = raw(a, 0);
    if (adds_positions) {
      bound.position = i32(a, 3);
      bound.position_table = raw(a, 1);
    }
    embedding_forward(bound, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_embedding_gradient(const KernelSpec& spec) {
  const EmbeddingGradient words{.tokens = spec.size(0, 0),
                                .channels = spec.size(0, 1),
                                .dtype = dtype_of(spec, 0),
                                .vocab_start = tensor_coordinate(spec) * spec.size(3, 0),
                                .vocab_count = spec.size(3, 0)};
  const std::size_t positions = spec.has(4) ? spec.size(4, 0) : 0;
  return function([words, positions](const TaskArguments& a) {
    EmbeddingGradient table = words;
    table.dy = raw(a, 0);
    table.accumulate = !a.first;
    table.index = i32(a, 1);
    table.table_gradient = f32(a, 3);
    embedding_gradient(table, a.stream);
    if (positions == 0) return;
    table.index = i32(a, 2);
    table.vocab_start = 0;
    table.vocab_count = positions;
    table.table_gradient = f32(a, 4);
    embedding_gradient(table, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_gelu(const KernelSpec& spec) {
  return function([count = elements(spec, 0), dtype = dtype_of(spec, 0)](const TaskArguments& a) {
    gelu_forward({.count = count, .dtype = dtype, .x = raw(a, 0), .y = raw(a, 1)}, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  return function([count = elements(spec, 1), dtype = dtype_of(spec, 1)](const TaskArguments& a) {
    gelu_gradient(
        {.count = count, .dtype = dtype, .dy = raw(a, 0), .x = raw(a, 1), .dx = raw(a, 2)},
        a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_swiglu(const KernelSpec& spec) {
  return function([tokens = spec.size(1, 0), width = spec.size(1, 1),
                   dtype = dtype_of(spec, 1)](const TaskArguments& a) {
    swiglu_forward(
        {.tokens = tokens, .width = width, .dtype = dtype, .x = raw(a, 0), .y = raw(a, 1)},
        a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_swiglu_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(0, 0), width = spec.size(0, 1),
                   dtype = dtype_of(spec, 0)](const TaskArguments& a) {
    swiglu_gradient({.tokens = tokens,
                     .width = width,
                     .dtype = dtype,
                     .dy = raw(a, 0),
                     .x = raw(a, 1),
                     .dx = raw(a, 2)},
                    a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_add(const KernelSpec& spec) {
  return function([count = elements(spec, 0), dtype = dtype_of(spec, 0)](const TaskArguments& a) {
    add({.count = count, .dtype = dtype, .a = raw(a, 0), .b = raw(a, 1), .y = raw(a, 2)}, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_add_bias(const KernelSpec& spec) {
  return function([tokens = spec.size(0, 0), channels = spec.size(0, 1),
                   dtype = dtype_of(spec, 0)](const TaskArguments& a) {
    add_bias({.tokens = tokens,
              .channels = channels,
              .dtype = dtype,
              .x = raw(a, 0),
              .bias = raw(a, 1),
              .y = raw(a, 2)},
             a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_bias_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(0, 0), channels = spec.size(0, 1),
                   dtype = dtype_of(spec, 0)](const TaskArguments& a) {
    column_sum({.tokens = tokens,
                .channels = channels,
                .dtype = dtype,
                .x = raw(a, 0),
                .result = f32(a, 1),
                .accumulate = !a.first,
                .scratch = reinterpret_cast<float*>(scratch(a))},
               a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_sum_blocks(const KernelSpec& spec) {
  return function([count = elements(spec, 1), blocks = spec.size(0, 0) / spec.size(1, 0),
                   dtype = dtype_of(spec, 1)](const TaskArguments& a) {
    sum_blocks({.count = count, .blocks = blocks, .dtype = dtype, .x = raw(a, 0), .y = raw(a, 1)},
               a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_rope_table(const KernelSpec& spec) {
  const RopeTable table{.positions = spec.size(0, 0),
                        .head_size = spec.size(0, 1),
                        .base = spec.attributes->real("base")};
  return function([table](const TaskArguments& a) {
    RopeTable bound = table;
    bound.table = f32(a, 0);
    rope_table(bound, a.stream);
  });
}

// Queries and keys are neighbours in the packed row and turn alike.
template <bool kInverse>
std::unique_ptr<TaskFunction> prepare_rope(const KernelSpec& spec) {
  const Rope turn{
      .tokens = spec.size(0, 0),
      .row = spec.size(0, 1),
      .heads = static_cast<std::size_t>(spec.attribute("heads") + spec.attribute("groups")),
      .head_size = static_cast<std::size_t>(spec.attribute("head_dim")),
      .dtype = dtype_of(spec, 0),
      .inverse = kInverse};
  return function([turn](const TaskArguments& a) {
    Rope bound = turn;
    bound.x = raw(a, 0);
    bound.y = raw(a, 3);
    bound.position = i32(a, 1);
    bound.table = f32(a, 2);
    rope(bound, a.stream);
  });
}

// From pinned memory, where runners of a device keep staging buffers.
std::unique_ptr<TaskFunction> prepare_host_copy(const KernelSpec& spec) {
  return function([nbytes = spec.nbytes[0]](const TaskArguments& a) {
    ::megascale::cuda::copy_async(raw(a, 1), {raw(a, 0), nbytes}, a.stream);
  });
}

}  // namespace

std::span<const Prepare> elementwise_functions() {
  static constexpr std::array kFunctions{Prepare{"embedding", prepare_embedding},
                                         Prepare{"embedding_gradient", prepare_embedding_gradient},
                                         Prepare{"gelu", prepare_gelu},
                                         Prepare{"gelu_gradient", prepare_gelu_gradient},
                                         Prepare{"swiglu", prepare_swiglu},
                                         Prepare{"swiglu_gradient", prepare_swiglu_gradient},
                                         Prepare{"add", prepare_add},
                                         Prepare{"add_bias", prepare_add_bias},
                                         Prepare{"bias_gradient", prepare_bias_gradient},
                                         Prepare{"sum_blocks", prepare_sum_blocks},
                                         Prepare{"rope_table", prepare_rope_table},
                                         Prepare{"rope", prepare_rope<false>},
                                         Prepare{"rope_gradient", prepare_rope<true>},
                                         Prepare{"host_copy", prepare_host_copy}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
