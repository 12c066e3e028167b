// Task functions of the device around transfers of 8-bit values.
#include <array>

#include "megascale/graph/ops/float8_ops.h"
#include "megascale/kernels/cuda/float8_rows.h"
#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {
namespace {

// Returns the blocks of an op, which have `rows` rows together; `values` is the operand that is not packed.
Float8Blocks blocks_of(const KernelSpec& spec, std::size_t rows, OperandName auto values) {
  return {.rows = rows,
          .columns = spec.size(values, 1),
          .blocks = static_cast<std::size_t>(spec.attribute(graph::attribute::ranks)),
          .by_column = spec.attribute(graph::attribute::scales) ==
                       static_cast<std::int64_t>(graph::Float8Scales::by_column),
          .dtype = dtype_of(spec, values)};
}

std::unique_ptr<TaskFunction> prepare_pack(const KernelSpec& spec) {
  using enum graph::pack_float8::Operand;
  return function([blocks = blocks_of(spec, spec.size(input, 0), input)](const TaskArguments& a) {
    Float8Blocks counted = blocks;
    counted.counts = i64(a, counts);
    pack_float8(counted, raw(a, input), as<std::uint8_t>(a, output), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_unpack(const KernelSpec& spec) {
  using enum graph::unpack_float8::Operand;
  return function([blocks = blocks_of(spec, spec.size(output, 0), output)](const TaskArguments& a) {
    Float8Blocks counted = blocks;
    counted.counts = i64(a, counts);
    unpack_float8(counted, as<const std::uint8_t>(a, packed), raw(a, output), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_sum(const KernelSpec& spec) {
  using enum graph::sum_float8::Operand;
  const auto ranks = static_cast<std::size_t>(spec.attribute(graph::attribute::ranks));
  return function(
      [blocks = blocks_of(spec, ranks * spec.size(output, 0), output)](const TaskArguments& a) {
        sum_float8(blocks, as<const std::uint8_t>(a, packed), raw(a, output), a.stream);
      });
}

std::unique_ptr<TaskFunction> prepare_counts(const KernelSpec& spec) {
  using enum graph::float8_counts::Operand;
  return function([blocks = spec.size(counts, 0)](const TaskArguments& a) {
    float8_counts(blocks, i64(a, counts), i64(a, packed_counts), a.stream);
  });
}

}  // namespace

std::span<const Prepare> float8_functions() {
  static constexpr std::array kFunctions{
      Prepare{"pack_float8", prepare_pack}, Prepare{"unpack_float8", prepare_unpack},
      Prepare{"sum_float8", prepare_sum}, Prepare{"float8_counts", prepare_counts}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
