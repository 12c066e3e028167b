// Orders the transfers of buckets by their consumers. A bucket is gathered when the forward pass is
// about to need it, so the gathers stand in the order of first reads. A bucket is reduced when its
// gradients are complete, so its reduction follows the last segment that writes them.
#include "megascale/plan/bucket_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

namespace megascale::plan {

std::vector<std::uint32_t> buckets_by_first_use(std::span<const graph::Program* const> chunks,
                                                const ModelState& state) {
  std::map<std::pair<std::uint32_t, graph::TensorId>, std::uint32_t> bucket_of;  // by chunk, tensor
  for (const ParameterPlace& place : state.parameters) {
    const graph::Parameter& parameter = chunks[place.chunk]->parameters[place.in_chunk];
    bucket_of[{place.chunk, parameter.tensor}] = place.bucket;
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t c = 0; c < chunks.size(); ++c) {
    for (const graph::Op& op : chunks[c]->forward) {
      for (const graph::TensorId operand : op.operands) {
        if (operand == graph::kNoTensor) continue;
        // A product of some experts reads a part of a parameter.
        const auto found = bucket_of.find({c, chunks[c]->owner(operand)});
        if (found == bucket_of.end()) continue;
        if (std::find(order.begin(), order.end(), found->second) == order.end())
          order.push_back(found->second);
      }
    }
  }
  return order;
}

std::vector<std::uint32_t> last_writers(const PlanTemplate& plan_template,
                                        const ModelState& state) {
  std::map<BufferId, std::uint32_t> bucket_of;  // by buffer of main gradients
  for (std::uint32_t b = 0; b < state.buckets.size(); ++b) {
    if (!state.buckets[b].is_trained()) continue;
    bucket_of[state.buckets[b].gradients] = b;
    if (state.buckets[b].second_use_gradients != kNoBuffer)
      bucket_of[state.buckets[b].second_use_gradients] = b;
  }
  std::vector<std::uint32_t> last(state.buckets.size(), ~0U);
  for (std::uint32_t s = 0; s < plan_template.segments.size(); ++s) {
    const Segment& segment = plan_template.segments[s];
    for (std::uint32_t o = segment.first_op; o < segment.first_op + segment.op_count; ++o) {
      for (const Operand& operand : plan_template.ops[o].operands) {
        const auto found = bucket_of.find(operand.buffer);
        if (found != bucket_of.end()) last[found->second] = s;
      }
    }
  }
  return last;
}

}  // namespace megascale::plan
