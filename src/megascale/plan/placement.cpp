// Places activations in three steps. First it finds the lifetime of each tensor on the timeline. An
// output may take over the bytes of an input that dies at the same op. Then it sorts tensors into
// transients, by segment, and slots, by use. Last it packs each set (pack.cpp).
#include "megascale/plan/placement.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "megascale/plan/model_state.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::Role;
using graph::TensorId;

constexpr std::uint32_t kNever = ~0U;

// Finds the first and the last op that touch each tensor. Tensors that share bytes form a set with
// one lifetime; the root of the set stands for it (union-find).
class Liveness {
 public:
  Liveness(const graph::Program& program, std::span<const Op* const> ops)
      : program_(&program),
        root_(program.tensors.size()),
        lifetimes_(program.tensors.size()),
        transfer_(program.tensors.size(), SlotUse::none) {
    std::iota(root_.begin(), root_.end(), 0U);
    for (Lifetime& lifetime : lifetimes_) lifetime.first = kNever;
    for (std::uint32_t place = 0; place < ops.size(); ++place) {
      const Op& op = *ops[place];
      for (const TensorId operand : op.operands) {
        if (!touch(operand, place)) continue;
        if (graph::is_between_stages(op)) transfer_[index(program.owner(operand))] = slot_of(op);
      }
      for (const TensorId count : graph::counts_of(op, program.tensors)) touch(count, place);
    }
    for (std::uint32_t place = 0; place < ops.size(); ++place) extend_transfer(ops, place);
    for (std::uint32_t place = 0; place < ops.size(); ++place) share_in_place(*ops[place], place);
    extend_pairs(ops);
  }

  // The functions below take a tensor, or the root of its set.
  [[nodiscard]] bool is_activation(std::size_t tensor) const {
    return lifetimes_[tensor].first != kNever;
  }
  [[nodiscard]] std::uint32_t root(std::uint32_t tensor) const {
    while (root_[tensor] != tensor) tensor = root_[tensor];
    return tensor;
  }
  [[nodiscard]] const Lifetime& of_root(std::size_t tensor) const { return lifetimes_[tensor]; }
  // Returns the slot of the transfer between stages that touches the set; none if there is no such
  // transfer.
  [[nodiscard]] SlotUse transfer_of_root(std::size_t tensor) const { return transfer_[tensor]; }

 private:
  // Returns false if the tensor is not an activation.
  bool touch(TensorId named, std::uint32_t place) {
    if (named == graph::kNoTensor) return false;
    const TensorId operand = program_->owner(named);
    if (program_->tensor(operand).role != Role::activation) return false;
    Lifetime& lifetime = lifetimes_[index(operand)];
    if (lifetime.first == kNever) lifetime.first = place;
    lifetime.last = place;
    lifetime.nbytes = align_buffer(static_cast<std::uint64_t>(program_->tensor(operand).nbytes()));
    return true;
  }

  static SlotUse slot_of(const Op& op) {
    switch (graph::lane_of(op)) {
      case graph::Lane::forward_send:
        return SlotUse::send_forward;
      case graph::Lane::forward_receive:
        return SlotUse::receive_forward;
      case graph::Lane::backward_send:
        return SlotUse::send_backward;
      default:
        return SlotUse::receive_backward;
    }
  }

  // A transfer runs beside the computation behind it until an op reads the received tensor. Its
  // operands must stay alive until then, so that nothing else uses their memory.
  void extend_transfer(std::span<const Op* const> ops, std::uint32_t place) {
    const Op& op = *ops[place];
    if (!op.def->transfer || graph::is_between_stages(op)) return;
    std::uint32_t reader = place + 1;
    // The reader names the received part, or the whole tensor that contains it.
    const TensorId brought = op.operands[*op.def->transfer_operands.taken];
    const auto reads = [&](const Op& other) {
      return std::any_of(other.operands.begin(), other.operands.end(), [&](TensorId operand) {
        return operand != graph::kNoTensor &&
               (operand == brought || operand == program_->owner(brought));
      });
    };
    while (reader < ops.size() && !reads(*ops[reader])) ++reader;
    if (reader == ops.size()) return;
    for (const TensorId named : op.operands) {
      if (named == graph::kNoTensor || !is_activation(index(program_->owner(named)))) continue;
      std::uint32_t& last = lifetimes_[index(program_->owner(named))].last;
      last = std::max(last, reader);
    }
  }

  // The ops of a fused pair may run at the same time, so nothing that one of them touches dies before
  // the last of them.
  void extend_pairs(std::span<const Op* const> ops) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> pairs;  // by number: places of the ops
    for (std::uint32_t place = 0; place < ops.size(); ++place) {
      if (ops[place]->pair != 0) pairs[ops[place]->pair].push_back(place);
    }
    const auto extend = [&](TensorId named, std::uint32_t to) {
      if (named == graph::kNoTensor) return;
      const auto owner = static_cast<std::uint32_t>(index(program_->owner(named)));
      if (!is_activation(owner)) return;
      std::uint32_t& last = lifetimes_[root(owner)].last;
      last = std::max(last, to);
    };
    for (const auto& [number, places] : pairs) {
      for (const std::uint32_t place : places) {
        for (const TensorId operand : ops[place]->operands) extend(operand, places.back());
        for (const TensorId count : graph::counts_of(*ops[place], program_->tensors))
          extend(count, places.back());
      }
    }
  }

  void share_in_place(const Op& op, std::uint32_t place) {
    for (const graph::InPlace& pair : op.def->in_place) {
      const TensorId output = op.operands[pair.output], input = op.operands[pair.input];
      if (output == graph::kNoTensor || input == graph::kNoTensor) continue;
      if (!is_activation(index(output)) || !is_activation(index(input))) continue;
      const std::uint32_t from = root(static_cast<std::uint32_t>(index(input)));
      const std::uint32_t to = root(static_cast<std::uint32_t>(index(output)));
      Lifetime& dying = lifetimes_[from];
      // Only one output takes over the bytes, and only if no later op reads the input.
      if (from == to || dying.last != place || dying.nbytes != lifetimes_[to].nbytes) continue;
      if (lifetimes_[to].first != place) continue;
      // A tensor that is received and a tensor that is sent lie in different slots.
      if (transfer_[from] != SlotUse::none && transfer_[to] != SlotUse::none) continue;
      root_[to] = from;
      dying.last = lifetimes_[to].last;
      if (transfer_[from] == SlotUse::none) transfer_[from] = transfer_[to];
      return;
    }
  }

  const graph::Program* program_;
  std::vector<std::uint32_t> root_;
  std::vector<Lifetime> lifetimes_;  // of a root: of all tensors of its set
  std::vector<SlotUse> transfer_;    // by root
};

SegmentKind kind_of(const Op& op, bool deferred) {
  switch (graph::lane_of(op)) {
    case graph::Lane::forward_send:
      return SegmentKind::send_forward;
    case graph::Lane::forward_receive:
      return SegmentKind::receive_forward;
    case graph::Lane::backward_send:
      return SegmentKind::send_backward;
    case graph::Lane::backward_receive:
      return SegmentKind::receive_backward;
    default:
      break;
  }
  if (deferred) return SegmentKind::weight_gradient;
  return op.phase == graph::Phase::forward ? SegmentKind::forward : SegmentKind::backward;
}

std::vector<SegmentRange> cut(std::span<const Op* const> ops, std::size_t deferred_from,
                              const std::function<std::uint32_t(const Op&)>& bucket_of) {
  std::vector<SegmentRange> segments;
  std::uint32_t current_bucket = kNever;
  for (std::uint32_t place = 0; place < ops.size(); ++place) {
    const SegmentKind kind = kind_of(*ops[place], place >= deferred_from);
    const std::uint32_t bucket = bucket_of(*ops[place]);
    if (segments.empty() || bucket != current_bucket || kind != segments.back().kind) {
      segments.push_back({place, place, kind});
      current_bucket = bucket;
    }
    segments.back().end = place + 1;
  }
  return segments;
}

// Returns the backward ops that may run after all others: weight gradients, and the ops that are
// recomputed for them alone.
std::set<const Op*> deferrable(const graph::Program& program) {
  std::set<const Op*> deferred;
  // By whole tensor, since a tensor that was written in pieces may be read as one.
  std::map<TensorId, std::vector<const Op*>> readers;
  for (const Op& op : program.backward) {
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i] == graph::kNoTensor || op.def->operands[i].access == graph::Access::write)
        continue;
      readers[program.owner(op.operands[i])].push_back(&op);
    }
    for (const TensorId count : graph::counts_of(op, program.tensors))
      readers[program.owner(count)].push_back(&op);
  }
  for (auto op = program.backward.rbegin(); op != program.backward.rend(); ++op) {
    const bool weight_gradient = is_weight_gradient_apart(*op);
    bool only_for_them = op->phase == graph::Phase::recompute;
    for (std::size_t i = 0; only_for_them && i < op->operands.size(); ++i) {
      if (op->operands[i] == graph::kNoTensor || op->def->operands[i].access == graph::Access::read)
        continue;
      for (const Op* reader : readers[program.owner(op->operands[i])]) {
        only_for_them = only_for_them && deferred.contains(reader);
      }
    }
    if (weight_gradient || only_for_them) deferred.insert(&*op);
  }
  return deferred;
}

// Returns the output of the embedding, from which the layers start; kNever if the program has no
// embedding.
std::uint32_t embedded(const graph::Program& program) {
  std::uint32_t written = kNever;
  for (const Op& op : program.forward) {
    if (op.region != graph::Region::embedding) continue;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const bool writes = op.def->operands[i].access == graph::Access::write;
      if (writes && op.operands[i] != graph::kNoTensor) {
        written = static_cast<std::uint32_t>(index(program.owner(op.operands[i])));
        break;
      }
    }
  }
  return written;
}

}  // namespace

bool is_weight_gradient_apart(const Op& op) {
  return op.phase == graph::Phase::weight_gradient && op.region != graph::Region::head;
}

std::vector<const Op*> timeline(const graph::Program& program, bool split_weight_gradients) {
  std::vector<const Op*> ops, deferred;
  std::set<const Op*> later;
  if (split_weight_gradients) later = deferrable(program);
  for (const Op& op : program.forward) ops.push_back(&op);
  for (const Op& op : program.backward) (later.contains(&op) ? deferred : ops).push_back(&op);
  ops.insert(ops.end(), deferred.begin(), deferred.end());
  return ops;
}

ActivationPlacement place_activations(const graph::Program& program,
                                      const std::function<std::uint32_t(const Op&)>& bucket_of,
                                      const PlacementRules& rules) {
  ActivationPlacement result;
  result.ops = timeline(program, rules.split_weight_gradients);
  const std::size_t deferred = rules.split_weight_gradients ? deferrable(program).size() : 0;
  const Liveness liveness(program, result.ops);
  const std::uint32_t input = rules.input_as_received ? embedded(program) : kNever;
  result.segments = cut(result.ops, result.ops.size() - deferred, bucket_of);
  const auto segment_of = [&](std::uint32_t place) {
    return static_cast<std::size_t>(
        std::upper_bound(
            result.segments.begin(), result.segments.end(), place,
            [](std::uint32_t p, const SegmentRange& segment) { return p < segment.begin; }) -
        result.segments.begin() - 1);
  };
  // Transients of a segment, or of all segments of a kind, are packed together. The other tensors
  // are packed with those of their slot.
  const auto group_of = [&](std::uint32_t place) {
    const std::size_t segment = segment_of(place);
    return rules.transients_by_kind ? static_cast<std::size_t>(result.segments[segment].kind)
                                    : segment;
  };
  std::vector<std::vector<std::uint32_t>> transients(
      std::max(result.segments.size(), kSegmentKinds));
  std::array<std::vector<std::uint32_t>, kTaskSlots> slots;
  std::vector<Lifetime> all;
  for (std::uint32_t tensor = 0; tensor < program.tensors.size(); ++tensor) {
    if (!liveness.is_activation(tensor) || liveness.root(tensor) != tensor) continue;
    const Lifetime& lifetime = liveness.of_root(tensor);
    const std::size_t first = group_of(lifetime.first), last = group_of(lifetime.last);
    SlotUse slot = liveness.transfer_of_root(tensor);
    if (slot == SlotUse::none && first != last) {
      const bool received = input != kNever && liveness.root(input) == tensor;
      slot = received ? SlotUse::receive_forward : SlotUse::retained;
    }
    (slot == SlotUse::none ? transients[first] : slots[static_cast<std::size_t>(slot)])
        .push_back(tensor);
    all.push_back(lifetime);
  }
  result.peak_live_nbytes = peak_live_bytes(all);
  result.places.resize(program.tensors.size());
  const auto place = [&](const std::vector<std::uint32_t>& group, SlotUse slot,
                         std::uint64_t& nbytes) {
    std::vector<Lifetime> lifetimes;
    lifetimes.reserve(group.size());
    for (const std::uint32_t tensor : group) lifetimes.push_back(liveness.of_root(tensor));
    const Packing packing = pack(lifetimes);
    nbytes = std::max(nbytes, packing.nbytes);
    for (std::size_t i = 0; i < group.size(); ++i) {
      result.places[group[i]] = {.placed = true, .slot = slot, .offset = packing.offsets[i]};
    }
  };
  for (std::size_t use = 0; use < kTaskSlots; ++use) {
    place(slots[use], static_cast<SlotUse>(use), result.slot_nbytes[use]);
  }
  for (const auto& group : transients) place(group, SlotUse::none, result.transient_nbytes);
  for (std::uint32_t tensor = 0; tensor < program.tensors.size(); ++tensor) {
    if (liveness.is_activation(tensor)) {
      result.places[tensor] = result.places[liveness.root(tensor)];
    }
  }
  return result;
}

}  // namespace megascale::plan
