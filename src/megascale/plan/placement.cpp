#include "megascale/plan/placement.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "megascale/plan/model_state.h"

namespace megascale::plan {
namespace {

using graph::Op;
using graph::Role;
using graph::TensorId;

constexpr std::uint32_t kNever = ~0U;

// First and last op that touches each tensor; tensors that alias share one entry (a union-find over
// tensors).
class Liveness {
 public:
  Liveness(const graph::Program& program, std::span<const Op* const> ops)
      : program_(&program), root_(program.tensors.size()), lifetimes_(program.tensors.size()) {
    std::iota(root_.begin(), root_.end(), 0U);
    for (Lifetime& lifetime : lifetimes_) lifetime.first = kNever;
    for (std::uint32_t place = 0; place < ops.size(); ++place) {
      for (const TensorId operand : ops[place]->operands) {
        if (operand == graph::kNoTensor || program.tensor(operand).role != Role::activation)
          continue;
        Lifetime& lifetime = lifetimes_[index(operand)];
        if (lifetime.first == kNever) lifetime.first = place;
        lifetime.last = place;
        lifetime.nbytes =
            align_buffer(static_cast<std::uint64_t>(program.tensor(operand).nbytes()));
      }
    }
    for (std::uint32_t place = 0; place < ops.size(); ++place) share_in_place(*ops[place], place);
  }

  [[nodiscard]] bool is_activation(std::size_t tensor) const {
    return lifetimes_[tensor].first != kNever;
  }
  [[nodiscard]] std::uint32_t root(std::uint32_t tensor) const {
    while (root_[tensor] != tensor) tensor = root_[tensor];
    return tensor;
  }
  [[nodiscard]] const Lifetime& of_root(std::size_t tensor) const { return lifetimes_[tensor]; }

 private:
  void share_in_place(const Op& op, std::uint32_t place) {
    for (const graph::InPlace& pair : op.def->in_place) {
      const TensorId output = op.operands[pair.output], input = op.operands[pair.input];
      if (output == graph::kNoTensor || input == graph::kNoTensor) continue;
      if (!is_activation(index(output)) || !is_activation(index(input))) continue;
      const std::uint32_t from = root(static_cast<std::uint32_t>(index(input)));
      const std::uint32_t to = root(static_cast<std::uint32_t>(index(output)));
      Lifetime& dying = lifetimes_[from];
      // Only one output takes the bytes over, and only if nobody reads the input any more.
      if (from == to || dying.last != place || dying.nbytes != lifetimes_[to].nbytes) continue;
      if (lifetimes_[to].first != place) continue;
      root_[to] = from;
      dying.last = lifetimes_[to].last;
      return;
    }
  }

  const graph::Program* program_;
  std::vector<std::uint32_t> root_;
  std::vector<Lifetime> lifetimes_;  // of a root: of all that share its bytes
};

std::vector<SegmentRange> cut(std::span<const Op* const> ops,
                              const std::function<std::uint32_t(const Op&)>& bucket_of) {
  std::vector<SegmentRange> segments;
  std::uint32_t current_bucket = kNever;
  for (std::uint32_t place = 0; place < ops.size(); ++place) {
    const bool backward = ops[place]->phase != graph::Phase::forward;
    const std::uint32_t bucket = bucket_of(*ops[place]);
    if (segments.empty() || bucket != current_bucket || backward != segments.back().backward) {
      segments.push_back({place, place, backward});
      current_bucket = bucket;
    }
    segments.back().end = place + 1;
  }
  return segments;
}

}  // namespace

Packing pack(std::span<const Lifetime> lifetimes) {
  std::vector<std::uint32_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return lifetimes[a].nbytes > lifetimes[b].nbytes;
  });
  Packing packing{std::vector<std::uint64_t>(lifetimes.size()), 0};
  std::vector<std::uint32_t> placed;  // by offset
  for (const std::uint32_t i : order) {
    std::uint64_t offset = 0;
    for (const std::uint32_t other : placed) {
      const bool together = lifetimes[i].first <= lifetimes[other].last &&
                            lifetimes[other].first <= lifetimes[i].last;
      if (!together) continue;
      if (packing.offsets[other] >= offset + lifetimes[i].nbytes) break;
      offset = std::max(offset, packing.offsets[other] + align_buffer(lifetimes[other].nbytes));
    }
    packing.offsets[i] = offset;
    packing.nbytes = std::max(packing.nbytes, offset + align_buffer(lifetimes[i].nbytes));
    const auto position = std::upper_bound(
        placed.begin(), placed.end(), i,
        [&](std::uint32_t a, std::uint32_t b) { return packing.offsets[a] < packing.offsets[b]; });
    placed.insert(position, i);
  }
  return packing;
}

std::uint64_t peak_live_bytes(std::span<const Lifetime> lifetimes) {
  std::map<std::uint32_t, std::int64_t> changes;
  for (const Lifetime& lifetime : lifetimes) {
    changes[lifetime.first] += static_cast<std::int64_t>(lifetime.nbytes);
    changes[lifetime.last + 1] -= static_cast<std::int64_t>(lifetime.nbytes);
  }
  std::int64_t live = 0, peak = 0;
  for (const auto& [place, change] : changes) {
    live += change;
    peak = std::max(peak, live);
  }
  return static_cast<std::uint64_t>(peak);
}

std::vector<const Op*> timeline(const graph::Program& program) {
  std::vector<const Op*> ops;
  for (const Op& op : program.forward) ops.push_back(&op);
  for (const Op& op : program.backward) ops.push_back(&op);
  return ops;
}

ActivationPlacement place_activations(const graph::Program& program,
                                      const std::function<std::uint32_t(const Op&)>& bucket_of) {
  const auto ops = timeline(program);
  const Liveness liveness(program, ops);
  ActivationPlacement result;
  result.segments = cut(ops, bucket_of);
  const auto segment_of = [&](std::uint32_t place) {
    return static_cast<std::size_t>(
        std::upper_bound(
            result.segments.begin(), result.segments.end(), place,
            [](std::uint32_t p, const SegmentRange& segment) { return p < segment.begin; }) -
        result.segments.begin() - 1);
  };
  // Roots that live in one segment are packed with the others of it, the rest in the slot (group
  // 0).
  std::vector<std::vector<std::uint32_t>> groups(result.segments.size() + 1);
  std::vector<Lifetime> all;
  for (std::uint32_t tensor = 0; tensor < program.tensors.size(); ++tensor) {
    if (!liveness.is_activation(tensor) || liveness.root(tensor) != tensor) continue;
    const Lifetime& lifetime = liveness.of_root(tensor);
    const std::size_t first = segment_of(lifetime.first), last = segment_of(lifetime.last);
    groups[first == last ? first + 1 : 0].push_back(tensor);
    all.push_back(lifetime);
  }
  result.peak_live_nbytes = peak_live_bytes(all);
  result.places.resize(program.tensors.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<Lifetime> lifetimes;
    for (const std::uint32_t tensor : groups[g]) lifetimes.push_back(liveness.of_root(tensor));
    const Packing packing = pack(lifetimes);
    std::uint64_t& nbytes = g == 0 ? result.slot_nbytes : result.transient_nbytes;
    nbytes = std::max(nbytes, packing.nbytes);
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      result.places[groups[g][i]] = {
          .placed = true, .retained = g == 0, .offset = packing.offsets[i]};
    }
  }
  for (std::uint32_t tensor = 0; tensor < program.tensors.size(); ++tensor) {
    if (liveness.is_activation(tensor))
      result.places[tensor] = result.places[liveness.root(tensor)];
  }
  return result;
}

}  // namespace megascale::plan
