// Finds the gathers whose results are only rounded, and the ops that round them. A second pass over the ops
// writes the new ones in the place of the gather, and drops the op that rounded.
#include "megascale/plan/passes/gather_codes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::TensorId;

namespace attribute = graph::attribute;
namespace collective = graph::collective;

bool reads(const Op& op, TensorId tensor) {
  for (std::size_t o = 0; o < op.operands.size(); ++o) {
    if (op.operands[o] == tensor && op.def->operands[o].access == graph::Access::read) return true;
  }
  return false;
}

class GatherCodes {
 public:
  explicit GatherCodes(graph::Program& program) : program_(&program) {
    std::map<TensorId, std::vector<const Op*>> readers;
    std::set<std::string> with_expert_transfers;  // scopes
    for (const std::vector<Op>* ops : {&program.forward, &program.backward}) {
      for (const Op& op : *ops) {
        for (const TensorId tensor : op.operands) {
          if (tensor != graph::kNoTensor && reads(op, tensor)) readers[tensor].push_back(&op);
        }
        if (op.def->transfer != nullptr && graph::lane_of(op) == graph::Lane::expert)
          with_expert_transfers.insert(op.scope);
      }
    }
    for (const std::vector<Op>* ops : {&program.forward, &program.backward}) {
      for (const Op& op : *ops) {
        if (op.def != &graph::all_gather_op() || with_expert_transfers.contains(op.scope)) continue;
        const TensorId gathered = op.operands[collective::receive];
        const auto found = readers.find(gathered);
        if (found == readers.end() || found->second.size() != 1) continue;
        const Op& reader = *found->second.front();
        if (reader.def == &graph::quantise_op()) rounded_.emplace(gathered, reader);
      }
    }
  }

  void run() {
    for (std::vector<Op>* ops : {&program_->forward, &program_->backward}) {
      for (Op& op : *ops) {
        transpose_for(op);
        if (op.def == &graph::all_gather_op() &&
            rounded_.contains(op.operands[collective::receive])) {
          gather(op, rounded_.at(op.operands[collective::receive]));
        } else if (op.def != &graph::quantise_op() ||
                   !rounded_.contains(op.operands[graph::quantise::input])) {
          out_.push_back(std::move(op));
        }
      }
      *ops = std::exchange(out_, {});
    }
    MEGASCALE_CHECK(transposes_.empty(), "an op reads each transpose that was asked for");
  }

 private:
  // Emits the ops that write the transposed codes that `op` reads.
  void transpose_for(const Op& op) {
    for (auto next = transposes_.begin(); next != transposes_.end();) {
      if (!reads(op, next->first)) {
        ++next;
        continue;
      }
      next->second.phase = op.phase;
      out_.push_back(std::move(next->second));
      next = transposes_.erase(next);
    }
  }

  static graph::OpOrigin beside(const graph::OpOrigin& op, const char* suffix) {
    graph::OpOrigin origin = op;
    origin.path += suffix;
    return origin;
  }

  template <class Name>
  TensorId emit(Name result, const graph::OpKind<Name>& kind, graph::OpOrigin origin,
                std::initializer_list<graph::Given<Name, TensorId>> operands,
                graph::Attributes attributes = {}) {
    out_.push_back(graph::make_op(kind, operands, std::move(attributes), std::move(origin),
                                  program_->tensors));
    return out_.back().operands[result];
  }

  // Sends what `tensor` holds as `op` sends its rows. `received` may be kNoTensor.
  TensorId send(const Op& op, const char* suffix, TensorId tensor, TensorId received) {
    using enum collective::Operand;
    graph::Attributes attributes = op.attributes;
    attributes.set(attribute::dtype, static_cast<std::int64_t>(program_->tensor(tensor).dtype));
    attributes.set(attribute::fp8, std::int64_t{0});  // these are codes (float8_transfers.h)
    return emit(receive, graph::all_gather_op(), beside(op, suffix),
                {{graph::collective::send, tensor}, {receive, received}}, std::move(attributes));
  }

  void gather(const Op& op, const Op& round) {
    namespace quantise = graph::quantise;
    const TensorId rows = op.operands[collective::send],
                   transposed = round.operands[quantise::transposed];
    // The ops of the rounding stand where the rows are sent.
    graph::OpOrigin at = static_cast<const graph::OpOrigin&>(op);
    at.path = round.path;
    const TensorId own = emit(graph::matrix_amax::amax, graph::matrix_amax_op(),
                              beside(at, "/amax"), {{graph::matrix_amax::input, rows}});
    const TensorId all = send(op, "/amax", own, graph::kNoTensor);
    graph::Attributes attributes = round.attributes;
    attributes.set(attribute::sides, std::int64_t{graph::kCodes});
    const TensorId codes = emit(quantise::codes, graph::quantise_op(), at,
                                {{quantise::input, rows},
                                 {quantise::amax, all},
                                 {quantise::scale, round.operands[quantise::scale]}},
                                std::move(attributes));
    const TensorId gathered = send(op, "", codes, round.operands[quantise::codes]);
    out_.back().gathers_input = op.gathers_input;
    if (transposed == graph::kNoTensor) return;
    transposes_.emplace(transposed,
                        graph::make_op(graph::transpose_codes_op(),
                                       {{graph::transpose_codes::codes, gathered},
                                        {graph::transpose_codes::transposed, transposed}},
                                       {}, beside(at, "/transpose"), program_->tensors));
  }

  graph::Program* program_;
  std::map<TensorId, Op> rounded_;     // by gathered tensor: the op that rounds it
  std::map<TensorId, Op> transposes_;  // by transposed tensor
  std::vector<Op> out_;
};

}  // namespace

void gather_codes(graph::Program& program) { GatherCodes(program).run(); }

}  // namespace megascale::plan
