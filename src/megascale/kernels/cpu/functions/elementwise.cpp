// Task functions of the CPU for embedding, activations, sums, bias gradients, rotary position
// embedding (RoPE) and the copy of a batch. When an op is prepared, its sizes are taken from the
// shapes of its operands; each task then adds the addresses and the number of rows.
#include "megascale/kernels/cpu/elementwise.h"

#include <algorithm>
#include <array>

#include "megascale/kernels/cpu/column_sum.h"
#include "megascale/kernels/cpu/dropout.h"
#include "megascale/kernels/cpu/embedding.h"
#include "megascale/kernels/cpu/functions/activation_functions.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/latent_heads.h"
#include "megascale/kernels/cpu/rope.h"
#include "megascale/kernels/cpu/soft_cap.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/rope_settings.h"

namespace megascale::kernels::cpu {
namespace {

// Returns the first vocabulary entry of this rank's table. Every rank of the tensor axis holds
// `entries` consecutive ones.
std::size_t vocabulary_start(const KernelSpec& spec, std::size_t entries) {
  return tensor_coordinate(spec) * entries;
}

// If the vocabulary is split over ranks, the outputs of the ranks are summed afterwards. So only
// the first rank of the tensor axis adds the rows of the position table.
std::unique_ptr<TaskFunction> prepare_embedding(const KernelSpec& spec) {
  using enum graph::embedding::Operand;
  const std::size_t entries = spec.size(table, 0);
  const bool adds_positions = spec.has(position_table) && tensor_coordinate(spec) == 0;
  return function([rows = Rows(spec, output), channels = spec.size(output, 1), entries,
                   start = vocabulary_start(spec, entries),
                   adds_positions](const TaskArguments& a) {
    embedding_forward({.tokens = rows(a),
                       .channels = channels,
                       .y = f32(a, output),
                       .token = i32(a, tokens),
                       .table = f32(a, table),
                       .vocab_start = start,
                       .vocab_count = entries,
                       .position = adds_positions ? i32(a, positions) : nullptr,
                       .position_table = adds_positions ? f32(a, position_table) : nullptr});
  });
}

std::unique_ptr<TaskFunction> prepare_embedding_gradient(const KernelSpec& spec) {
  using enum graph::embedding_gradient::Operand;
  const std::size_t entries = spec.size(table_gradient, 0);
  const EmbeddingBackward words{.channels = spec.size(gradient, 1),
                                .vocab_start = vocabulary_start(spec, entries),
                                .vocab_count = entries};
  const std::size_t position_count =
      spec.has(position_table_gradient) ? spec.size(position_table_gradient, 0) : 0;
  return function([words, position_count, rows = Rows(spec, gradient)](const TaskArguments& a) {
    EmbeddingBackward table = words;
    table.tokens = rows(a);
    table.dy = f32(a, gradient);
    table.accumulate = !a.first;
    table.index = i32(a, tokens);
    table.table_gradient = f32(a, table_gradient);
    embedding_backward(table);
    if (position_count == 0) return;
    table.index = i32(a, positions);
    table.vocab_start = 0;
    table.vocab_count = position_count;
    table.table_gradient = f32(a, position_table_gradient);
    embedding_backward(table);
  });
}

std::unique_ptr<TaskFunction> prepare_add(const KernelSpec& spec) {
  namespace add_op = graph::add;
  return function(
      [rows = Rows(spec, add_op::a), channels = spec.size(add_op::a, 1)](const TaskArguments& a) {
        add({.tokens = rows(a),
             .channels = channels,
             .a = f32(a, add_op::a),
             .b = f32(a, add_op::b),
             .y = f32(a, add_op::output)});
      });
}

float soft_cap_of(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real(graph::attribute::soft_cap));
}
std::unique_ptr<TaskFunction> prepare_soft_cap(const KernelSpec& spec) {
  using enum graph::soft_cap::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   cap = soft_cap_of(spec)](const TaskArguments& a) {
    soft_cap_forward({.tokens = rows(a),
                      .channels = channels,
                      .cap = cap,
                      .x = f32(a, input),
                      .y = f32(a, output)});
  });
}
std::unique_ptr<TaskFunction> prepare_soft_cap_gradient(const KernelSpec& spec) {
  using enum graph::soft_cap_gradient::Operand;
  return function([rows = Rows(spec, output), channels = spec.size(output, 1),
                   cap = soft_cap_of(spec)](const TaskArguments& a) {
    soft_cap_backward({.tokens = rows(a),
                       .channels = channels,
                       .cap = cap,
                       .dy = f32(a, gradient),
                       .y = f32(a, output),
                       .dx = f32(a, input_gradient)});
  });
}

std::unique_ptr<TaskFunction> prepare_scale(const KernelSpec& spec) {
  using enum graph::scale::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   factor = static_cast<float>(spec.attributes->real(graph::attribute::scale))](
                      const TaskArguments& a) {
    scale({.tokens = rows(a),
           .channels = channels,
           .factor = factor,
           .x = f32(a, input),
           .y = f32(a, output)});
  });
}

std::unique_ptr<TaskFunction> prepare_add_bias(const KernelSpec& spec) {
  using enum graph::add_bias::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        add_bias({.tokens = rows(a),
                  .channels = channels,
                  .x = f32(a, input),
                  .bias = f32(a, bias),
                  .y = f32(a, output)});
      });
}

std::unique_ptr<TaskFunction> prepare_bias_gradient(const KernelSpec& spec) {
  using enum graph::bias_gradient::Operand;
  return function(
      [rows = Rows(spec, gradient), channels = spec.size(gradient, 1)](const TaskArguments& a) {
        column_sum({.tokens = rows(a),
                    .channels = channels,
                    .stride = channels,
                    .x = f32(a, gradient),
                    .result = f32(a, bias_gradient),
                    .accumulate = !a.first,
                    .scratch = scratch(a)});
      });
}
std::uint64_t scratch_bias_gradient(const KernelSpec& spec) {
  using enum graph::bias_gradient::Operand;
  return column_sum_scratch(spec, gradient);
}

// output = ((block 0 + block 1) + block 2) + ..., where each block comes from another rank.
// Collectives add the values of ranks in the same order, so the bits are the same. Needs at least
// two blocks.
std::unique_ptr<TaskFunction> prepare_sum_blocks(const KernelSpec& spec) {
  using enum graph::sum_blocks::Operand;
  const std::size_t numel = spec.size(output, 0) * spec.size(output, 1);
  return function(
      [numel, block_count = spec.size(blocks, 0) / spec.size(output, 0)](const TaskArguments& a) {
        const Add shape{.tokens = 1, .channels = numel};
        for (std::size_t b = 1; b < block_count; ++b) {
          Add sum = shape;
          sum.a = b == 1 ? f32(a, blocks) : f32(a, output);
          sum.b = f32(a, blocks) + b * numel;
          sum.y = f32(a, output);
          add(sum);
        }
      });
}

std::unique_ptr<TaskFunction> prepare_dropout(const KernelSpec& spec) {
  using enum graph::dropout::Operand;
  namespace attribute = graph::attribute;
  if (!spec.has(samples)) {
    throw Error(
        ErrorCode::unsupported,
        "dropout of attention probabilities (kernels.flash_attention = false) can be sized and "
        "simulated, not executed");
  }
  const auto context = static_cast<std::size_t>(graph::Axis::context);
  const auto sequence = static_cast<std::size_t>(spec.attribute(attribute::sequence));
  const std::size_t length = sequence / static_cast<std::size_t>(spec.axes[graph::Axis::context]);
  const Dropout shape{
      .channels = spec.size(input, 1),
      .number = {.sequence = sequence,
                 .length = length,
                 .first_position = spec.coordinates[context] * length,
                 .first_row = tensor_coordinate(spec) * spec.size(input, 0)},
      .draws = {.rate = spec.attributes->real(attribute::rate),
                .seed = static_cast<std::uint64_t>(spec.attribute(attribute::seed)),
                .stream = static_cast<std::uint64_t>(spec.attribute(attribute::stream))}};
  return function([shape, rows = Rows(spec, input)](const TaskArguments& a) {
    Dropout bound = shape;
    bound.rows = rows(a);
    bound.number.sample = i64(a, samples);
    bound.x = f32(a, input);
    bound.y = f32(a, output);
    bound.mask = as<std::uint8_t>(a, mask);
    dropout(bound);
  });
}
std::unique_ptr<TaskFunction> prepare_dropout_gradient(const KernelSpec& spec) {
  using enum graph::dropout_gradient::Operand;
  return function([rate = spec.attributes->real(graph::attribute::rate),
                   rows = Rows(spec, gradient),
                   channels = spec.size(gradient, 1)](const TaskArguments& a) {
    dropout_gradient({.count = rows(a) * channels,
                      .rate = rate,
                      .dy = f32(a, gradient),
                      .mask = as<std::uint8_t>(a, mask),
                      .dx = f32(a, input_gradient)});
  });
}

std::unique_ptr<TaskFunction> prepare_rope_table(const KernelSpec& spec) {
  using enum graph::rope_table::Operand;
  const RopeSettings settings{.channels = spec.size(table, 1),
                              .theta = spec.attributes->real(graph::attribute::base),
                              .scaling = rope_scaling(spec)};
  return function([settings, rows = Rows(spec, table)](const TaskArguments& a) {
    RopeSettings bound = settings;
    bound.positions = rows(a);
    bound.position = i32(a, positions);
    rope_table(bound, {f32(a, table), rope_table_size(bound)});
  });
}

// Rotates the queries and keys of packed rows, and copies the values, which follow them in the row.
// Query heads and key heads are neighbours in a row, so one call rotates both. The values need no
// copy if input and output are the same memory. `kInput` and `kOutput` are the operands that are
// read and written; `Operand` is the op kind's enumeration of operands.
template <class Operand, Operand kInput, Operand kOutput, void (*kRotate)(const Rope&) noexcept>
std::unique_ptr<TaskFunction> prepare_rope(const KernelSpec& spec) {
  const auto heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads)),
             groups = static_cast<std::size_t>(spec.attribute(graph::attribute::groups));
  const auto size = static_cast<std::size_t>(spec.attribute(graph::attribute::head_dim));
  const Rope rope{.heads = heads + groups,
                  .head_size = size,
                  .rotated = spec.size(Operand::table, 1),
                  .x_stride = spec.size(kInput, 1),
                  .y_stride = spec.size(kInput, 1)};
  return function([rope, rows = Rows(spec, kInput)](const TaskArguments& a) {
    Rope bound = rope;
    bound.tokens = rows(a);
    bound.x = f32(a, kInput);
    bound.y = f32(a, kOutput);
    bound.position = i32(a, Operand::positions);
    bound.table = f32(a, Operand::table);
    kRotate(bound);
    if (bound.x == bound.y) return;
    const std::size_t rotated = rope.heads * rope.head_size, values = rope.x_stride - rotated;
    parallel_ranges(bound.tokens, 1, values * 2 * sizeof(float),
                    [&](std::size_t first, std::size_t last) {
                      for (std::size_t n = first; n < last; ++n) {
                        const float* from = bound.x + n * rope.x_stride + rotated;
                        std::copy(from, from + values, bound.y + n * rope.y_stride + rotated);
                      }
                    });
  });
}

// Returns the sizes of the op's heads. `Operand` is the op kind's enumeration of operands.
template <class Operand>
LatentHeadShape latent_head_shape(const KernelSpec& spec) {
  const std::size_t rotated = spec.size(Operand::table, 1);
  return {.heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads)),
          .plain = static_cast<std::size_t>(spec.attribute(graph::attribute::head_dim)) - rotated,
          .rotated = rotated,
          .values = static_cast<std::size_t>(spec.attribute(graph::attribute::value_dim))};
}

std::unique_ptr<TaskFunction> prepare_latent_heads(const KernelSpec& spec) {
  using enum graph::latent_heads::Operand;
  return function([shape = latent_head_shape<graph::latent_heads::Operand>(spec),
                   rows = Rows(spec, query)](const TaskArguments& a) {
    LatentHeads bound{shape};
    bound.tokens = rows(a);
    bound.position = i32(a, positions);
    bound.table = f32(a, table);
    bound.query = f32(a, query);
    bound.key_value = f32(a, key_value);
    bound.key_rope = f32(a, key_rope);
    bound.qkv = f32(a, qkv);
    latent_heads_forward(bound);
  });
}

std::unique_ptr<TaskFunction> prepare_latent_heads_gradient(const KernelSpec& spec) {
  using enum graph::latent_heads_gradient::Operand;
  return function([shape = latent_head_shape<graph::latent_heads_gradient::Operand>(spec),
                   rows = Rows(spec, gradient)](const TaskArguments& a) {
    LatentHeadsGradient bound{shape};
    bound.tokens = rows(a);
    bound.position = i32(a, positions);
    bound.table = f32(a, table);
    bound.grad_qkv = f32(a, gradient);
    bound.grad_query = f32(a, query_gradient);
    bound.grad_key_value = f32(a, key_value_gradient);
    bound.grad_key_rope = f32(a, key_rope_gradient);
    latent_heads_backward(bound);
  });
}

// Copies a batch from the staging buffer to the buffer that the step reads.
std::unique_ptr<TaskFunction> prepare_host_copy(const KernelSpec& spec) {
  using enum graph::host_copy::Operand;
  return function([nbytes = spec.nbytes[staging]](const TaskArguments& a) {
    copy({as<std::byte>(a, batch), nbytes}, {as<std::byte>(a, staging), nbytes});
  });
}

}  // namespace

std::span<const Kernel> elementwise_kernels() {
  namespace rope = graph::rope;
  namespace rope_gradient = graph::rope_gradient;
  static constexpr std::array kKernels{
      Kernel{"embedding", Device::cpu, prepare_embedding, nullptr, kCountedRows},
      Kernel{"embedding_gradient", Device::cpu, prepare_embedding_gradient, nullptr, kCountedRows},
      Kernel{"gelu", Device::cpu, prepare_gelu<gelu_forward>, nullptr, kCountedRows},
      Kernel{"gelu_gradient", Device::cpu, prepare_gelu_gradient<gelu_backward>, nullptr,
             kCountedRows},
      Kernel{"swiglu", Device::cpu,
             prepare_gated<SwigluForward, graph::swiglu::Operand, swiglu_forward>, nullptr,
             kCountedRows},
      Kernel{
          "swiglu_gradient", Device::cpu,
          prepare_gated_gradient<SwigluBackward, graph::swiglu_gradient::Operand, swiglu_backward>,
          nullptr, kCountedRows},
      Kernel{"geglu", Device::cpu,
             prepare_gated<GegluForward, graph::geglu::Operand, geglu_forward>, nullptr,
             kCountedRows},
      Kernel{"geglu_gradient", Device::cpu,
             prepare_gated_gradient<GegluBackward, graph::geglu_gradient::Operand, geglu_backward>,
             nullptr, kCountedRows},
      Kernel{"soft_cap", Device::cpu, prepare_soft_cap, nullptr, kCountedRows},
      Kernel{"soft_cap_gradient", Device::cpu, prepare_soft_cap_gradient, nullptr, kCountedRows},
      Kernel{"add", Device::cpu, prepare_add, nullptr, kCountedRows},
      Kernel{"scale", Device::cpu, prepare_scale, nullptr, kCountedRows},
      Kernel{"add_bias", Device::cpu, prepare_add_bias, nullptr, kCountedRows},
      Kernel{"bias_gradient", Device::cpu, prepare_bias_gradient, scratch_bias_gradient,
             kCountedRows},
      Kernel{"sum_blocks", Device::cpu, prepare_sum_blocks, nullptr},
      Kernel{"dropout", Device::cpu, prepare_dropout, nullptr, kCountedRows},
      Kernel{"dropout_gradient", Device::cpu, prepare_dropout_gradient, nullptr, kCountedRows},
      Kernel{"rope_table", Device::cpu, prepare_rope_table, nullptr, kCountedRows},
      Kernel{"rope", Device::cpu,
             prepare_rope<rope::Operand, rope::input, rope::output, rope_forward>, nullptr,
             kCountedRows},
      Kernel{"latent_heads", Device::cpu, prepare_latent_heads, nullptr, kCountedRows},
      Kernel{"latent_heads_gradient", Device::cpu, prepare_latent_heads_gradient, nullptr,
             kCountedRows},
      Kernel{"host_copy", Device::cpu, prepare_host_copy, nullptr},
      Kernel{"rope_gradient", Device::cpu,
             prepare_rope<rope_gradient::Operand, rope_gradient::gradient,
                          rope_gradient::input_gradient, rope_backward>,
             nullptr, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
