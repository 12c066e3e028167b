// Rewrites the forward and the backward program op by op. The op that unpacks the result of a
// transfer waits until an op reads the result: right behind the transfer it would stop computation
// until the transfer is done.
#include "megascale/plan/passes/float8_transfers.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::plan {
namespace {

using graph::Float8Scales;
using graph::Op;
using graph::TensorId;

namespace attribute = graph::attribute;
namespace collective = graph::collective;
namespace all_to_all_v = graph::all_to_all_v;

bool carries_float8(const Op& op) {
  return op.def->transfer != nullptr && op.attributes.integer(attribute::fp8, 0) != 0;
}

class Float8Transfers {
 public:
  Float8Transfers(graph::Program& program, const Float8TransferOptions& options)
      : program_(&program), options_(options) {}

  void run(std::vector<Op>& ops) {
    for (const Op& op : ops) {
      const bool leaves_scope = !out_.empty() && out_.back().scope != op.scope;
      unpack_for(op, leaves_scope);
      if (leaves_scope) packed_.clear();
      if (!carries_float8(op)) {
        out_.push_back(op);
      } else if (op.def == &graph::all_gather_op()) {
        spread(op, graph::all_gather_op(), ranks(op));
      } else if (op.def == &graph::shift_op()) {
        spread(op, graph::shift_op(), 1);
      } else if (op.def == &graph::reduce_scatter_op()) {
        scatter_sums(op);
      } else {
        MEGASCALE_CHECK(op.def == &graph::all_to_all_v_op(), op.def->name);
        exchange(op);
      }
    }
    for (auto& [tensor, unpack] : unpacks_) out_.push_back(std::move(unpack));
    ops = std::exchange(out_, {});
    unpacks_.clear();
    packed_.clear();
    packed_counts_.clear();
  }

 private:
  // Emits the ops that unpack what `op` reads; with `all` also the others.
  void unpack_for(const Op& op, bool all) {
    for (auto next = unpacks_.begin(); next != unpacks_.end();) {
      const bool is_read =
          std::find(op.operands.begin(), op.operands.end(), next->first) != op.operands.end();
      if (!all && !is_read) {
        ++next;
        continue;
      }
      out_.push_back(std::move(next->second));
      next = unpacks_.erase(next);
    }
  }

  // Repeated ops of the forward send activations, all others of the backward send gradients.
  static Float8Scales scales_of(const Op& op) {
    return op.phase == graph::Phase::forward || op.phase == graph::Phase::recompute
               ? Float8Scales::by_row
               : Float8Scales::by_column;
  }
  static graph::Attributes blocks(const Op& transfer, std::int64_t count) {
    return {{attribute::scales, static_cast<std::int64_t>(scales_of(transfer))},
            {attribute::ranks, count}};
  }
  // The attributes of the op that packs `count` blocks.
  [[nodiscard]] graph::Attributes packing(const Op& transfer, std::int64_t count) const {
    graph::Attributes attributes = blocks(transfer, count);
    if (options_.one_scale) attributes.set(attribute::one_scale, std::int64_t{1});
    return attributes;
  }
  static std::int64_t ranks(const Op& transfer) {
    return transfer.attributes.integer(attribute::ranks);
  }
  static const graph::OpOrigin& origin_of(const Op& op) noexcept { return op; }
  static graph::OpOrigin beside(const Op& transfer, const char* suffix) {
    graph::OpOrigin origin = origin_of(transfer);
    origin.path += suffix;
    return origin;
  }
  // The attributes of the transfer of bytes.
  [[nodiscard]] graph::Attributes of_bytes(const Op& transfer, TensorId packed) const {
    graph::Attributes attributes = transfer.attributes;
    attributes.set(attribute::dtype, static_cast<std::int64_t>(DType::uint8));
    if (transfer.def->transfer->counted) {
      const graph::Tensor& bytes = program_->tensor(packed);
      attributes.set(attribute::row_nbytes, bytes.shape[1].size);
    }
    return attributes;
  }
  // The attributes of the op that makes `result` from packed bytes.
  [[nodiscard]] graph::Attributes to(TensorId result, graph::Attributes attributes) const {
    const graph::Tensor& tensor = program_->tensor(result);
    attributes.set(attribute::rows, tensor.shape[0].size);
    attributes.set(attribute::mean_rows, tensor.shape[0].mean);
    attributes.set(attribute::dtype, static_cast<std::int64_t>(tensor.dtype));
    return attributes;
  }

  template <class Name>
  TensorId emit(Name result, const graph::OpKind<Name>& kind, graph::OpOrigin origin,
                std::initializer_list<graph::Given<Name, TensorId>> operands,
                graph::Attributes attributes) {
    out_.push_back(graph::make_op(kind, operands, std::move(attributes), std::move(origin),
                                  program_->tensors));
    return out_.back().operands[result];
  }

  // Returns what the transfer gives, packed as one block. Shifts give the same rows to several
  // ranks, so they share the block.
  TensorId one_block(const Op& op) {
    const TensorId sent = op.operands[collective::send];
    TensorId& packed = packed_.try_emplace(sent, graph::kNoTensor).first->second;
    if (packed == graph::kNoTensor) {
      packed = emit(graph::pack_float8::output, graph::pack_float8_op(), beside(op, "/pack"),
                    {{graph::pack_float8::input, sent}}, packing(op, 1));
    }
    return packed;
  }

  // A rank gives one block, and `count` blocks arrive.
  void spread(const Op& op, const graph::OpKind<collective::Operand>& transfer,
              std::int64_t count) {
    using enum collective::Operand;
    const TensorId packed = one_block(op);
    const TensorId arrived =
        emit(receive, transfer, origin_of(op), {{send, packed}}, of_bytes(op, packed));
    const TensorId result = op.operands[receive];
    unpacks_.emplace(result, graph::make_op(graph::unpack_float8_op(),
                                            {{graph::unpack_float8::packed, arrived},
                                             {graph::unpack_float8::output, result}},
                                            to(result, blocks(op, count)), beside(op, "/unpack"),
                                            program_->tensors));
  }

  void scatter_sums(const Op& op) {
    using enum collective::Operand;
    const TensorId packed =
        emit(graph::pack_float8::output, graph::pack_float8_op(), beside(op, "/pack"),
             {{graph::pack_float8::input, op.operands[send]}}, packing(op, ranks(op)));
    const TensorId arrived = emit(receive, graph::all_to_all_op(), origin_of(op), {{send, packed}},
                                  of_bytes(op, packed));
    const TensorId result = op.operands[receive];
    unpacks_.emplace(
        result,
        graph::make_op(graph::sum_float8_op(),
                       {{graph::sum_float8::packed, arrived}, {graph::sum_float8::output, result}},
                       to(result, blocks(op, ranks(op))), beside(op, "/sum"), program_->tensors));
  }

  // Returns the counts by which rows of bytes travel, for counts of the rows themselves.
  TensorId counts_of_bytes(const Op& op, TensorId counts) {
    if (scales_of(op) == Float8Scales::by_row) return counts;
    const auto known = packed_counts_.find(counts);
    if (known != packed_counts_.end()) return known->second;
    const TensorId packed =
        emit(graph::float8_counts::packed_counts, graph::float8_counts_op(), beside(op, "/counts"),
             {{graph::float8_counts::counts, counts}}, {});
    packed_counts_[counts] = packed;
    return packed;
  }

  void exchange(const Op& op) {
    using enum all_to_all_v::Operand;
    const bool by_column = scales_of(op) == Float8Scales::by_column;
    const TensorId sent = op.operands[send_counts], received = op.operands[receive_counts];
    const TensorId sent_bytes = counts_of_bytes(op, sent),
                   received_bytes = counts_of_bytes(op, received);
    const TensorId packed =
        emit(graph::pack_float8::output, graph::pack_float8_op(), beside(op, "/pack"),
             {{graph::pack_float8::input, op.operands[send]},
              {graph::pack_float8::counts, sent},
              {graph::pack_float8::packed_counts, by_column ? sent_bytes : graph::kNoTensor}},
             packing(op, ranks(op)));
    graph::Attributes attributes = of_bytes(op, packed);
    if (by_column) {
      const TensorId result = op.operands[receive];
      const graph::Dim bytes = graph::float8_rows(program_->tensor(result).shape[0], ranks(op));
      attributes.set(attribute::rows, bytes.size);
      attributes.set(attribute::mean_rows, bytes.mean);
    }
    const TensorId arrived =
        emit(receive, graph::all_to_all_v_op(), origin_of(op),
             {{send, packed}, {send_counts, sent_bytes}, {receive_counts, received_bytes}},
             std::move(attributes));
    const TensorId result = op.operands[receive];
    unpacks_.emplace(result, graph::make_op(graph::unpack_float8_op(),
                                            {{graph::unpack_float8::packed, arrived},
                                             {graph::unpack_float8::counts, received},
                                             {graph::unpack_float8::output, result}},
                                            to(result, blocks(op, ranks(op))),
                                            beside(op, "/unpack"), program_->tensors));
  }

  graph::Program* program_;
  Float8TransferOptions options_;
  std::vector<Op> out_;
  std::map<TensorId, Op> unpacks_;       // by result: ops that are still to be emitted
  std::map<TensorId, TensorId> packed_;  // by tensor: the block with it, within a layer
  std::map<TensorId, TensorId> packed_counts_;
};

}  // namespace

void float8_transfers(graph::Program& program, const Float8TransferOptions& options) {
  Float8Transfers pass(program, options);
  pass.run(program.forward);
  pass.run(program.backward);
}

}  // namespace megascale::plan
