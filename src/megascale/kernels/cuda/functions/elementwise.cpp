// Task functions of the device for embedding, activations, sums, bias gradients, rotary position
// embedding (RoPE) and the copy of a batch. When an op is prepared, its sizes are taken from the
// shapes of its operands; each task then adds the addresses and the count of the rows.
#include "megascale/kernels/cuda/elementwise.h"

#include <array>

#include "megascale/kernels/cuda/activation.h"
#include "megascale/kernels/cuda/embedding.h"
#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/latent_heads.h"
#include "megascale/kernels/cuda/rope.h"
#include "megascale/kernels/rope_settings.h"

namespace megascale::kernels::cuda {
namespace {

// If the vocabulary is split over ranks, the outputs of the ranks are summed afterwards. So only
// the first rank of the tensor axis adds the rows of the position table.
std::unique_ptr<TaskFunction> prepare_embedding(const KernelSpec& spec) {
  using enum graph::embedding::Operand;
  const bool adds_positions = spec.has(position_table) && tensor_coordinate(spec) == 0;
  const Embedding embedding{.tokens = spec.size(output, 0),
                            .channels = spec.size(output, 1),
                            .dtype = dtype_of(spec, output),
                            .vocab_start = tensor_coordinate(spec) * spec.size(table, 0),
                            .vocab_count = spec.size(table, 0)};
  return function([rows = Rows(spec), embedding, adds_positions](const TaskArguments& a) {
    Embedding bound = embedding;
    bound.counted = rows(a);
    bound.y = raw(a, output);
    bound.token = i32(a, tokens);
    bound.table = raw(a, table);
    if (adds_positions) {
      bound.position = i32(a, positions);
      bound.position_table = raw(a, position_table);
    }
    embedding_forward(bound, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_embedding_gradient(const KernelSpec& spec) {
  using enum graph::embedding_gradient::Operand;
  const EmbeddingGradient words{
      .tokens = spec.size(gradient, 0),
      .channels = spec.size(gradient, 1),
      .dtype = dtype_of(spec, gradient),
      .vocab_start = tensor_coordinate(spec) * spec.size(table_gradient, 0),
      .vocab_count = spec.size(table_gradient, 0)};
  const std::size_t position_count =
      spec.has(position_table_gradient) ? spec.size(position_table_gradient, 0) : 0;
  return function([rows = Rows(spec), words, position_count](const TaskArguments& a) {
    EmbeddingGradient table = words;
    table.counted = rows(a);
    table.dy = raw(a, gradient);
    table.accumulate = !a.first;
    table.scratch = scratch(a);
    table.index = i32(a, tokens);
    table.table_gradient = f32(a, table_gradient);
    embedding_gradient(table, a.stream);
    if (position_count == 0) return;
    table.index = i32(a, positions);
    table.vocab_start = 0;
    table.vocab_count = position_count;
    table.table_gradient = f32(a, position_table_gradient);
    embedding_gradient(table, a.stream);
  });
}

bool is_exact(const KernelSpec& spec) {
  return spec.attributes->integer(graph::attribute::exact, 0) != 0;
}

std::unique_ptr<TaskFunction> prepare_gelu(const KernelSpec& spec) {
  using enum graph::gelu::Operand;
  return function([rows = Rows(spec), channels = spec.size(input, 1), count = elements(spec, input),
                   dtype = dtype_of(spec, input), exact = is_exact(spec)](const TaskArguments& a) {
    gelu_forward({.count = count,
                  .channels = channels,
                  .counted = rows(a),
                  .dtype = dtype,
                  .exact = exact,
                  .x = raw(a, input),
                  .y = raw(a, output)},
                 a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  using enum graph::gelu_gradient::Operand;
  return function([rows = Rows(spec), channels = spec.size(input, 1), count = elements(spec, input),
                   dtype = dtype_of(spec, input), exact = is_exact(spec)](const TaskArguments& a) {
    gelu_gradient({.count = count,
                   .channels = channels,
                   .counted = rows(a),
                   .dtype = dtype,
                   .exact = exact,
                   .dy = raw(a, gradient),
                   .x = raw(a, input),
                   .dx = raw(a, input_gradient)},
                  a.stream);
  });
}

// `Operand` is the enumeration of operands of swiglu or geglu.
template <class Operand, GateForm kForm>
std::unique_ptr<TaskFunction> prepare_gated(const KernelSpec& spec) {
  return function([rows = Rows(spec), tokens = spec.size(Operand::output, 0),
                   width = spec.size(Operand::output, 1),
                   dtype = dtype_of(spec, Operand::output)](const TaskArguments& a) {
    gated_forward({.tokens = tokens,
                   .width = width,
                   .form = kForm,
                   .counted = rows(a),
                   .dtype = dtype,
                   .x = raw(a, Operand::input),
                   .y = raw(a, Operand::output)},
                  a.stream);
  });
}
template <class Operand, GateForm kForm>
std::unique_ptr<TaskFunction> prepare_gated_gradient(const KernelSpec& spec) {
  return function([rows = Rows(spec), tokens = spec.size(Operand::gradient, 0),
                   width = spec.size(Operand::gradient, 1),
                   dtype = dtype_of(spec, Operand::gradient)](const TaskArguments& a) {
    gated_gradient({.tokens = tokens,
                    .width = width,
                    .form = kForm,
                    .counted = rows(a),
                    .dtype = dtype,
                    .dy = raw(a, Operand::gradient),
                    .x = raw(a, Operand::input),
                    .dx = raw(a, Operand::input_gradient)},
                   a.stream);
  });
}

float cap_of(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real(graph::attribute::soft_cap));
}
std::unique_ptr<TaskFunction> prepare_soft_cap(const KernelSpec& spec) {
  using enum graph::soft_cap::Operand;
  return function([rows = Rows(spec), channels = spec.size(input, 1), count = elements(spec, input),
                   dtype = dtype_of(spec, input), cap = cap_of(spec)](const TaskArguments& a) {
    soft_cap_forward({.count = count,
                      .channels = channels,
                      .counted = rows(a),
                      .dtype = dtype,
                      .cap = cap,
                      .x = raw(a, input),
                      .y = raw(a, output)},
                     a.stream);
  });
}
std::unique_ptr<TaskFunction> prepare_soft_cap_gradient(const KernelSpec& spec) {
  using enum graph::soft_cap_gradient::Operand;
  return function([rows = Rows(spec), channels = spec.size(output, 1),
                   count = elements(spec, output), dtype = dtype_of(spec, output),
                   cap = cap_of(spec)](const TaskArguments& a) {
    soft_cap_gradient({.count = count,
                       .channels = channels,
                       .counted = rows(a),
                       .dtype = dtype,
                       .cap = cap,
                       .dy = raw(a, gradient),
                       .y = raw(a, output),
                       .dx = raw(a, input_gradient)},
                      a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_add(const KernelSpec& spec) {
  namespace add_op = graph::add;
  return function([rows = Rows(spec), channels = spec.size(add_op::a, 1),
                   count = elements(spec, add_op::a),
                   dtype = dtype_of(spec, add_op::a)](const TaskArguments& a) {
    add({.count = count,
         .channels = channels,
         .counted = rows(a),
         .dtype = dtype,
         .a = raw(a, add_op::a),
         .b = raw(a, add_op::b),
         .y = raw(a, add_op::output)},
        a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_scale(const KernelSpec& spec) {
  using enum graph::scale::Operand;
  return function([rows = Rows(spec), channels = spec.size(input, 1), count = elements(spec, input),
                   dtype = dtype_of(spec, input),
                   factor = static_cast<float>(spec.attributes->real(graph::attribute::scale))](
                      const TaskArguments& a) {
    scale({.count = count,
           .channels = channels,
           .counted = rows(a),
           .dtype = dtype,
           .factor = factor,
           .x = raw(a, input),
           .y = raw(a, output)},
          a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_add_bias(const KernelSpec& spec) {
  using enum graph::add_bias::Operand;
  return function([rows = Rows(spec), tokens = spec.size(input, 0), channels = spec.size(input, 1),
                   dtype = dtype_of(spec, input)](const TaskArguments& a) {
    add_bias({.tokens = tokens,
              .channels = channels,
              .counted = rows(a),
              .dtype = dtype,
              .x = raw(a, input),
              .bias = raw(a, bias),
              .y = raw(a, output)},
             a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_bias_gradient(const KernelSpec& spec) {
  using enum graph::bias_gradient::Operand;
  return function([rows = Rows(spec), tokens = spec.size(gradient, 0),
                   channels = spec.size(gradient, 1),
                   dtype = dtype_of(spec, gradient)](const TaskArguments& a) {
    column_sum({.tokens = tokens,
                .channels = channels,
                .counted = rows(a),
                .dtype = dtype,
                .x = raw(a, gradient),
                .result = f32(a, bias_gradient),
                .accumulate = !a.first,
                .scratch = reinterpret_cast<float*>(scratch(a))},
               a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_sum_blocks(const KernelSpec& spec) {
  using enum graph::sum_blocks::Operand;
  return function([count = elements(spec, output),
                   block_count = spec.size(blocks, 0) / spec.size(output, 0),
                   dtype = dtype_of(spec, output)](const TaskArguments& a) {
    sum_blocks({.count = count,
                .blocks = block_count,
                .dtype = dtype,
                .sum_dtype = dtype,
                .x = raw(a, blocks),
                .y = raw(a, output)},
               a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_rope_table(const KernelSpec& spec) {
  using enum graph::rope_table::Operand;
  const RopeTable angles{.positions = spec.size(table, 0),
                         .channels = spec.size(table, 1),
                         .base = spec.attributes->real(graph::attribute::base),
                         .scaling = rope_scaling(spec)};
  return function([rows = Rows(spec), angles](const TaskArguments& a) {
    RopeTable bound = angles;
    bound.counted = rows(a);
    bound.position = i32(a, positions);
    bound.table = f32(a, table);
    rope_table(bound, a.stream);
  });
}

// Rotates the queries and keys of packed rows. Query heads and key heads are neighbours in a row,
// so one call rotates both. `kInput` and `kOutput` are the operands that are read and written;
// `Operand` is the op kind's enumeration of operands.
template <class Operand, Operand kInput, Operand kOutput, bool kInverse>
std::unique_ptr<TaskFunction> prepare_rope(const KernelSpec& spec) {
  const Rope turn{.tokens = spec.size(kInput, 0),
                  .row = spec.size(kInput, 1),
                  .heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads) +
                                                    spec.attribute(graph::attribute::groups)),
                  .head_size = static_cast<std::size_t>(spec.attribute(graph::attribute::head_dim)),
                  .rotated = spec.size(Operand::table, 1),
                  .dtype = dtype_of(spec, kInput),
                  .inverse = kInverse};
  return function([rows = Rows(spec), turn](const TaskArguments& a) {
    Rope bound = turn;
    bound.counted = rows(a);
    bound.x = raw(a, kInput);
    bound.y = raw(a, kOutput);
    bound.position = i32(a, Operand::positions);
    bound.table = f32(a, Operand::table);
    rope(bound, a.stream);
  });
}

// Returns the sizes of the op's heads. `Operand` is the op kind's enumeration of operands; `rows` is the one
// that has a row for each token.
template <class Operand>
LatentHeadShape latent_head_shape(const KernelSpec& spec, Operand rows) {
  const std::size_t rotated = spec.size(Operand::table, 1);
  return {.tokens = spec.size(rows, 0),
          .heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads)),
          .plain = static_cast<std::size_t>(spec.attribute(graph::attribute::head_dim)) - rotated,
          .rotated = rotated,
          .values = static_cast<std::size_t>(spec.attribute(graph::attribute::value_dim)),
          .dtype = dtype_of(spec, rows)};
}

std::unique_ptr<TaskFunction> prepare_latent_heads(const KernelSpec& spec) {
  using enum graph::latent_heads::Operand;
  return function(
      [shape = latent_head_shape(spec, query), rows = Rows(spec)](const TaskArguments& a) {
        LatentHeads bound{shape};
        bound.counted = rows(a);
        bound.position = i32(a, positions);
        bound.table = f32(a, table);
        bound.query = raw(a, query);
        bound.key_value = raw(a, key_value);
        bound.key_rope = raw(a, key_rope);
        bound.qkv = raw(a, qkv);
        latent_heads(bound, a.stream);
      });
}

std::unique_ptr<TaskFunction> prepare_latent_heads_gradient(const KernelSpec& spec) {
  using enum graph::latent_heads_gradient::Operand;
  return function(
      [shape = latent_head_shape(spec, gradient), rows = Rows(spec)](const TaskArguments& a) {
        LatentHeadsGradient bound{shape};
        bound.counted = rows(a);
        bound.position = i32(a, positions);
        bound.table = f32(a, table);
        bound.grad_qkv = raw(a, gradient);
        bound.grad_query = raw(a, query_gradient);
        bound.grad_key_value = raw(a, key_value_gradient);
        bound.grad_key_rope = raw(a, key_rope_gradient);
        latent_heads_gradient(bound, a.stream);
      });
}

// Copies a batch from its staging buffer to the device. The copy is asynchronous: on devices,
// staging buffers are in pinned host memory.
std::unique_ptr<TaskFunction> prepare_host_copy(const KernelSpec& spec) {
  using enum graph::host_copy::Operand;
  return function([nbytes = spec.nbytes[staging]](const TaskArguments& a) {
    ::megascale::cuda::copy_async(raw(a, batch), {raw(a, staging), nbytes}, a.stream);
  });
}

}  // namespace

std::span<const Prepare> elementwise_functions() {
  namespace rope = graph::rope;
  namespace rope_gradient = graph::rope_gradient;
  static constexpr std::array kFunctions{
      Prepare{"embedding", prepare_embedding},
      Prepare{"embedding_gradient", prepare_embedding_gradient},
      Prepare{"gelu", prepare_gelu},
      Prepare{"gelu_gradient", prepare_gelu_gradient},
      Prepare{"swiglu", prepare_gated<graph::swiglu::Operand, GateForm::silu>},
      Prepare{"swiglu_gradient",
              prepare_gated_gradient<graph::swiglu_gradient::Operand, GateForm::silu>},
      Prepare{"geglu", prepare_gated<graph::geglu::Operand, GateForm::gelu>},
      Prepare{"geglu_gradient",
              prepare_gated_gradient<graph::geglu_gradient::Operand, GateForm::gelu>},
      Prepare{"soft_cap", prepare_soft_cap},
      Prepare{"soft_cap_gradient", prepare_soft_cap_gradient},
      Prepare{"add", prepare_add},
      Prepare{"scale", prepare_scale},
      Prepare{"add_bias", prepare_add_bias},
      Prepare{"bias_gradient", prepare_bias_gradient},
      Prepare{"sum_blocks", prepare_sum_blocks},
      Prepare{"rope_table", prepare_rope_table},
      Prepare{"rope", prepare_rope<rope::Operand, rope::input, rope::output, false>},
      Prepare{"rope_gradient", prepare_rope<rope_gradient::Operand, rope_gradient::gradient,
                                            rope_gradient::input_gradient, true>},
      Prepare{"latent_heads", prepare_latent_heads},
      Prepare{"latent_heads_gradient", prepare_latent_heads_gradient},
      Prepare{"host_copy", prepare_host_copy}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
