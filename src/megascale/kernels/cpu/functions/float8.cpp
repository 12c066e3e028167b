// Task functions of the CPU around transfers and products of 8-bit values. The rows of each block are
// constant, or counts that an earlier task wrote.
#include "megascale/kernels/cpu/float8.h"

#include <algorithm>
#include <array>
#include <vector>

#include "megascale/graph/ops/float8_ops.h"
#include "megascale/kernels/cpu/float8_blocks.h"
#include "megascale/kernels/cpu/functions/functions.h"

namespace megascale::kernels::cpu {
namespace {

namespace attribute = graph::attribute;

static_assert(kTokenGroup == graph::kFloat8Group, "kernels and shapes have the same groups");

// The blocks of an op, which have `rows` rows together.
class BlocksOf {
 public:
  BlocksOf(const KernelSpec& spec, std::size_t rows, std::size_t columns)
      : columns_(columns),
        by_column_(spec.attribute(attribute::scales) ==
                   static_cast<std::int64_t>(graph::Float8Scales::by_column)),
        one_scale_(spec.attributes->integer(attribute::one_scale, 0) != 0),
        constant_(static_cast<std::size_t>(spec.attribute(attribute::ranks)),
                  static_cast<std::int64_t>(rows) / spec.attribute(attribute::ranks)) {}
  // `counts` is null if the blocks are equal.
  [[nodiscard]] Float8Blocks operator()(const std::int64_t* counts) const noexcept {
    return {.rows = {counts == nullptr ? constant_.data() : counts, constant_.size()},
            .columns = columns_,
            .by_column = by_column_,
            .one_scale = one_scale_};
  }

 private:
  std::size_t columns_;
  bool by_column_, one_scale_;
  std::vector<std::int64_t> constant_;
};

std::unique_ptr<TaskFunction> prepare_pack(const KernelSpec& spec) {
  using enum graph::pack_float8::Operand;
  return function(
      [blocks = BlocksOf(spec, spec.size(input, 0), spec.size(input, 1))](const TaskArguments& a) {
        pack_float8(blocks(as<const std::int64_t>(a, counts)), f32(a, input),
                    as<std::uint8_t>(a, output));
      });
}

std::unique_ptr<TaskFunction> prepare_unpack(const KernelSpec& spec) {
  using enum graph::unpack_float8::Operand;
  return function([blocks = BlocksOf(spec, spec.size(output, 0), spec.size(output, 1))](
                      const TaskArguments& a) {
    unpack_float8(blocks(as<const std::int64_t>(a, counts)), as<const std::uint8_t>(a, packed),
                  f32(a, output));
  });
}

std::unique_ptr<TaskFunction> prepare_sum(const KernelSpec& spec) {
  using enum graph::sum_float8::Operand;
  const auto ranks = static_cast<std::size_t>(spec.attribute(attribute::ranks));
  return function([blocks = BlocksOf(spec, ranks * spec.size(output, 0), spec.size(output, 1))](
                      const TaskArguments& a) {
    sum_float8(blocks(nullptr), as<const std::uint8_t>(a, packed), f32(a, output));
  });
}

std::unique_ptr<TaskFunction> prepare_counts(const KernelSpec& spec) {
  using enum graph::float8_counts::Operand;
  return function([blocks = spec.size(counts, 0)](const TaskArguments& a) {
    const auto* rows = as<const std::int64_t>(a, counts);
    std::transform(rows, rows + blocks, as<std::int64_t>(a, packed_counts),
                   [](std::int64_t count) { return graph::float8_rows(count); });
  });
}

// Rounds by packing into scratch and unpacking, so that both have one definition. If a block has one
// scale, it is packed as a single row.
class RoundFloat8 {
 public:
  explicit RoundFloat8(const KernelSpec& spec)
      : columns_(spec.tensors[graph::round_float8::input]->shape.back().size),
        all_rows_(numel(spec) / columns_),
        whole_(spec.attribute(attribute::scales) ==
               static_cast<std::int64_t>(graph::Float8Scales::whole)),
        blocks_(spec, all_rows_, columns_),
        rows_(spec, graph::round_float8::input),
        is_counted_(!spec.counted.empty() && !spec.has(graph::round_float8::counts)) {}

  void operator()(const TaskArguments& a) const noexcept {
    using enum graph::round_float8::Operand;
    const float* x = f32(a, input);
    float* y = f32(a, output);
    auto* packed = reinterpret_cast<std::uint8_t*>(a.operands.back());
    const auto counted = static_cast<std::int64_t>(is_counted_ ? rows_(a) : 0);
    Float8Blocks blocks = blocks_(as<const std::int64_t>(a, counts));
    if (is_counted_) blocks.rows = {&counted, 1};
    if (!whole_) {
      pack_float8(blocks, x, packed);
      unpack_float8(blocks, packed, y);
      return;
    }
    constexpr std::int64_t kOneRow = 1;
    for (const std::int64_t rows : blocks.rows) {
      const Float8Blocks block{.rows = {&kOneRow, 1},
                               .columns = static_cast<std::size_t>(rows) * columns_};
      pack_float8(block, x, packed);
      unpack_float8(block, packed, y);
      x += block.columns;
      y += block.columns;
    }
  }

  // Returns the bytes of scratch: those of the codes, and of the most scales that there can be.
  static std::uint64_t scratch_bytes(const KernelSpec& spec) {
    const std::size_t columns = spec.tensors[graph::round_float8::input]->shape.back().size,
                      rows = numel(spec) / columns;
    const auto blocks = static_cast<std::size_t>(spec.attribute(attribute::ranks));
    const std::size_t by_column = (rows / kTokenGroup + blocks) * columns;
    return rows * columns + sizeof(float) * std::max(rows, by_column);
  }

 private:
  static std::size_t numel(const KernelSpec& spec) {
    return static_cast<std::size_t>(graph::numel(spec.tensors[graph::round_float8::input]->shape));
  }

  std::size_t columns_, all_rows_;
  bool whole_;
  BlocksOf blocks_;
  Rows rows_;
  bool is_counted_;  // the rows of a single block
};

std::unique_ptr<TaskFunction> prepare_round(const KernelSpec& spec) {
  return function(RoundFloat8(spec));
}

}  // namespace

std::span<const Kernel> float8_kernels() {
  constexpr bool kSeveral = true;
  static constexpr std::array kKernels{
      Kernel{"pack_float8", Device::cpu, prepare_pack, nullptr, kCountedRows, kSeveral},
      Kernel{"unpack_float8", Device::cpu, prepare_unpack, nullptr, kCountedRows, kSeveral},
      Kernel{"sum_float8", Device::cpu, prepare_sum},
      Kernel{"round_float8", Device::cpu, prepare_round, RoundFloat8::scratch_bytes, kCountedRows},
      Kernel{"float8_counts", Device::cpu, prepare_counts}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
