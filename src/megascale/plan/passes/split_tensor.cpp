// Cuts tensor-parallel collectives and the products beside them into pieces, one pattern at a time.
// An all_gather becomes shifts whose rows are multiplied as they arrive. A reduce_scatter becomes
// products whose rows are sent away as they are ready; the received blocks are added at the end, in
// rank order. Pieces are tensors of their own that name a part of the whole tensor (graph::Part),
// so hazards and waits are found as for any other tensor.
#include "megascale/plan/passes/split_tensor.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Axis;
using graph::AxisSet;
using graph::Op;
using graph::TensorId;

namespace attribute = graph::attribute;
namespace collective = graph::collective;

bool is_product(const Op& op) { return op.def->row_product.has_value(); }
TensorId input_of(const Op& product) { return product.operands[product.def->row_product->input]; }
TensorId output_of(const Op& product) { return product.operands[product.def->row_product->output]; }
bool has_addend(const Op& op) {
  return is_product(op) && op.def->row_product->addend &&
         op.operands[*op.def->row_product->addend] != graph::kNoTensor;
}

bool gathers(const Op& op) { return op.def == &graph::all_gather_op(); }
bool scatters_sums(const Op& op) { return op.def == &graph::reduce_scatter_op(); }
bool adds_two(const Op& op) { return op.def == &graph::add_op(); }

bool over_tensor(const Op& op) {
  return AxisSet::from_bits(static_cast<std::uint8_t>(op.attributes.integer(attribute::axes, 0))) ==
         AxisSet{Axis::tensor};
}

// Some rows of a tensor that holds one block of rows per rank.
struct Rows {
  std::uint32_t k = 0;                // in the block of the rank that is k further in the group
  std::int64_t begin = 0, count = 0;  // in that block
  std::string name;                   // suffix for the names of the piece
};

class Split {
 public:
  Split(graph::Program& program, const SplitTensor& options)
      : program_(&program), options_(options) {}

  void run(std::vector<Op>& ops) {
    plan_sums(ops);
    std::vector<Op> out;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (merged_.contains(i)) continue;  // emitted together with the addition behind it
      const Op op = ops[i];
      if (const auto sum = sums_.find(i); sum != sums_.end()) {
        emit_partial(ops, i, ops[sum->second], out);
      } else if (scatters_sums(op) && staging_.contains(op.operands[collective::send])) {
        emit_sum(op, out);
      } else if (gathers(op) && over_tensor(op) && feeds_product(ops, i)) {
        const TensorId whole = op.operands[collective::receive];
        gathered_[whole] = block_rows(whole);
        if (options_.overlap) {
          emit_gather(op, out);
        } else {
          out.push_back(op);
        }
      } else if (is_product(op) && gathered_.contains(input_of(op))) {
        emit_own_products(ops, i, out);
        emit_peers_products(op, out);
      } else {
        out.push_back(op);
      }
    }
    ops = std::move(out);
    sums_.clear();
    merged_.clear();
  }

 private:
  // Returns the number of rows in one rank's block.
  [[nodiscard]] std::int64_t block_rows(TensorId whole) const {
    const std::int64_t rows = program_->tensor(whole).shape[0].size;
    MEGASCALE_CHECK(rows % (std::int64_t{options_.ranks} * options_.pieces) == 0,
                    "rows divide by tensor ranks x pieces");
    return rows / options_.ranks;
  }

  // Adds a tensor that names these rows of `whole`, which has `blocks` blocks.
  TensorId part(TensorId whole, const Rows& rows, std::uint32_t blocks) {
    graph::Tensor tensor = program_->tensor(whole);
    tensor.name += rows.name;
    tensor.shape[0] = graph::Dim(rows.count);
    tensor.part = {
        .whole = whole, .axes = {Axis::tensor}, .k = rows.k, .n = blocks, .begin = rows.begin};
    program_->tensors.push_back(std::move(tensor));
    return TensorId{static_cast<std::uint32_t>(program_->tensors.size() - 1)};
  }
  TensorId block_part(TensorId whole, const Rows& rows) {
    return part(whole, rows, options_.ranks);
  }

  // All rows of this rank's own block.
  [[nodiscard]] static Rows own(std::int64_t block) { return {0, 0, block, "/own"}; }
  // The pieces of the block of the rank that is k further.
  [[nodiscard]] std::vector<Rows> pieces_of(std::uint32_t k, std::int64_t block) const {
    const std::int64_t count = block / options_.pieces;
    std::vector<Rows> rows;
    for (std::uint32_t p = 0; p < options_.pieces; ++p) {
      rows.push_back({k, p * count, count, fmt::format("/peer{}/piece{}", k, p)});
    }
    return rows;
  }

  // Returns whether the first reader of the gathered tensor is a product over its rows.
  static bool feeds_product(const std::vector<Op>& ops, std::size_t gather) {
    const TensorId output = ops[gather].operands[collective::receive];
    for (std::size_t i = gather + 1; i < ops.size(); ++i) {
      for (std::size_t o = 0; o < ops[i].operands.size(); ++o) {
        if (ops[i].operands[o] == output)
          return is_product(ops[i]) && o == ops[i].def->row_product->input;
      }
    }
    return false;
  }

  Op shift(const Op& original, std::uint32_t offset, TensorId send, TensorId receive,
           const std::string& piece) {
    Op op = original;
    op.def = &graph::shift_op();
    op.operands =
        in_order(graph::shift_op(), {{collective::send, send}, {collective::receive, receive}},
                 graph::kNoTensor);
    op.attributes.set(attribute::offset, std::int64_t{offset});
    op.path += piece;
    return op;
  }

  void emit_gather(const Op& gather, std::vector<Op>& out) {
    const TensorId shard = gather.operands[collective::send];
    const TensorId whole = gather.operands[collective::receive];
    const std::int64_t block = block_rows(whole);
    const Rows mine = own(block);
    out.push_back(shift(gather, 0, shard, piece_of(whole, mine), mine.name));
    for (std::uint32_t k = 1; k < options_.ranks; ++k) {
      for (const Rows& rows : pieces_of(k, block)) {
        Rows sent = rows;
        sent.k = 0;
        out.push_back(shift(gather, k, part(shard, sent, 1), piece_of(whole, rows), rows.name));
      }
    }
  }

  // Returns the tensor for these rows. The transfer that writes a piece and all products that read
  // it share one tensor.
  TensorId piece_of(TensorId whole, const Rows& rows) {
    const auto key = std::tuple(whole, rows.k, rows.begin, rows.count);
    const auto found = parts_.find(key);
    if (found != parts_.end()) return found->second;
    return parts_[key] = block_part(whole, rows);
  }

  Op product_piece(const Op& product, const Rows& rows, TensorId output) {
    Op piece = product;
    piece.path += rows.name;
    const graph::RowProduct& rule = *product.def->row_product;
    piece.operands[rule.input] = piece_of(product.operands[rule.input], rows);
    if (has_addend(product)) {
      piece.operands[*rule.addend] = block_part(product.operands[*rule.addend], rows);
    }
    piece.operands[rule.output] = output;
    return piece;
  }

  void emit_rows(const Op& product, const Rows& rows, std::vector<Op>& out) {
    out.push_back(product_piece(product, rows, block_part(output_of(product), rows)));
  }

  // Emits this rank's own rows of the product at `first`. Does the same for all later products that
  // read the same gathered tensor and otherwise need only weights. All of them run during the
  // gather.
  void emit_own_products(const std::vector<Op>& ops, std::size_t first, std::vector<Op>& out) {
    const TensorId gathered = input_of(ops[first]);
    for (std::size_t i = first; i < ops.size(); ++i) {
      const Op& op = ops[i];
      const bool reads_it = is_product(op) && input_of(op) == gathered;
      if (!reads_it || sums_.contains(i) || merged_.contains(i) || (i != first && has_addend(op)))
        continue;
      if (!own_products_.insert(output_of(op)).second) continue;
      emit_rows(op, own(gathered_.at(gathered)), out);
    }
  }

  void emit_peers_products(const Op& product, std::vector<Op>& out) {
    const std::int64_t block = gathered_.at(input_of(product));
    for (std::uint32_t k = 1; k < options_.ranks; ++k) {
      for (const Rows& rows : pieces_of(k, block)) emit_rows(product, rows, out);
    }
  }

  // Finds the ops whose results are summed over ranks, and the products that are merged with the
  // addition behind them.
  void plan_sums(const std::vector<Op>& ops) {
    std::map<TensorId, std::size_t> writer;
    std::map<TensorId, std::size_t> readers;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      for (std::size_t o = 0; o < ops[i].operands.size(); ++o) {
        const TensorId operand = ops[i].operands[o];
        if (operand == graph::kNoTensor) continue;
        if (ops[i].def->operands[o].access == graph::Access::read) {
          ++readers[operand];
        } else {
          writer[operand] = i;
        }
      }
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!scatters_sums(ops[i]) || !over_tensor(ops[i])) continue;
      const TensorId partial = ops[i].operands[collective::send];
      const auto made = writer.find(partial);
      if (made == writer.end() || readers[partial] != 1) continue;
      const Op& maker = ops[made->second];
      if (adds_two(maker)) {
        const auto product = writer.find(maker.operands[graph::add::b]);
        if (product == writer.end() || !is_product(ops[product->second]) ||
            readers[maker.operands[graph::add::b]] != 1 || product->second + 1 != made->second)
          continue;
        merged_.insert(product->second);
      } else if (!is_product(maker)) {
        continue;
      }
      sums_[made->second] = i;
    }
  }

  // Emits the op at `maker` for each piece, and the transfers that send the pieces away. If the op
  // is an addition, the product before it is cut as well.
  void emit_partial(const std::vector<Op>& ops, std::size_t maker, const Op& scatter,
                    std::vector<Op>& out) {
    const Op& op = ops[maker];
    const bool adds = adds_two(op);
    const TensorId partial = scatter.operands[collective::send];
    const std::int64_t block = block_rows(partial);
    const TensorId staging = options_.overlap ? staging_like(partial) : partial;
    staging_[partial] = staging;
    const auto emit = [&](const Rows& rows, TensorId result) {
      if (!adds) {
        out.push_back(product_piece(op, rows, result));
        return;
      }
      const Op& product = ops[maker - 1];
      const TensorId sum = block_part(op.operands[graph::add::b], rows);
      out.push_back(product_piece(product, rows, sum));
      Op addition = op;
      addition.path += rows.name;
      addition.operands[graph::add::a] = block_part(op.operands[graph::add::a], rows);
      addition.operands[graph::add::b] = sum;
      addition.operands[graph::add::output] = result;
      out.push_back(std::move(addition));
    };
    for (std::uint32_t k = 1; k < options_.ranks; ++k) {
      // In a shift by k, a rank receives from the rank k further and sends to the rank k
      // before. So these are the rows of the rank k before.
      for (const Rows& rows : pieces_of(options_.ranks - k, block)) {
        const TensorId result = block_part(partial, rows);
        emit(rows, result);
        if (!options_.overlap) continue;
        Rows received = rows;
        received.k = k;
        out.push_back(shift(scatter, k, result, block_part(staging, received), rows.name));
      }
    }
    const Rows mine = own(block);
    emit(mine, block_part(staging, mine));
  }

  // Adds the tensor in which the blocks of all ranks come together, in rank order.
  TensorId staging_like(TensorId partial) {
    graph::Tensor tensor = program_->tensor(partial);
    tensor.name += "/blocks";
    program_->tensors.push_back(std::move(tensor));
    return TensorId{static_cast<std::uint32_t>(program_->tensors.size() - 1)};
  }

  void emit_sum(const Op& scatter, std::vector<Op>& out) {
    Op op = scatter;
    if (options_.overlap) {
      op.def = &graph::sum_blocks_op();
      op.operands =
          in_order(graph::sum_blocks_op(),
                   {{graph::sum_blocks::blocks, staging_.at(scatter.operands[collective::send])},
                    {graph::sum_blocks::output, scatter.operands[collective::receive]}},
                   graph::kNoTensor);
      op.path += "/sum";
    }
    out.push_back(std::move(op));
  }

  graph::Program* program_;
  SplitTensor options_;
  std::map<TensorId, std::int64_t> gathered_;  // rows of a block, by gathered tensor that is cut
  std::map<std::tuple<TensorId, std::uint32_t, std::int64_t, std::int64_t>, TensorId> parts_;
  std::map<std::size_t, std::size_t> sums_;  // op that makes partial sums -> its reduce_scatter
  std::set<std::size_t> merged_;             // products that are cut with the addition behind them
  std::map<TensorId, TensorId> staging_;     // by tensor of partial sums
  std::set<TensorId> own_products_;          // outputs whose own rows are already written
};

}  // namespace

void split_tensor(graph::Program& program, const SplitTensor& options) {
  if (options.ranks == 1 || options.pieces == 0) return;
  Split split(program, options);
  split.run(program.forward);
  split.run(program.backward);
}

}  // namespace megascale::plan
