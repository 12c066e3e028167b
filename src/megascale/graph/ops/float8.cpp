// Shapes of packed 8-bit rows. Bounds of counted rows: of R rows in n blocks, each block may end with
// a group that is not full, so scales by column take at most R / 128 + n groups.
#include <algorithm>

#include "megascale/graph/ops/float8_ops.h"

namespace megascale::graph {
namespace {

bool by_column(const ShapeContext& context) {
  return context.attributes().integer(attribute::scales) ==
         static_cast<std::int64_t>(Float8Scales::by_column);
}
std::int64_t blocks(const ShapeContext& context) {
  return context.attributes().integer(attribute::ranks);
}
std::int64_t packed_columns(const ShapeContext& context, std::int64_t columns) {
  return by_column(context) ? columns : columns + 4;
}

void require_counts(const ShapeContext& context, std::size_t operand) {
  context.require_shape(operand, {Dim(blocks(context))});
  context.require(context.dtype(operand) == DType::int64, "int64 counts of rows, one per block");
}

void infer_pack(ShapeContext& context) {
  using enum pack_float8::Operand;
  const Shape x = context.shape(input);
  context.require(x.size() == 2 && x[1].size % 4 == 0, "input[N,C], C a multiple of 4");
  context.require(context.has(counts) == x[0].bounded(), "counts if the rows are counted");
  Dim rows = x[0];
  if (x[0].bounded()) {
    require_counts(context, counts);
    if (by_column(context)) {
      require_counts(context, packed_counts);
      rows = float8_rows(x[0], blocks(context));
      rows.count = context.tensor(packed_counts);
      rows.terms = static_cast<std::uint32_t>(blocks(context));
    }
  } else {
    context.require(x[0].size % blocks(context) == 0, "rows that divide into the blocks");
    if (by_column(context)) rows = Dim(blocks(context) * float8_rows(x[0].size / blocks(context)));
  }
  context.output(output, {rows, Dim(packed_columns(context, x[1].size))}, DType::uint8);
}

// Checks that `blocks` blocks of packed bytes hold `rows` rows, and returns the columns of a row.
std::int64_t unpacked_columns(const ShapeContext& context, std::size_t packed, std::int64_t rows,
                              bool are_counted) {
  const Shape& bytes = context.shape(packed);
  context.require(bytes.size() == 2 && context.dtype(packed) == DType::uint8,
                  "packed[rows,bytes] of uint8");
  if (!are_counted) {
    const std::int64_t n = blocks(context);
    context.require(bytes[0].size == (by_column(context) ? n * float8_rows(rows / n) : rows),
                    "as many packed rows as the blocks have");
  }
  return bytes[1].size - packed_columns(context, 0);
}

void infer_unpack(ShapeContext& context) {
  using enum unpack_float8::Operand;
  const Attributes& a = context.attributes();
  Dim rows(a.integer(attribute::rows));
  if (context.has(counts)) {
    require_counts(context, counts);
    rows = Dim(rows.size, context.tensor(counts), 0, static_cast<std::uint32_t>(blocks(context)),
               a.integer(attribute::mean_rows, 0));
  }
  const std::int64_t columns = unpacked_columns(context, packed, rows.size, context.has(counts));
  context.output(output, {rows, Dim(columns)}, static_cast<DType>(a.integer(attribute::dtype)));
}

void infer_sum(ShapeContext& context) {
  using enum sum_float8::Operand;
  const Attributes& a = context.attributes();
  const std::int64_t rows = a.integer(attribute::rows);
  const std::int64_t columns = unpacked_columns(context, packed, rows * blocks(context), false);
  context.output(output, {Dim(rows), Dim(columns)},
                 static_cast<DType>(a.integer(attribute::dtype)));
}

void infer_round(ShapeContext& context) {
  using enum round_float8::Operand;
  const Shape x = context.shape(input);
  const bool is_stack = x.size() == 3 && x[0].size == blocks(context);
  context.require((x.size() == 2 || is_stack) && x.back().size % 4 == 0,
                  "input[N,C] or input[blocks,N,C], C a multiple of 4");
  if (context.has(counts)) require_counts(context, counts);
  context.output(output, x, context.dtype(input));
}

void infer_counts(ShapeContext& context) {
  using enum float8_counts::Operand;
  const Shape shape = context.shape(counts);
  context.require(shape.size() == 1 && context.dtype(counts) == DType::int64, "counts[n] of int64");
  context.output(packed_counts, shape, DType::int64);
}

}  // namespace

Dim float8_rows(const Dim& rows, std::int64_t n) {
  Dim packed(rows.size + 4 * (rows.size / kFloat8Group + n));
  if (rows.mean != 0) packed.mean = std::min(packed.size, n * float8_rows((rows.mean + n - 1) / n));
  return packed;
}

const OpKind<pack_float8::Operand>& pack_float8_op() {
  using enum pack_float8::Operand;
  static const OpKind<pack_float8::Operand> def{
      {.name = "pack_float8",
       .operands =
           operand_table<Reads<input>, MayRead<counts>, MayRead<packed_counts>, Writes<output>>(),
       .infer = infer_pack,
       .packs = true}};
  return def;
}

const OpKind<unpack_float8::Operand>& unpack_float8_op() {
  using enum unpack_float8::Operand;
  static const OpKind<unpack_float8::Operand> def{
      {.name = "unpack_float8",
       .operands = operand_table<Reads<packed>, MayRead<counts>, Writes<output>>(),
       .infer = infer_unpack}};
  return def;
}

const OpKind<sum_float8::Operand>& sum_float8_op() {
  using enum sum_float8::Operand;
  static const OpKind<sum_float8::Operand> def{
      {.name = "sum_float8",
       .operands = operand_table<Reads<packed>, Writes<output>>(),
       .infer = infer_sum}};
  return def;
}

const OpKind<round_float8::Operand>& round_float8_op() {
  using enum round_float8::Operand;
  static const OpKind<round_float8::Operand> def{
      {.name = "round_float8",
       .operands = operand_table<Reads<input>, MayRead<counts>, Writes<output>>(),
       .infer = infer_round}};
  return def;
}

const OpKind<float8_counts::Operand>& float8_counts_op() {
  using enum float8_counts::Operand;
  static const OpKind<float8_counts::Operand> def{
      {.name = "float8_counts",
       .operands = operand_table<Reads<counts>, Writes<packed_counts>>(),
       .infer = infer_counts,
       .runs_once = true}};
  return def;
}

}  // namespace megascale::graph
