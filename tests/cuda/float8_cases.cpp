// Cases of the kinds around rows that travel in 8 bits. The packed bytes are compared as they are: both
// devices round operands that are equal.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cuda/op_cases.h"
#include "megascale/graph/attribute_names.h"
#include "megascale/graph/ops/float8_ops.h"

namespace megascale::testing {

using graph::Dim;
namespace attribute = graph::attribute;

namespace {

struct PackSetting {
  std::vector<double> blocks;  // rows of each
  std::int64_t columns;
  bool by_column;
  std::int64_t bound = 0;  // 0: the blocks are equal and not counted
};

OpCase pack_case(const PackSetting& s) {
  const auto n = std::ssize(s.blocks);
  const auto rows =
      static_cast<std::int64_t>(std::accumulate(s.blocks.begin(), s.blocks.end(), 0.0));
  std::vector<double> packed_rows;
  for (const double block : s.blocks)
    packed_rows.push_back(
        static_cast<double>(graph::float8_rows(static_cast<std::int64_t>(block))));
  const bool counted = s.bound != 0;
  const std::int64_t bound = counted ? s.bound : rows;
  const std::int64_t packed =
      !s.by_column ? bound
      : counted
          ? graph::float8_rows(Dim(bound), n).size
          : static_cast<std::int64_t>(std::accumulate(packed_rows.begin(), packed_rows.end(), 0.0));
  OperandOf values = input({bound, s.columns});
  // A row, and columns of a group, of zeros; tiny and huge values.
  std::fill_n(values.values.begin(), s.columns, 0.0);
  for (std::size_t i = 1; i < values.values.size(); i += 7) values.values[i] *= 1e-20;
  values.values[static_cast<std::size_t>(s.columns) + 2] = 3e38;
  OpCase op{"pack_float8",
            &graph::pack_float8_op(),
            {values,
             counted ? integers(s.blocks) : absent(),
             counted && s.by_column ? integers(packed_rows) : absent(),
             {{Dim(packed), Dim(s.columns + (s.by_column ? 0 : 4))}, DType::uint8}},
            {{attribute::ranks, n}, {attribute::scales, std::int64_t{s.by_column}}}};
  if (!counted) return op;
  std::fill(op.operands[0].values.begin() + rows * s.columns, op.operands[0].values.end(),
            double{NAN});
  op.counted = {graph::pack_float8::input};
  op.counts = {rows};
  return op;
}

// The packed bytes of a CPU, as an operand.
OperandOf packed_bytes(const OpCase& pack) {
  OperandOf bytes = pack.operands[graph::pack_float8::output];
  bytes.values = run_on_cpu(pack, DType::float32).operands[graph::pack_float8::output];
  return bytes;
}

OpCase unpack_case(const PackSetting& s) {
  const OpCase pack = pack_case(s);
  const std::int64_t rows = pack.operands[graph::pack_float8::input].shape[0].size;
  OpCase op{
      "unpack_float8",
      &graph::unpack_float8_op(),
      {packed_bytes(pack), pack.operands[graph::pack_float8::counts], output({rows, s.columns})},
      pack.attributes};
  if (!pack.counts.empty()) {
    op.counted = {graph::unpack_float8::output};
    op.counts = pack.counts;
  }
  return op;
}

OpCase sum_case(const PackSetting& s) {
  const OpCase pack = pack_case(s);
  return {"sum_float8",
          &graph::sum_float8_op(),
          {packed_bytes(pack), output({static_cast<std::int64_t>(s.blocks.front()), s.columns})},
          pack.attributes};
}

}  // namespace

std::vector<OpCase> float8_cases() {
  std::vector<OpCase> cases;
  for (const bool by_column : {false, true}) {
    const PackSetting one{{9}, 24, by_column}, equal{{150, 150, 150}, 8, by_column},
        counted{{130, 0, 7, 256}, 12, by_column, 500};
    for (const PackSetting& s : {one, equal, counted}) {
      cases.push_back(pack_case(s));
      cases.push_back(unpack_case(s));
    }
    cases.push_back(sum_case(one));
    cases.push_back(sum_case(equal));
  }
  cases.push_back({"float8_counts",
                   &graph::float8_counts_op(),
                   {integers({0, 1, 128, 129, 5000}), {{Dim(5)}, DType::int64}}});
  for (OpCase& op : cases) op.has_own_counts = true;
  return cases;
}

}  // namespace megascale::testing
