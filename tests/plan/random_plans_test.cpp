#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "megascale/plan/clocks.h"
#include "megascale/plan/conflicts.h"
#include "megascale/plan/derive_waits.h"
#include "megascale/plan/verify.h"
#include "support/plan_writer.h"

// Random plans over a small arena, where everything overlaps, against checks that are too slow and
// too simple to be wrong.
namespace megascale::plan {
namespace {

using graph::Access;
using graph::Axis;
using graph::Lane;

constexpr int kPlans = 3000;
constexpr std::uint64_t kArena = 96;
constexpr std::uint32_t kCoordinates = 3;  // of the data axis
constexpr graph::AxisSizes kAxes{{1, 1, kCoordinates, 1, 1, kCoordinates, 1}};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  std::mt19937_64 engine_;
};

Operand random_operand(Random& random, const StepPlan::Tables& tables) {
  const std::uint32_t number = random.below(tables.buffers.size());
  const Buffer& buffer = tables.buffers[number];
  Operand operand{.buffer = BufferId{number}};
  operand.nbytes = random.below(buffer.nbytes + 1);  // 0: touches nothing
  operand.offset = random.below(buffer.nbytes - operand.nbytes + 1);
  operand.access = static_cast<Access>(random.chance(50) ? 0 : random.below(4));
  const std::uint64_t room = buffer.nbytes - operand.offset - operand.nbytes;
  if (random.chance(30) && room >= kCoordinates - 1) {
    operand.term = {.axes = {Axis::data},
                    .k = random.below(kCoordinates),
                    .n = kCoordinates,
                    .stride = room / (kCoordinates - 1) - random.below(room / (kCoordinates - 1))};
  }
  return operand;
}

StepPlan::Tables random_tables(std::uint64_t seed) {
  Random random(seed);
  StepPlan::Tables tables{.axes = kAxes, .arena_nbytes = kArena};
  const std::uint32_t buffers = 2 + random.below(6), tasks = 2 + random.below(24),
                      lanes = 1 + random.below(4);
  for (std::uint32_t b = 0; b < buffers; ++b) {
    Buffer buffer{.name = fmt::format("b{}", b), .nbytes = 4 + random.below(20)};
    if (random.chance(25)) {
      buffer.slot_use = random.chance(50) ? SlotUse::micro_batch : SlotUse::receive_forward;
      buffer.slot_count = 3;
      buffer.slot_stride = random.below(20);
    }
    buffer.offset = random.below(kArena - buffer.nbytes - 2 * buffer.slot_stride);
    if (b > 0 && random.chance(20)) {
      const BufferId parent{random.below(b)};
      buffer.view_of = tables.buffers[index(parent)].view_of == kNoBuffer ? parent : kNoBuffer;
    }
    tables.buffers.push_back(buffer);
  }
  constexpr std::array kLanes{Lane::compute, Lane::data, Lane::forward_send, Lane::host_out};
  for (std::uint32_t t = 0; t < tasks; ++t) {
    PlanOp op{.def = &megascale::testing::work_op(),
              .path = fmt::format("t{}", t),
              .lane = kLanes[random.below(lanes)]};
    for (std::uint32_t i = 0, n = random.below(4); i < n; ++i)
      op.operands.push_back(random_operand(random, tables));
    if (random.chance(10)) op.operands.emplace_back();  // absent
    tables.ops.push_back(op);
    tables.tasks.push_back({.op = OpIndex{t},
                            .micro_batch = static_cast<std::uint16_t>(random.below(3)),
                            .slots = {0, static_cast<std::uint16_t>(random.below(3))},
                            .first = random.chance(50)});
  }
  return tables;
}

Coordinates at_coordinate(std::uint32_t value) {
  Coordinates coordinates{};
  coordinates[static_cast<std::size_t>(Axis::data)] = value;
  return coordinates;
}

// Task pairs (earlier, later) that conflict, from the definition: byte by byte.
using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;
bool operands_conflict(const StepPlan& plan, std::uint32_t a, const Operand& x, std::uint32_t b,
                       const Operand& y, const Coordinates& coordinates) {
  if (x.buffer == kNoBuffer || y.buffer == kNoBuffer) return false;
  const Task &s = plan.tasks()[a], &t = plan.tasks()[b];
  if (StepPlan::access(s, x) == Access::read && StepPlan::access(t, y) == Access::read)
    return false;
  const ByteRange p = plan.range(s, x, coordinates), q = plan.range(t, y, coordinates);
  for (std::uint64_t byte = p.begin; byte < p.end; ++byte) {
    if (byte >= q.begin && byte < q.end) return true;
  }
  return false;
}
Pairs conflicts_by_hand(const StepPlan& plan, const Coordinates& coordinates) {
  Pairs pairs;
  for (std::uint32_t later = 0; later < plan.tasks().size(); ++later) {
    for (std::uint32_t earlier = 0; earlier < later; ++earlier) {
      for (const Operand& x : plan.op(plan.tasks()[earlier]).operands) {
        for (const Operand& y : plan.op(plan.tasks()[later]).operands) {
          if (operands_conflict(plan, earlier, x, later, y, coordinates))
            pairs.emplace(earlier, later);
        }
      }
    }
  }
  return pairs;
}

std::uint32_t task_of(const StepPlan& plan, const Wait& wait) {
  std::uint32_t count = 0;
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    if (plan.op(plan.tasks()[id]).lane == wait.lane && ++count == wait.count) return id;
  }
  return ~0U;
}

// before[a][b]: a is done before b starts, by the closure of lane order and waits.
std::vector<std::vector<bool>> order_by_hand(const StepPlan& plan) {
  const std::size_t n = plan.tasks().size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  for (std::uint32_t b = 0; b < n; ++b) {
    std::vector<std::uint32_t> direct;
    for (std::uint32_t a = 0; a < b; ++a) {
      if (plan.op(plan.tasks()[a]).lane == plan.op(plan.tasks()[b]).lane) direct.push_back(a);
    }
    for (const Wait& wait : plan.waits(plan.tasks()[b])) direct.push_back(task_of(plan, wait));
    for (const std::uint32_t d : direct) {
      before[d][b] = true;
      for (std::uint32_t a = 0; a < n; ++a) before[a][b] = before[a][b] || before[a][d];
    }
  }
  return before;
}

// The later tasks of all pairs that conflict without an order.
std::set<std::uint32_t> hazards_by_hand(const StepPlan& plan, const Coordinates& coordinates) {
  const auto before = order_by_hand(plan);
  std::set<std::uint32_t> tasks;
  for (const auto& [earlier, later] : conflicts_by_hand(plan, coordinates)) {
    if (!before[earlier][later]) tasks.insert(later);
  }
  return tasks;
}

Verification verify_at(const StepPlan& plan, std::uint32_t coordinate) {
  return verify(
      {{std::make_shared<const StepPlan>(plan),
        Binding{.rank = 0, .coordinates = at_coordinate(coordinate), .communicators = {}}}});
}

TEST(RandomPlansTest, DerivedWaitsOrderEveryConflict) {
  std::size_t waits = 0;
  for (int seed = 0; seed < kPlans; ++seed) {
    StepPlan::Tables tables = random_tables(seed);
    derive_waits(tables);
    waits += tables.waits.size();
    const StepPlan plan(tables);
    for (std::uint32_t c = 0; c < kCoordinates; ++c) {
      const Verification verification = verify_at(plan, c);
      ASSERT_TRUE(verification.ok())
          << "seed " << seed << ": " << verification.violations[0].message;
      ASSERT_TRUE(hazards_by_hand(plan, at_coordinate(c)).empty())
          << "seed " << seed << " coordinate " << c;
    }
  }
  EXPECT_GT(waits, std::size_t{kPlans}) << "plans without waits show nothing";
}

TEST(RandomPlansTest, NoDerivedWaitCanBeLeftOut) {
  for (int seed = 0; seed < kPlans / 3; ++seed) {
    StepPlan::Tables tables = random_tables(seed);
    derive_waits(tables);
    for (Task& task : tables.tasks) {
      for (std::uint32_t left_out = 0; left_out < task.wait_count; ++left_out) {
        const StepPlan::Tables kept = tables;
        std::swap(tables.waits[task.first_wait + left_out],
                  tables.waits[task.first_wait + task.wait_count - 1]);
        --task.wait_count;
        const StepPlan plan(tables);
        bool hazard = false;
        for (std::uint32_t c = 0; c < kCoordinates; ++c)
          hazard = hazard || !verify_at(plan, c).ok();
        EXPECT_TRUE(hazard) << "seed " << seed << " task " << (&task - tables.tasks.data())
                            << " wait " << left_out;
        tables.waits = kept.waits;
        ++task.wait_count;
      }
    }
  }
}

// Random waits, some of them of the derived ones: verify() finds a hazard where there is one, and
// nowhere else.
TEST(RandomPlansTest, HazardsAreThoseOfTheDefinition) {
  int with_hazards = 0, without = 0;
  for (int seed = 0; seed < kPlans; ++seed) {
    Random random(1'000'000 + seed);
    StepPlan::Tables tables = random_tables(seed);
    derive_waits(tables);
    const StepPlan derived(tables);
    const std::uint32_t keep = random.chance(50) ? 100 : random.below(100),
                        extra = random.below(30);
    tables.waits.clear();
    for (std::uint32_t id = 0; id < tables.tasks.size(); ++id) {
      Task& task = tables.tasks[id];
      const auto first = static_cast<std::uint32_t>(tables.waits.size());
      for (const Wait& wait : derived.waits(derived.tasks()[id])) {
        if (random.chance(keep)) tables.waits.push_back(wait);
      }
      if (id > 0 && random.chance(extra)) {
        const std::uint32_t earlier = random.below(id);
        Wait wait{.lane = tables.ops[earlier].lane, .count = 0};
        for (std::uint32_t a = 0; a <= earlier; ++a) wait.count += tables.ops[a].lane == wait.lane;
        tables.waits.push_back(wait);
      }
      task.first_wait = first;
      task.wait_count = static_cast<std::uint16_t>(tables.waits.size() - first);
    }
    const StepPlan plan(tables);
    for (std::uint32_t c = 0; c < kCoordinates; ++c) {
      const auto want = hazards_by_hand(plan, at_coordinate(c));
      const Verification got = verify_at(plan, c);
      ASSERT_EQ(got.ok(), want.empty()) << "seed " << seed << " coordinate " << c;
      for (const Violation& violation : got.violations) {
        EXPECT_EQ(violation.kind, ViolationKind::hazard);
        EXPECT_TRUE(want.contains(violation.task)) << "seed " << seed << ": " << violation.message;
      }
      ++(want.empty() ? without : with_hazards);
    }
  }
  EXPECT_GT(with_hazards, kPlans / 4);
  EXPECT_GT(without, kPlans / 4);
}

// Reuse waits are the derived waits for tasks with which no buffer is in conflict, only bytes.
TEST(RandomPlansTest, ReuseWaitsAreThoseWithoutACommonBuffer) {
  std::size_t reuses = 0, flows = 0;
  for (int seed = 0; seed < kPlans; ++seed) {
    StepPlan::Tables tables = random_tables(seed);
    const auto reported = derive_waits(tables);
    const StepPlan plan(tables);
    const auto owner = [&](BufferId id) {
      return plan.buffer(id).view_of == kNoBuffer ? id : plan.buffer(id).view_of;
    };
    Pairs want, got;
    for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
      for (const Wait& wait : plan.waits(plan.tasks()[id])) {
        const std::uint32_t earlier = task_of(plan, wait);
        bool common = false;
        for (const Operand& x : plan.op(plan.tasks()[earlier]).operands) {
          for (const Operand& y : plan.op(plan.tasks()[id]).operands) {
            for (std::uint32_t c = 0; c < kCoordinates; ++c) {
              common = common || (operands_conflict(plan, earlier, x, id, y, at_coordinate(c)) &&
                                  owner(x.buffer) == owner(y.buffer));
            }
          }
        }
        if (!common) want.emplace(earlier, id);
        ++(common ? flows : reuses);
      }
    }
    for (const ReuseWait& reuse : reported) {
      got.emplace(reuse.earlier, reuse.task);
      const auto touches = [&](std::uint32_t task, BufferId buffer) {
        const auto& operands = plan.op(plan.tasks()[task]).operands;
        return std::any_of(operands.begin(), operands.end(),
                           [&](const Operand& x) { return x.buffer == buffer; });
      };
      EXPECT_TRUE(touches(reuse.task, reuse.buffer) && touches(reuse.earlier, reuse.earlier_buffer))
          << "seed " << seed;
      EXPECT_NE(owner(reuse.buffer), owner(reuse.earlier_buffer));
    }
    ASSERT_EQ(got, want) << "seed " << seed;
  }
  EXPECT_GT(reuses, 100U);
  EXPECT_GT(flows, 100U);
}

// Per lane the latest earlier task in conflict at one of the places, and whether the carried ones
// are, from the definition.
TEST(ConflictsTest, AreTheLatestOfTheDefinition) {
  std::size_t found = 0, none = 0;
  for (int seed = 0; seed < kPlans / 2; ++seed) {
    const StepPlan plan(random_tables(seed));
    Random random(seed);
    const std::uint32_t ranks = 1 + random.below(kCoordinates);  // of which this plan is
    std::vector<Coordinates> places;
    for (std::uint32_t c = 0; c < ranks; ++c) places.push_back(at_coordinate(c));
    std::vector<std::uint32_t> carried;
    if (random.chance(50)) carried.push_back(random.below(plan.tasks().size()));
    const PlaceCover cover = cover_places(plan, places);
    Conflicts conflicts(plan, cover, carried);
    std::array<std::uint32_t, graph::kLaneCount> issued{};
    std::vector<std::uint32_t> number;  // in its lane, by task
    for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
      const auto lane_of = [&](std::uint32_t task) {
        return static_cast<std::size_t>(plan.op(plan.tasks()[task]).lane);
      };
      number.push_back(++issued[lane_of(id)]);
      const auto conflict = [&](std::uint32_t earlier) {
        return std::any_of(places.begin(), places.end(), [&](const Coordinates& place) {
          for (const Operand& x : plan.op(plan.tasks()[earlier]).operands) {
            for (const Operand& y : plan.op(plan.tasks()[id]).operands) {
              if (operands_conflict(plan, earlier, x, id, y, place)) return true;
            }
          }
          return false;
        });
      };
      Conflicts::Latest want;
      for (std::uint32_t earlier = 0; earlier < id; ++earlier) {
        if (lane_of(earlier) != lane_of(id) && conflict(earlier)) {
          want.of_step[lane_of(earlier)] = number[earlier];
        }
      }
      for (const std::uint32_t earlier : carried) {
        if (conflict(earlier)) want.carried[lane_of(earlier)] = 1;
      }
      const Conflicts::Latest got = conflicts.next();
      ASSERT_EQ(got.of_step, want.of_step) << "seed " << seed << " task " << id;
      ASSERT_EQ(got.carried, want.carried) << "seed " << seed << " task " << id;
      ++(want.of_step == Clock{} ? none : found);
    }
  }
  EXPECT_GT(found, 1000U);
  EXPECT_GT(none, 1000U);
}

}  // namespace
}  // namespace megascale::plan
