// Checks each task by itself: its op, lane, operands, run-time extents, communicator and waits
// exist, and the sizes of a transfer fit its rule. The plan may come from a file, so no number in
// it is trusted. The other checks rely on all that is checked here. If the operands of a transfer
// may share memory, it is checked for every rank that runs the plan, because the place of a rank
// decides which part of the memory is its own.
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "megascale/plan/checks.h"
#include "megascale/plan/coordinates.h"

namespace megascale::plan {
namespace {

// The numbers of a plan may be anything, so sums and products stop at the largest number instead of
// overflowing.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? ~std::uint64_t{0} : result;
}
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? ~std::uint64_t{0} : result;
}

void check_operand(const RankPlan& rank, std::uint32_t id, const Operand& operand,
                   Reporter& reporter) {
  const StepPlan& plan = *rank.plan;
  if (index(operand.buffer) >= plan.buffers().size()) {
    reporter.add(ViolationKind::malformed, id, "names a buffer that does not exist");
    return;
  }
  const Buffer& buffer = plan.buffer(operand.buffer);
  if (operand.term.axes.is_mixed()) {
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("has its part of buffer {} by its place in a group over {}, axes of "
                             "two factorisations of the stage's ranks: there is no such group",
                             buffer.name, graph::to_string(operand.term.axes)));
    return;
  }
  const std::uint64_t reach =
      operand.term.n == 0 ? 0 : product(operand.term.n - 1, operand.term.stride);
  const std::uint64_t end = sum(sum(operand.offset, reach), operand.nbytes);
  if (end > buffer.nbytes) {
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("touches bytes up to {} of buffer {}, which holds {}", end,
                             buffer.name, buffer.nbytes));
  }
  const Task& task = plan.tasks()[id];
  const std::uint32_t slot = buffer.slot_use == SlotUse::none ? 0
                             : buffer.slot_use == SlotUse::micro_batch
                                 ? task.micro_batch
                                 : task.slots[static_cast<std::size_t>(buffer.slot_use)];
  if (slot >= buffer.slot_count) {
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("names slot {} of buffer {}, which has {}", slot, buffer.name,
                             buffer.slot_count));
    return;
  }
  if (sum(sum(buffer.offset, product(buffer.slot_count - 1, buffer.slot_stride)), buffer.nbytes) >
      plan.arena_nbytes()) {
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("buffer {} ends outside the arena of {} bytes", buffer.name,
                             plan.arena_nbytes()));
  }
}

// Checks the elements of a transfer that adds `nbytes` bytes. Returns what was expected; empty if
// the elements are right.
std::string_view wrong_elements(DType dtype, std::uint64_t nbytes) {
  if (dtype != DType::float32 && dtype != DType::float64 && dtype != DType::bfloat16 &&
      dtype != DType::int64) {
    return "float32, float64, bfloat16 or int64 to add";
  }
  return nbytes % itemsize(dtype) == 0 ? "" : "whole elements";
}

// Checks the sizes of a transfer among `n` ranks. Returns what was expected; empty if they are
// right.
std::string_view wrong_sizes(const TransferRule& rule, std::uint64_t sent, std::uint64_t received,
                             std::uint64_t n) {
  const bool cuts = rule.given == TransferRule::Share::block;
  const bool joins = rule.placed == TransferRule::Share::block;
  if (cuts && joins) {
    return sent == received && sent % n == 0 ? "" : "equal sizes and a whole block for every rank";
  }
  if (joins) return received == product(sent, n) ? "" : "every rank's part received";
  if (cuts) return sent == product(received, n) ? "" : "a part for every rank";
  return sent == received ? "" : "equal sizes";
}

// Checks a transfer with a row count per member. Returns what was expected; empty if it is right.
std::string_view wrong_counts(const PlanOp& op, std::uint64_t n) {
  const graph::TransferOperands& named = op.def->transfer_operands;
  const std::int64_t row = op.attributes.integer(graph::attribute::row_nbytes, 0);
  if (row <= 0) return "the bytes of a row (attribute row_nbytes)";
  for (const auto& counts : {named.given_counts, named.taken_counts}) {
    if (op.operands[*counts].nbytes != product(n, sizeof(std::int64_t)))
      return "an int64 count of rows for every rank";
  }
  for (const auto& rows : {named.given, named.taken}) {
    if (op.operands[*rows].nbytes % static_cast<std::uint64_t>(row) != 0) return "whole rows";
  }
  return "";
}

// Checks the operands of a transfer among `n` ranks, on the rank that is member number `me`.
// Returns what is wrong; empty if nothing is.
std::string wrong_shape(const StepPlan& plan, const Task& task, const Coordinates& coordinates,
                        std::uint32_t me, std::uint64_t n) {
  const PlanOp& op = plan.op(task);
  if (op.operands.size() != op.def->operands.size())
    return "does not have the operands of its kind";
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i].buffer != kNoBuffer && op.operands[i].access == op.def->operands[i].access)
      continue;
    return fmt::format("its operand {} is absent, or its access differs from that of its kind",
                       op.def->operands[i].name);
  }
  const graph::TransferOperands& named = op.def->transfer_operands;
  std::uint64_t sent = 0, received = 0;
  ByteRange from, to;
  if (named.given) {
    sent = op.operands[*named.given].nbytes;
    from = plan.range(task, op.operands[*named.given], coordinates);
  }
  if (named.taken) {
    received = op.operands[*named.taken].nbytes;
    to = plan.range(task, op.operands[*named.taken], coordinates);
  }
  const bool shared = overlap(from, to);
  const auto message = [&](std::string_view expected) {
    return fmt::format("sends {} bytes and receives {} among {} ranks: expected {}", sent, received,
                       n, expected);
  };
  const TransferRule& rule = *op.def->transfer;
  if (!rule.is_valid()) return message("a rule that back ends can carry out");
  if (rule.between_two()) return n == 2 ? "" : message("two ranks");
  if (rule.has_offset() &&
      static_cast<std::uint64_t>(op.attributes.integer(graph::attribute::offset, 0)) >= n)
    return message("an offset among them");
  if (rule.has_root() &&
      static_cast<std::uint64_t>(op.attributes.integer(graph::attribute::root, 0)) >= n)
    return message("a root among them");
  if (rule.sum) {
    const std::string_view wrong = wrong_elements(dtype_of(op), received);
    if (!wrong.empty()) return message(wrong);
  }
  if (rule.memory == TransferRule::Memory::same) return "";
  if (rule.counted) {
    const std::string_view wrong = wrong_counts(op, n);
    if (!wrong.empty()) return message(wrong);
    return shared ? message("memory apart") : "";
  }
  const std::string_view wrong = wrong_sizes(rule, sent, received, n);
  if (!wrong.empty()) return message(wrong);
  if (!shared) return "";
  if (rule.memory == TransferRule::Memory::apart) return message("memory apart");
  const bool gathers = rule.placed == TransferRule::Share::block;
  const std::uint64_t whole = gathers ? to.begin : from.begin;
  const std::uint64_t part = gathers ? from.begin : to.begin;
  return part == whole + me * std::min(sent, received)
             ? ""
             : message("the part in its own place of the whole, or apart from it");
}

// Collects the bounds that ops state for the same counts. Memory is placed for the bound, so two
// ops that state different bounds for one count cannot both be right.
class StatedBounds {
 public:
  void check(const StepPlan& plan, std::uint32_t id, const RunTimeExtent& extent,
             Reporter& reporter) {
    const PlanOp& op = plan.op(plan.tasks()[id]);
    const Operand& counts = op.operands[extent.count_operand];
    const std::uint64_t first = counts.offset + extent.first * sizeof(std::int64_t);
    const std::int64_t bound = op.tensors[extent.operand]->shape[extent.axis].size;
    const auto [found, added] =
        bounds_.try_emplace({index(counts.buffer), first, extent.terms}, Stated{bound, id});
    if (found->second.bound == bound) return;
    reporter.add(
        ViolationKind::malformed, id,
        fmt::format("bounds operand {} by {} rows, but task {} ({}) bounds the same count, "
                    "in buffer {}, by {}",
                    op.def->operands[extent.operand].name, bound, found->second.task,
                    plan.task_name(found->second.task), plan.buffer(counts.buffer).name,
                    found->second.bound));
  }

 private:
  struct Stated {
    std::int64_t bound = 0;
    std::uint32_t task = 0;
  };
  // By buffer, byte offset and number of terms.
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint32_t>, Stated> bounds_;
};

// Checks that run-time extents name operands that exist and counts that lie in them, and that all
// ops state the same bound for a count.
void check_extents(const RankPlan& rank, std::uint32_t id, StatedBounds& bounds,
                   Reporter& reporter) {
  const PlanOp& op = rank.plan->op(rank.plan->tasks()[id]);
  for (const RunTimeExtent& extent : op.extents) {
    const bool exists = extent.operand < op.tensors.size() && op.tensors[extent.operand] &&
                        extent.axis < op.tensors[extent.operand]->shape.size() &&
                        extent.count_operand < op.operands.size();
    if (!exists) {
      reporter.add(ViolationKind::malformed, id,
                   fmt::format("has a run-time extent of axis {} of operand {}, counted by operand "
                               "{}, and one of them does not exist",
                               extent.axis, extent.operand, extent.count_operand));
      continue;
    }
    const Operand& counts = op.operands[extent.count_operand];
    const std::uint64_t end = (std::uint64_t{extent.first} + extent.terms) * sizeof(std::int64_t);
    if (counts.buffer != kNoBuffer && end <= counts.nbytes) {
      bounds.check(*rank.plan, id, extent, reporter);
      continue;
    }
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("counts the rows of operand {} by elements {} to {} of operand {}, "
                             "which holds fewer elements",
                             op.def->operands[extent.operand].name, extent.first,
                             extent.first + extent.terms, extent.count_operand));
  }
}

void check_communication(const RankPlan& rank, std::uint32_t id, Reporter& reporter) {
  const StepPlan& plan = *rank.plan;
  const PlanOp& op = plan.op(plan.tasks()[id]);
  const std::size_t number = index(op.communicator);
  if (number >= plan.communicators().size() || number >= rank.binding.communicators.size()) {
    reporter.add(ViolationKind::malformed, id, "communicates without a communicator");
    return;
  }
  const Communicator& communicator = plan.communicators()[number];
  const CommunicatorBinding& group = rank.binding.communicators[number];
  if (communicator.axes.is_mixed()) {
    reporter.add(
        ViolationKind::malformed, id,
        fmt::format("communicates over {}, axes of two factorisations of the stage's ranks: "
                    "there is no such group",
                    graph::to_string(communicator.axes)));
    return;
  }
  if (communicator.factor != graph::HostFactor::none &&
      group.members.size() !=
          graph::factor_size(plan.axes(), communicator.axes, communicator.factor)) {
    reporter.add(
        ViolationKind::malformed, id,
        fmt::format("is planned for hosts of {} ranks, {} members of {} each, but bound to "
                    "{} members",
                    plan.axes().ranks_per_host,
                    graph::factor_size(plan.axes(), communicator.axes, communicator.factor),
                    communicator.name, group.members.size()));
    return;
  }
  if (communicator.lane != op.lane) {
    // With two lanes, the numbers of transfers would depend on timing.
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("is on lane {}, but communicator {} belongs to lane {}",
                             graph::to_string(op.lane), communicator.name,
                             graph::to_string(communicator.lane)));
  }
  if (group.my_index >= group.members.size() ||
      group.members[group.my_index] != rank.binding.rank) {
    reporter.add(ViolationKind::malformed, id,
                 fmt::format("rank {} is not member {} of communicator {}", rank.binding.rank,
                             group.my_index, group.key));
    return;
  }
  const std::string wrong = wrong_shape(plan, plan.tasks()[id], rank.binding.coordinates,
                                        group.my_index, group.members.size());
  if (!wrong.empty()) reporter.add(ViolationKind::malformed, id, wrong);
}

// Repeats the check of a transfer whose operands may share memory at the places of all ranks that
// run the plan. The place of a rank decides which part of the memory is its own.
class OtherPlaces {
 public:
  explicit OtherPlaces(const SharedPlan& shared) : shared_(&shared) {}

  void check(std::uint32_t id, Reporter& reporter) {
    if (shared_->places.size() < 2 || !may_share(id)) return;
    const StepPlan& plan = *shared_->first.plan;
    const Task& task = plan.tasks()[id];
    const PlanOp& op = plan.op(task);
    graph::AxisSet axes = plan.communicators()[index(op.communicator)].axes;
    for (const Operand& operand : op.operands) axes = axes | operand.term.axes;
    const std::size_t n =
        shared_->first.binding.communicators[index(op.communicator)].members.size();
    for (const Place& place : different(axes)) {
      const Communicator& group = plan.communicators()[index(op.communicator)];
      const std::uint32_t me =
          graph::factor_index(plan.axes(), group.axes, group.factor,
                              group.axes.group_index(plan.axes(), place.coordinates));
      const std::string wrong = wrong_shape(plan, task, place.coordinates, me, n);
      if (wrong.empty()) continue;
      reporter.add(ViolationKind::malformed, place.rank, id, wrong);
      return;
    }
  }

 private:
  [[nodiscard]] bool may_share(std::uint32_t id) const {
    const StepPlan& plan = *shared_->first.plan;
    const Task& task = plan.tasks()[id];
    const PlanOp& op = plan.op(task);
    const graph::TransferOperands& named = op.def->transfer_operands;
    if (!named.given || !named.taken || *named.given == *named.taken) return false;
    const PlaceCover anywhere;  // has no enumerated axes, so a range covers the bytes of all places
    return overlap(anywhere.range(plan, task, op.operands[*named.given], {}),
                   anywhere.range(plan, task, op.operands[*named.taken], {}));
  }

  // Returns one place for each combination of coordinates on these axes, without the place of the
  // first rank, which is checked already.
  const std::vector<Place>& different(graph::AxisSet axes) {
    const auto [found, added] = different_.try_emplace(axes);
    if (!added) return found->second;
    const PlaceCover cover{.places = {}, .enumerated = axes};
    std::set<Coordinates> seen{cover.of(shared_->first.binding.coordinates)};
    for (const Place& place : shared_->places) {
      if (seen.insert(cover.of(place.coordinates)).second) found->second.push_back(place);
    }
    return found->second;
  }

  const SharedPlan* shared_;
  std::map<graph::AxisSet, std::vector<Place>> different_;
};

void check_waits(const RankPlan& rank, std::uint32_t id,
                 const std::array<std::uint32_t, graph::kLaneCount>& issued, Reporter& reporter) {
  for (const Wait& wait : rank.plan->waits(rank.plan->tasks()[id])) {
    if (static_cast<std::size_t>(wait.lane) >= graph::kLaneCount) {
      reporter.add(ViolationKind::bad_wait, id, "waits for a lane that does not exist");
      continue;
    }
    const std::uint32_t before = issued[static_cast<std::size_t>(wait.lane)];
    if (wait.count == 0 || wait.count > before) {
      reporter.add(
          ViolationKind::bad_wait, id,
          fmt::format("waits for task {} of lane {}, but that lane has only {} tasks of smaller id",
                      wait.count, graph::to_string(wait.lane), before));
    }
  }
}

}  // namespace

bool check_structure(const SharedPlan& shared, std::vector<Violation>& violations) {
  const RankPlan& rank = shared.first;
  const StepPlan& plan = *rank.plan;
  Reporter reporter(violations, rank);
  OtherPlaces elsewhere(shared);
  StatedBounds bounds;
  std::array<std::uint32_t, graph::kLaneCount> issued{};
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const Task& task = plan.tasks()[id];
    if (index(task.op) >= plan.ops().size() || plan.op(task).def == nullptr) {
      reporter.add(ViolationKind::malformed, id, "names an op that does not exist");
      continue;
    }
    const PlanOp& op = plan.op(task);
    if (static_cast<std::size_t>(op.lane) >= graph::kLaneCount) {
      reporter.add(ViolationKind::malformed, id, "is on a lane that does not exist");
      continue;
    }
    const std::size_t before = reporter.count();
    for (const Operand& operand : op.operands) {
      if (operand.buffer != kNoBuffer) check_operand(rank, id, operand, reporter);
    }
    if (reporter.count() == before) check_extents(rank, id, bounds, reporter);
    if (op.def->transfer && reporter.count() == before) check_communication(rank, id, reporter);
    if (op.def->transfer && reporter.count() == before) elsewhere.check(id, reporter);
    const bool host = op.lane == graph::Lane::host_in || op.lane == graph::Lane::host_out;
    if (task.carried && (op.def->transfer || !host)) {
      reporter.add(ViolationKind::malformed, id,
                   "is carried into the next step, but is no task of a host lane");
    }
    if (std::uint64_t{task.first_wait} + task.wait_count > plan.tables().waits.size()) {
      reporter.add(ViolationKind::bad_wait, id, "has waits outside the plan's table");
    } else {
      check_waits(rank, id, issued, reporter);
    }
    ++issued[static_cast<std::size_t>(op.lane)];
  }
  return reporter.clean();
}

}  // namespace megascale::plan
