// Answers the questions about one plan: where an operand of a task lies, how a task is called, and
// what the digest of the plan is. The digest covers all that changes how a step runs; it is
// compared between ranks before the first step.
#include "megascale/plan/step_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "megascale/base/digest.h"

namespace megascale::plan {

std::string_view to_string(Category category) noexcept {
  switch (category) {
    case Category::parameters:
      return "parameters";
    case Category::masters:
      return "masters";
    case Category::main_gradients:
      return "main_gradients";
    case Category::optimizer_state:
      return "optimizer_state";
    case Category::batches:
      return "batches";
    case Category::staging:
      return "staging";
    case Category::retained:
      return "retained";
    case Category::transients:
      return "transients";
    case Category::scratch:
      return "scratch";
    case Category::results:
      return "results";
    case Category::caches:
      return "caches";
  }
  return "?";
}

StepPlan::StepPlan(Tables tables) : tables_(std::move(tables)) {}

ByteRange StepPlan::range(const Task& task, const Operand& operand,
                          const Coordinates& coordinates) const noexcept {
  const Buffer& owner = buffer(operand.buffer);
  std::uint64_t begin = owner.offset + operand.offset;
  if (owner.slot_use == SlotUse::micro_batch) {
    begin += owner.slot_stride * task.micro_batch;
  } else if (owner.slot_use != SlotUse::none) {
    begin += owner.slot_stride * task.slots[static_cast<std::size_t>(owner.slot_use)];
  }
  if (operand.term.n != 0) {
    const std::uint32_t coordinate = operand.term.axes.group_index(tables_.axes, coordinates);
    begin += ((coordinate + operand.term.k) % operand.term.n) * operand.term.stride;
  }
  return {begin, begin + operand.nbytes};
}

graph::Access StepPlan::access(const Task& task, const Operand& operand) noexcept {
  if (operand.access != graph::Access::first_writes) return operand.access;
  return task.first ? graph::Access::write : graph::Access::accumulate;
}

std::string StepPlan::task_name(std::size_t task) const {
  const Task& t = tables_.tasks[task];
  const PlanOp& o = op(t);
  if (o.phase == graph::Phase::step)
    return fmt::format("step/{}{}{}", o.scope, o.scope.empty() ? "" : "/", o.path);
  const char* direction = o.phase == graph::Phase::forward     ? "fwd"
                          : o.phase == graph::Phase::recompute ? "recompute"
                                                               : "bwd";
  return fmt::format("mb{}/chunk{}/{}/{}/{}", t.micro_batch, o.chunk, o.scope, direction, o.path);
}

std::string StepPlan::digest() const {
  constexpr std::size_t kDigestBatch = 1U << 14U;
  DigestStream stream;
  for (const Buffer& b : tables_.buffers) {
    stream.update(fmt::format("buffer {} {} {} {} {} {} {} {}\n", b.name, to_string(b.category),
                              b.nbytes, b.offset, static_cast<int>(b.slot_use), b.slot_count,
                              b.slot_stride, static_cast<std::uint32_t>(b.view_of)));
  }
  for (const PlanOp& o : tables_.ops) {
    stream.update(fmt::format("op {} {} {} {} {} {} {} {} {}\n", o.def->name, o.scope, o.path,
                              static_cast<int>(o.phase), o.chunk, to_string(o.lane),
                              static_cast<std::uint32_t>(o.communicator), o.has_scratch, o.serial));
    if (o.pair != 0) stream.update(fmt::format("  pair {}\n", o.pair));
    for (const RunTimeExtent& e : o.extents) {
      stream.update(fmt::format("  extent {} {} {} {} {}\n", e.operand, e.axis, e.count_operand,
                                e.first, e.terms));
    }
    for (const auto& [name, value] : o.attributes.values()) {
      std::visit([&, &key = name, kind = value.index()](
                     const auto& v) { stream.update(fmt::format("  {} {} {}\n", key, kind, v)); },
                 value);
    }
    for (const Operand& x : o.operands) {
      stream.update(fmt::format("  {} {} {} {} {} {} {} {}\n", static_cast<std::uint32_t>(x.buffer),
                                x.offset, x.nbytes, static_cast<int>(x.access), x.term.axes.bits(),
                                x.term.k, x.term.n, x.term.stride));
    }
    for (const auto& t : o.tensors) {
      stream.update(
          t ? fmt::format("  {} {}\n", graph::to_string(t->shape), megascale::to_string(t->dtype))
            : "  absent\n");
    }
    for (const FlatSegment& s : o.segments) {
      stream.update(fmt::format("  {} {} {} {} {}\n", s.begin, s.count, s.parameter, s.decay,
                                s.replicated_over.bits()));
      if (s.scales != 0) stream.update(fmt::format("  scales {}\n", s.scales));
    }
  }
  stream.update(fmt::format("arena {} axes {} host {}\n", tables_.arena_nbytes,
                            fmt::join(tables_.axes.sizes, " "), tables_.axes.ranks_per_host));
  for (const Communicator& c : tables_.communicators) {
    stream.update(fmt::format("communicator {} {} {} {} {}\n", c.name, c.axes.bits(),
                              to_string(c.factor), c.edge_offset, to_string(c.lane)));
  }
  // Tasks and waits are most of a plan, so they enter the digest as binary numbers, each wait
  // behind its task. All else is rare and enters as text.
  std::vector<std::uint32_t> numbers;
  for (const Task& t : tables_.tasks) {
    numbers.insert(numbers.end(), {static_cast<std::uint32_t>(t.op), t.wait_count, t.micro_batch,
                                   t.first ? 1U : 0U, t.carried ? 1U : 0U});
    numbers.insert(numbers.end(), t.slots.begin(), t.slots.end());
    for (const Wait& w : waits(t)) {
      numbers.insert(numbers.end(), {static_cast<std::uint32_t>(w.lane), w.count});
    }
    if (numbers.size() < kDigestBatch) continue;
    stream.update(std::as_bytes(std::span(numbers)));
    numbers.clear();
  }
  stream.update(std::as_bytes(std::span(numbers)));
  return stream.finish();
}

double expected_nbytes(const PlanOp& op, std::size_t operand) {
  const auto nbytes = static_cast<double>(op.operands[operand].nbytes);
  if (operand >= op.tensors.size() || !op.tensors[operand]) return nbytes;
  return nbytes * op.tensors[operand]->expected_share();
}

}  // namespace megascale::plan
