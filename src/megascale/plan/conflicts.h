#ifndef MEGASCALE_PLAN_CONFLICTS_H_
#define MEGASCALE_PLAN_CONFLICTS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/plan/coordinates.h"
#include "megascale/plan/step_plan.h"

// Finds, for each task, the earlier tasks that must be done before it may touch its bytes. Used
// twice: to derive the waits of a plan, and to prove that the finished plan has no hazard.
namespace megascale::plan {

// Goes through the tasks of a plan in issue order. Two tasks are in conflict if both touch a byte
// and one of them writes it. For the next task, next() returns the latest conflicting task of every
// other lane, at any place. Lanes run in order, so a task that waits for the latest one has waited
// for all.
//
// The arena is cut into cells at every border of an operand. Each cell remembers the latest access
// and the latest write of every lane. Two facts make this fast. A cell that only one lane touches
// has no conflicts and is dropped. Most cells look the same at all places; only a cell that some
// operand reaches by an AxisTerm is remembered for each place (docs/decisions/0007).
class Conflicts {
 public:
  struct Latest {
    // By lane: the number of its tasks that must be done first; 0: none.
    std::array<std::uint32_t, graph::kLaneCount> of_step{};
    // By lane: 1 if carried tasks of the previous step must be done first, else 0.
    std::array<std::uint32_t, graph::kLaneCount> carried{};
  };

  // `plan` must have passed check_structure(); it and `cover` must outlive this object. `carried`:
  // ids of tasks of the previous step that may still run when this step begins.
  Conflicts(const StepPlan& plan, const PlaceCover& cover,
            std::span<const std::uint32_t> carried = {});

  // Returns the conflicts of the next task, in issue order, with earlier tasks of other lanes.
  [[nodiscard]] Latest next();

 private:
  // One operand in one of its slots. Every task with this operand and slot touches the same cells.
  struct Site {
    std::uint32_t first_range = 0;  // index in ranges_; one range, or one per place
    bool varies = false;            // the bytes differ from place to place
  };
  // The sites of an operand, one per slot.
  struct Sites {
    const Operand* operand = nullptr;
    std::uint32_t first = 0, count = 0;  // indices in sites_
    SlotUse slot_use = SlotUse::none;
    bool writes = false;
  };
  // A run of cells, [begin, end).
  struct Cells {
    std::uint32_t begin = 0, end = 0;
  };
  // The latest accesses of one lane to a cell. A number n means the n-th task of the lane, 0 none.
  struct Entry {
    std::uint32_t column = 0;
    std::uint32_t accessed = 0, written = 0;
  };
  // A cell owns one or more rows of entries, with one entry per lane that touches it. The first row
  // holds the latest access at any place. If places are told apart, the second row holds the latest
  // access by operands that are the same at all places. Then one row follows for each place.
  // Numbers only grow, so at a place the larger of the second row and its own row is the latest.
  struct Cell {
    std::uint32_t first_entry = 0;
    std::uint16_t width = 0;  // entries per row
    bool varies = false;      // places are told apart
  };
  // Tasks of the previous step have columns of their own, behind those of the lanes.
  static constexpr std::uint32_t kColumns = 2 * graph::kLaneCount;

  // The parts of the constructor, in the order of their calls.
  void list_operands();
  void find_sites(std::vector<ByteRange>& ranges);
  void cut(const std::vector<ByteRange>& ranges);
  void mark(std::span<const std::uint32_t> carried);
  void find_reaching();
  [[nodiscard]] bool reaches(const Site& site) const;
  [[nodiscard]] std::span<const Sites> operands_of(OpIndex op) const;
  // Notes an access in an entry.
  static void record(Entry& entry, std::uint32_t count, bool writes);
  // Returns the latest task of the entry's lane that conflicts with an access.
  [[nodiscard]] static std::uint32_t in_conflict(const Entry& entry, bool writes);
  // Compares an access with every cell of the site, and notes it there: at all places alike, or at
  // one place.
  void touch(std::uint32_t column, std::uint32_t count, const Site& site, bool writes);
  void visit_all(const Cell& cell, std::uint32_t column, std::uint32_t count, bool writes);
  void visit_one(const Cell& cell, std::size_t place, std::uint32_t column, std::uint32_t count,
                 bool writes);

  const StepPlan* plan_;
  const PlaceCover* cover_;
  // Both are indexed by op, with one more element for the end. first_operand_ points into
  // operands_, which holds the operands that are present. first_reaching_ points into reaching_,
  // which holds those of them that touch a cell that was kept.
  std::vector<std::uint32_t> first_operand_, first_reaching_;
  std::vector<Sites> operands_, reaching_;
  std::vector<Site> sites_;
  std::vector<Cells> ranges_;
  std::vector<Cell> cells_;
  std::vector<Entry> entries_;
  std::uint32_t next_task_ = 0;
  std::array<std::uint32_t, graph::kLaneCount> issued_{};
  std::array<std::uint32_t, kColumns> found_{};  // latest conflicts of the current task, by column
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_CONFLICTS_H_
