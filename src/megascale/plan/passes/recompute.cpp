// Rewrites the backward program op by op. An operand that the policy drops is replaced by its twin:
// a new tensor that a copy of the forward op writes. The copy is inserted before the first reader,
// and its own operands are treated in the same way. Ops between stages run once only, and so do ops
// that write counts.
#include "megascale/plan/passes/recompute.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::TensorId;

bool writes(const Op& op, std::size_t operand) {
  return op.def->operands[operand].access != graph::Access::read;
}

class Recompute {
 public:
  Recompute(graph::Program& program, const RecomputePolicy& policy)
      : program_(&program), policy_(&policy) {
    for (std::size_t i = 0; i < program.forward.size(); ++i) {
      const Op& op = program.forward[i];
      for (const TensorId count : graph::counts_of(op, program.tensors)) counts_.insert(count);
      if (op.phase != graph::Phase::forward) continue;
      for (std::size_t o = 0; o < op.operands.size(); ++o) {
        if (op.operands[o] != graph::kNoTensor && writes(op, o)) producer_[op.operands[o]] = i;
      }
    }
    for (const Op& op : program.forward) {
      for (std::size_t o = 0; o < op.operands.size(); ++o) {
        if (op.operands[o] == graph::kNoTensor || writes(op, o)) continue;
        const auto made = producer_.find(op.operands[o]);
        // A tensor that another scope (or the loss unit) reads is an output of its scope; `full`
        // keeps those.
        if (made == producer_.end()) continue;
        if (program.forward[made->second].scope != op.scope) crosses_scopes_.insert(op.operands[o]);
        if (op.def == &graph::quantise_op() && o == graph::quantise::amax)
          amax_.insert(op.operands[o]);
        if (op.region == graph::Region::attention_core ||
            (op.def == &graph::gated_swiglu_op() && o == graph::gated_swiglu::weights))
          read_by_core_.insert(op.operands[o]);
      }
    }
  }

  void run() {
    std::vector<Op> backward;
    for (Op op : program_->backward) {
      for (std::size_t o = 0; o < op.operands.size(); ++o) {
        if (op.operands[o] != graph::kNoTensor && !writes(op, o))
          op.operands[o] = available(op.operands[o], backward);
      }
      backward.push_back(std::move(op));
    }
    program_->backward = std::move(backward);
  }

 private:
  // A transfer between stages is sent once. Counts decide the sizes of transfers, so an op that
  // writes counts (a router) also runs once, and all its outputs are retained.
  [[nodiscard]] bool is_repeatable(const Op& op) const {
    if (graph::is_between_stages(op) || op.def->runs_once) return false;
    for (std::size_t o = 0; o < op.operands.size(); ++o) {
      if (writes(op, o) && counts_.contains(op.operands[o])) return false;
    }
    return true;
  }

  // Returns whether the policy drops the tensor after the forward.
  [[nodiscard]] bool dropped(TensorId tensor) const {
    const auto made = producer_.find(tensor);
    if (made == producer_.end()) return false;
    const Op& op = program_->forward[made->second];
    if (!is_repeatable(op) || amax_.contains(tensor)) return false;
    if (op.gathers_input && !policy_->keep_gathered_input) return true;
    switch (policy_->kind) {
      case RecomputePolicy::Kind::none:
        return false;
      case RecomputePolicy::Kind::selective:
        return op.region == graph::Region::attention_core;
      case RecomputePolicy::Kind::selective_moe:
        return is_cheap(op);
      case RecomputePolicy::Kind::full:
        return !crosses_scopes_.contains(tensor);
      case RecomputePolicy::Kind::list:
        return std::find(policy_->ops.begin(), policy_->ops.end(), op.def->name) !=
               policy_->ops.end();
    }
    return false;
  }

  // Returns whether selective_moe drops the results of the op: the memory or the links bound its
  // time. An op is kept as a whole if another scope or a core reads one of its results.
  [[nodiscard]] bool is_cheap(const Op& op) const {
    if (op.region == graph::Region::router) return op.def->transfer == nullptr;
    if (op.region != graph::Region::layers || op.def->gemm || op.def == &graph::add_op())
      return false;
    for (std::size_t o = 0; o < op.operands.size(); ++o) {
      if (writes(op, o) &&
          (crosses_scopes_.contains(op.operands[o]) || read_by_core_.contains(op.operands[o])))
        return false;
    }
    return true;
  }

  // Returns the tensor to read instead of `tensor`: the tensor itself if it is retained, else its
  // recomputed twin, which is emitted at the first request.
  TensorId available(TensorId tensor, std::vector<Op>& out) {
    if (!dropped(tensor)) return tensor;
    if (const auto twin = twin_.find(tensor); twin != twin_.end()) return twin->second;
    const Op& original = program_->forward[producer_.at(tensor)];
    if (policy_->kind == RecomputePolicy::Kind::full && policy_->whole_scopes &&
        repeated_.insert(original.scope).second) {
      for (const Op& op : program_->forward) {
        if (op.scope == original.scope && is_repeatable(op)) repeat(op, out);
      }
      return twin_.at(tensor);
    }
    repeat(original, out);
    return twin_.at(tensor);
  }

  // Emits a copy of the op, unless one was emitted already.
  void repeat(const Op& original, std::vector<Op>& out) {
    for (std::size_t o = 0; o < original.operands.size(); ++o) {
      if (original.operands[o] != graph::kNoTensor && writes(original, o) &&
          twin_.contains(original.operands[o]))
        return;
    }
    Op copy = original;
    copy.phase = graph::Phase::recompute;
    for (std::size_t o = 0; o < copy.operands.size(); ++o) {
      if (copy.operands[o] == graph::kNoTensor) continue;
      if (!writes(copy, o)) {
        copy.operands[o] = available(copy.operands[o], out);
        continue;
      }
      graph::Tensor twin = program_->tensor(copy.operands[o]);
      twin.name += ":again";
      program_->tensors.push_back(std::move(twin));
      const TensorId id{static_cast<std::uint32_t>(program_->tensors.size() - 1)};
      twin_[copy.operands[o]] = id;
      copy.operands[o] = id;
    }
    // A transfer is placed in front of the op before its reader, so that it runs during that op.
    const bool transfers = copy.def->transfer || copy.def->packs;
    const bool early = transfers && !out.empty() && !reads_from(copy, out.back());
    out.insert(early ? out.end() - 1 : out.end(), std::move(copy));
  }

  static bool reads_from(const Op& reader, const Op& writer) {
    for (std::size_t r = 0; r < reader.operands.size(); ++r) {
      for (std::size_t w = 0; w < writer.operands.size(); ++w) {
        if (reader.operands[r] != graph::kNoTensor && !writes(reader, r) && writes(writer, w) &&
            reader.operands[r] == writer.operands[w]) {
          return true;
        }
      }
    }
    return false;
  }

  graph::Program* program_;
  const RecomputePolicy* policy_;
  // By tensor: the forward op that writes it. Outputs of the loss unit are never dropped.
  std::map<TensorId, std::size_t> producer_;
  std::set<TensorId> crosses_scopes_;
  // Tensors that other ranks have sent: the operands of the attention core, and the weights of the rows
  // of experts. The weights are few bytes, but to send them again would cost a whole latency.
  std::set<TensorId> read_by_core_;
  // Largest values that the ranks have exchanged before rounding. They are few bytes, too.
  std::set<TensorId> amax_;
  std::set<TensorId> counts_;       // tensors that hold run-time extents
  std::set<std::string> repeated_;  // scopes that were emitted as a whole
  std::map<TensorId, TensorId> twin_;
};

}  // namespace

void recompute(graph::Program& program, const RecomputePolicy& policy) {
  Recompute(program, policy).run();
}

}  // namespace megascale::plan
