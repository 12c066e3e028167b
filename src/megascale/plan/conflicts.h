#ifndef MEGASCALE_PLAN_CONFLICTS_H_
#define MEGASCALE_PLAN_CONFLICTS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/plan/coordinates.h"
#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// Which earlier tasks must be done before a task may touch its bytes. Fed with a plan's tasks in
// issue order it says, per lane, the latest earlier task that the next one conflicts with at any of
// the places: both touch a byte and one of them writes it. Lanes are in order, so whoever waits for
// the latest has waited for all.
//
// The arena is cut into cells at every border of an operand. A cell remembers per lane the latest
// access and the latest write. What need not be remembered is what makes this fast: cells that only
// one lane touches have no conflicts, and only cells that some operand reaches by an axis term are
// remembered for every place; the others look the same at all of them.
class Conflicts {
 public:
  struct Latest {
    // By lane: how many of its tasks must be done; 0: none.
    std::array<std::uint32_t, graph::kLaneCount> of_step{};
    // By lane: whether carried tasks of the step before must be done.
    std::array<std::uint32_t, graph::kLaneCount> carried{};
  };

  // `plan` must have a good structure (check_structure) and outlive this. `carried`: ids of tasks
  // of the step before that may still run when this one begins.
  Conflicts(const StepPlan& plan, const PlaceCover& cover,
            std::span<const std::uint32_t> carried = {});

  // The conflicts of the next task in issue order with earlier ones of other lanes.
  [[nodiscard]] Latest next();

 private:
  // An operand with one of its slots: the same cells for every task that has both.
  struct Site {
    std::uint32_t first_range = 0;  // into ranges_; one, or one per place
    bool varies = false;            // over places
  };
  // The sites of an operand, by slot.
  struct Sites {
    const Operand* operand = nullptr;
    std::uint32_t first = 0, count = 0;  // in sites_
    SlotUse slot_use = SlotUse::none;
    bool writes = false;
  };
  struct Cells {
    std::uint32_t begin = 0, end = 0;
  };
  // What one lane did to a cell: places of tasks in the lane, from 1.
  struct Entry {
    std::uint32_t column = 0;
    std::uint32_t accessed = 0, written = 0;
  };
  // Rows of entries. The first: what was done at some place. Where places are told apart, the
  // second is what was done at all places alike, and then comes what was done at each place alone;
  // counts only grow, so the larger of the two is the latest there.
  struct Cell {
    std::uint32_t first_entry = 0;
    std::uint16_t width = 0;  // of a row
    bool varies = false;      // places are told apart
  };
  // Tasks of the step before have the columns behind those of the lanes.
  static constexpr std::uint32_t kColumns = 2 * graph::kLaneCount;

  void list_operands();
  void find_sites(std::vector<ByteRange>& ranges);
  void cut(const std::vector<ByteRange>& ranges);
  void mark(std::span<const std::uint32_t> carried);
  void find_reaching();
  [[nodiscard]] bool reaches(const Site& site) const;
  [[nodiscard]] std::span<const Sites> operands_of(OpIndex op) const;
  static void record(Entry& entry, std::uint32_t count, bool writes);
  // The latest task of the entry's lane that an access must come after.
  [[nodiscard]] static std::uint32_t in_conflict(const Entry& entry, bool writes);
  void touch(std::uint32_t column, std::uint32_t count, const Site& site, bool writes);
  void visit_all(const Cell& cell, std::uint32_t column, std::uint32_t count, bool writes);
  void visit_one(const Cell& cell, std::size_t place, std::uint32_t column, std::uint32_t count,
                 bool writes);

  const StepPlan* plan_;
  const PlaceCover* cover_;
  // By op, then the end of the last: into operands_, which holds those that are present, and into
  // reaching_, those of them that reach cells which are remembered.
  std::vector<std::uint32_t> first_operand_, first_reaching_;
  std::vector<Sites> operands_, reaching_;
  std::vector<Site> sites_;
  std::vector<Cells> ranges_;
  std::vector<Cell> cells_;
  std::vector<Entry> entries_;
  std::uint32_t next_task_ = 0;
  std::array<std::uint32_t, graph::kLaneCount> issued_{};
  std::array<std::uint32_t, kColumns> found_{};  // by the task that is being visited
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_CONFLICTS_H_
