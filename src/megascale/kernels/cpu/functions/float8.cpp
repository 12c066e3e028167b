// Task functions of the CPU around transfers of 8-bit values. The rows of each block are constant, or
// counts that an earlier task wrote.
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
        constant_(static_cast<std::size_t>(spec.attribute(attribute::ranks)),
                  static_cast<std::int64_t>(rows) / spec.attribute(attribute::ranks)) {}
  // `counts` is null if the blocks are equal.
  [[nodiscard]] Float8Blocks operator()(const std::int64_t* counts) const noexcept {
    return {.rows = {counts == nullptr ? constant_.data() : counts, constant_.size()},
            .columns = columns_,
            .by_column = by_column_};
  }

 private:
  std::size_t columns_;
  bool by_column_;
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

}  // namespace

std::span<const Kernel> float8_kernels() {
  constexpr bool kSeveral = true;
  static constexpr std::array kKernels{
      Kernel{"pack_float8", Device::cpu, prepare_pack, nullptr, kCountedRows, kSeveral},
      Kernel{"unpack_float8", Device::cpu, prepare_unpack, nullptr, kCountedRows, kSeveral},
      Kernel{"sum_float8", Device::cpu, prepare_sum},
      Kernel{"float8_counts", Device::cpu, prepare_counts}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
