// Finds chains of ops between a product and an all_to_all of a context group, by the tensors that
// connect them, and emits each chain once per piece. Which products are cut depends on these tensors
// only, not on the order of the ops, so that no other switch changes the bits. Pieces are tensors that
// name a part of the whole tensor (graph::Part), as in split_tensor().
#include "megascale/plan/passes/split_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

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

bool exchanges_over_context(const Op& op) {
  return op.def == &graph::all_to_all_op() &&
         AxisSet::from_bits(static_cast<std::uint8_t>(op.attributes.integer(attribute::axes, 0))) ==
             AxisSet{Axis::context};
}

// The operands of an op that are cut with its rows; empty if it cannot be cut. The first one is the
// input.
std::vector<std::size_t> row_operands(const Op& op) {
  if (!op.def->row_product) return op.def->row_operands;
  const graph::RowProduct& product = *op.def->row_product;
  std::vector<std::size_t> rows{product.input, product.output};
  if (product.addend) rows.push_back(*product.addend);
  return rows;
}

// A product, the exchange of its result or of its input, and the ops between them.
struct Chain {
  std::size_t exchange = 0;
  std::size_t packing = 0;           // split_heads or join_heads, next to the exchange
  std::vector<std::size_t> by_rows;  // the product and the ops that are cut with it, in order
  std::size_t product = 0;
  bool sends = false;      // the product comes first
  bool in_pieces = false;  // transfers are cut, too
};

// Which ops of a program touch a tensor.
struct TensorUsers {
  std::optional<std::size_t> writer;
  std::vector<std::size_t> readers;
};

class Chains {
 public:
  explicit Chains(const std::vector<Op>& ops) : ops_(&ops) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      for (std::size_t o = 0; o < ops[i].operands.size(); ++o) {
        if (ops[i].operands[o] == graph::kNoTensor) continue;
        TensorUsers& users = users_[ops[i].operands[o]];
        if (ops[i].def->operands[o].access == graph::Access::read) {
          users.readers.push_back(i);
        } else {
          users.writer = i;
        }
      }
    }
  }

  [[nodiscard]] std::vector<Chain> find() const {
    std::vector<Chain> chains;
    for (std::size_t i = 0; i < ops_->size(); ++i) {
      if (!exchanges_over_context((*ops_)[i])) continue;
      for (std::optional<Chain> chain : {before(i), behind(i)}) {
        if (chain) chains.push_back(std::move(*chain));
      }
    }
    return chains;
  }

 private:
  [[nodiscard]] const Op& op(std::size_t i) const { return (*ops_)[i]; }
  [[nodiscard]] const TensorUsers& users(TensorId tensor) const {
    static const TensorUsers kNone;
    const auto found = users_.find(tensor);
    return found == users_.end() ? kNone : found->second;
  }
  [[nodiscard]] std::optional<std::size_t> only_reader(TensorId tensor) const {
    const std::vector<std::size_t>& readers = users(tensor).readers;
    return readers.size() == 1 ? std::optional(readers.front()) : std::nullopt;
  }

  // The product whose result is exchanged. Nothing else may read what lies between.
  [[nodiscard]] std::optional<Chain> before(std::size_t exchange) const {
    const TensorId sent = op(exchange).operands[collective::send];
    const auto packing = users(sent).writer;
    if (!packing || op(*packing).def != &graph::split_heads_op() || !only_reader(sent)) return {};
    Chain chain{.exchange = exchange, .packing = *packing, .sends = true, .in_pieces = true};
    TensorId rows = op(*packing).operands[graph::split_heads::rows];
    while (true) {
      const auto writer = users(rows).writer;
      if (!writer || !only_reader(rows)) return {};
      const std::vector<std::size_t> cut = row_operands(op(*writer));
      if (cut.empty()) return {};
      chain.by_rows.insert(chain.by_rows.begin(), *writer);
      if (op(*writer).def->row_product) {
        chain.product = *writer;
        return chain;
      }
      rows = op(*writer).operands[cut.front()];
    }
  }

  // The product whose input is exchanged. Others, such as the weight gradient, may read the input, too;
  // if one of them comes before the product, all of it has to be there before.
  [[nodiscard]] std::optional<Chain> behind(std::size_t exchange) const {
    const TensorId received = op(exchange).operands[collective::receive];
    const auto packing = only_reader(received);
    if (!packing || op(*packing).def != &graph::join_heads_op()) return {};
    Chain chain{.exchange = exchange, .packing = *packing};
    TensorId rows = op(*packing).operands[graph::join_heads::rows];
    std::size_t first_reader = ops_->size();
    while (true) {
      std::optional<std::size_t> next;
      for (const std::size_t reader : users(rows).readers) {
        const std::vector<std::size_t> cut = row_operands(op(reader));
        if (cut.empty() || op(reader).operands[cut.front()] != rows) {
          first_reader = std::min(first_reader, reader);
        } else if (next) {
          return {};
        } else {
          next = reader;
        }
      }
      if (!next) return {};
      chain.by_rows.push_back(*next);
      if (op(*next).def->row_product) {
        chain.product = *next;
        chain.in_pieces = *next < first_reader;
        return chain;
      }
      const std::vector<TensorId> written = written_rows(op(*next));
      MEGASCALE_CHECK(!written.empty(), "an op with row operands writes rows");
      rows = written.front();
      // Other results of the op (latent_heads_gradient has three) are not part of the chain.
      for (std::size_t i = 1; i < written.size(); ++i) {
        for (const std::size_t reader : users(written[i]).readers)
          first_reader = std::min(first_reader, reader);
      }
    }
  }
  static std::vector<TensorId> written_rows(const Op& of) {
    std::vector<TensorId> rows;
    for (const std::size_t o : of.def->row_operands) {
      if (of.def->operands[o].access != graph::Access::read && of.operands[o] != graph::kNoTensor)
        rows.push_back(of.operands[o]);
    }
    return rows;
  }

  const std::vector<Op>* ops_;
  std::map<TensorId, TensorUsers> users_;
};

class ContextSplit {
 public:
  ContextSplit(graph::Program& program, const SplitContext& options)
      : program_(&program), options_(options) {}

  void run(std::vector<Op>& ops) {
    const std::vector<Chain> chains = Chains(ops).find();
    std::map<std::size_t, const Chain*> product_of, exchange_of, packing_of;
    std::set<std::size_t> moved;  // emitted at the place of another op of their chain
    for (const Chain& chain : chains) {
      cut_.insert(name(ops[chain.product]));
      product_of[chain.product] = &chain;
      if (!chain.in_pieces || !options_.overlap) continue;
      exchange_of[chain.exchange] = &chain;
      packing_of[chain.packing] = &chain;
      moved.insert(chain.by_rows.begin(), chain.by_rows.end());
    }
    std::vector<Op> out;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (const auto found = packing_of.find(i); found != packing_of.end()) {
        // Behind the packing op of a chain that sends nothing of it is missing.
        if (found->second->sends) emit_sent(ops, *found->second, out);
      } else if (const auto exchange = exchange_of.find(i); exchange != exchange_of.end()) {
        if (!exchange->second->sends) emit_arrival(ops[i], out);
      } else if (const auto product = product_of.find(i);
                 product != product_of.end() && moved.contains(i)) {
        if (!product->second->sends) emit_received(ops, *product->second, out);
      } else if (product != product_of.end() || is_repeated_cut(ops[i])) {
        for (const Rows& rows : pieces_of(ops[i])) out.push_back(piece(ops[i], rows));
      } else if (!moved.contains(i)) {
        out.push_back(ops[i]);
      }
    }
    ops = std::move(out);
  }

 private:
  // Some rows of a rank's tokens.
  struct Rows {
    std::int64_t begin = 0, count = 0;
    std::string name;  // suffix for the names of the piece
  };

  static std::string name(const Op& op) { return op.scope + "/" + op.path; }
  // A product that recomputation repeats is cut as the original is, or its bits would differ.
  [[nodiscard]] bool is_repeated_cut(const Op& op) const {
    return op.phase == graph::Phase::recompute && op.def->row_product && cut_.contains(name(op));
  }

  [[nodiscard]] std::vector<Rows> pieces_of(const Op& product) const {
    const std::int64_t all =
        program_->tensor(product.operands[product.def->row_product->input]).shape[0].size;
    MEGASCALE_CHECK(all % options_.pieces == 0, "rows divide by context pieces");
    const std::int64_t count = all / options_.pieces;
    std::vector<Rows> rows;
    for (std::uint32_t p = 0; p < options_.pieces; ++p)
      rows.push_back({p * count, count, fmt::format("/piece{}", p)});
    return rows;
  }

  TensorId add(graph::Tensor tensor) {
    program_->tensors.push_back(std::move(tensor));
    return TensorId{static_cast<std::uint32_t>(program_->tensors.size() - 1)};
  }
  // Adds a tensor that names rows of block (own + k) of the `blocks` blocks of `whole`.
  TensorId part(TensorId whole, const Rows& rows, std::uint32_t k, std::uint32_t blocks) {
    graph::Tensor tensor = program_->tensor(whole);
    tensor.name += rows.name;
    tensor.shape[0] = graph::Dim(rows.count);
    tensor.role =
        graph::Role::activation;  // the host fills the whole only, if it is a batch tensor
    tensor.field = graph::BatchField::none;
    tensor.part = {
        .whole = whole, .axes = {Axis::context}, .k = k, .n = blocks, .begin = rows.begin};
    return add(std::move(tensor));
  }
  // Adds a tensor with a block of these rows for each rank.
  TensorId blocks_like(TensorId blocks, const Rows& rows) {
    graph::Tensor tensor = program_->tensor(blocks);
    tensor.name += rows.name;
    tensor.shape[0] = graph::Dim(rows.count * options_.ranks);
    return add(std::move(tensor));
  }

  // Returns the op for these rows. All ops that touch them share one tensor.
  Op piece(const Op& op, const Rows& rows) {
    Op cut = op;
    cut.path += rows.name;
    for (const std::size_t o : row_operands(op)) {
      if (op.operands[o] != graph::kNoTensor) cut.operands[o] = row_part(op.operands[o], rows);
    }
    return cut;
  }
  TensorId row_part(TensorId whole, const Rows& rows) {
    const auto key = std::pair(whole, rows.begin);
    const auto found = row_parts_.find(key);
    if (found != row_parts_.end()) return found->second;
    return row_parts_[key] = part(whole, rows, 0, 1);
  }

  // Emits the shifts that exchange the blocks of one piece; the rank's own block comes last, since no
  // other rank waits for it. Each tensor holds a block per rank, and the rows lie in every block.
  void emit_shifts(const Op& exchange, const std::string& piece, TensorId send,
                   const Rows& sent_rows, TensorId receive, const Rows& received_rows,
                   std::vector<Op>& out) {
    for (std::uint32_t i = 1; i <= options_.ranks; ++i) {
      const std::uint32_t k = i % options_.ranks;
      const std::string peer = k == 0 ? "/own" : fmt::format("/peer{}", k);
      Op op = exchange;
      op.def = &graph::shift_op();
      // The rank sends to the rank that is k before.
      op.operands =
          in_order(graph::shift_op(),
                   {{collective::send,
                     part(send, sent_rows, (options_.ranks - k) % options_.ranks, options_.ranks)},
                    {collective::receive, part(receive, received_rows, k, options_.ranks)}},
                   graph::kNoTensor);
      op.attributes.set(attribute::offset, std::int64_t{k});
      op.path += peer + piece;
      out.push_back(std::move(op));
    }
  }

  void emit_sent(const std::vector<Op>& ops, const Chain& chain, std::vector<Op>& out) {
    const Op &packing = ops[chain.packing], &exchange = ops[chain.exchange];
    for (const Rows& rows : pieces_of(ops[chain.product])) {
      for (const std::size_t i : chain.by_rows) out.push_back(piece(ops[i], rows));
      const TensorId blocks = blocks_like(packing.operands[graph::split_heads::blocks], rows);
      Op packed = packing;
      packed.path += rows.name;
      packed.operands[graph::split_heads::rows] =
          row_part(packing.operands[graph::split_heads::rows], rows);
      packed.operands[graph::split_heads::blocks] = blocks;
      out.push_back(std::move(packed));
      emit_shifts(exchange, rows.name, blocks, {0, rows.count, rows.name},
                  exchange.operands[collective::receive], rows, out);
    }
  }

  void emit_arrival(const Op& exchange, std::vector<Op>& out) {
    const TensorId received = exchange.operands[collective::receive];
    const std::int64_t all = program_->tensor(received).shape[0].size / options_.ranks,
                       count = all / options_.pieces;
    for (std::uint32_t p = 0; p < options_.pieces; ++p) {
      const Rows rows{p * count, count, fmt::format("/piece{}", p)};
      const TensorId blocks = blocks_like(received, rows);
      arrived_[{received, rows.begin}] = blocks;
      emit_shifts(exchange, rows.name, exchange.operands[collective::send], rows, blocks,
                  {0, count, rows.name}, out);
    }
  }

  void emit_received(const std::vector<Op>& ops, const Chain& chain, std::vector<Op>& out) {
    const Op& packing = ops[chain.packing];
    const TensorId received = packing.operands[graph::join_heads::blocks];
    for (const Rows& rows : pieces_of(ops[chain.product])) {
      Op joined = packing;
      joined.path += rows.name;
      joined.operands[graph::join_heads::blocks] = arrived_.at({received, rows.begin});
      joined.operands[graph::join_heads::rows] =
          row_part(packing.operands[graph::join_heads::rows], rows);
      out.push_back(std::move(joined));
      for (const std::size_t i : chain.by_rows) out.push_back(piece(ops[i], rows));
    }
  }

  graph::Program* program_;
  SplitContext options_;
  std::set<std::string> cut_;  // names of the products that are cut
  std::map<std::pair<TensorId, std::int64_t>, TensorId> row_parts_;  // by whole and first row
  // The blocks of a piece, by received tensor and first row.
  std::map<std::pair<TensorId, std::int64_t>, TensorId> arrived_;
};

}  // namespace

void split_context(graph::Program& program, const SplitContext& options) {
  if (options.ranks == 1 || options.pieces == 0) return;
  ContextSplit split(program, options);
  split.run(program.forward);
  split.run(program.backward);
}

}  // namespace megascale::plan
