// Goal: memory in the course of a step counts each value from its write to its last use.
// Method: records written by hand; and a real plan, whose peak the placement has computed from the order of
// the tasks alone.
#include "megascale/observe/memory_over_time.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"
#include "support/plan_writer.h"

namespace megascale::observe {
namespace {

using graph::Access;
using graph::Lane;
using plan::Category;

std::uint64_t at(const MemoryOverTime& memory, Category category, std::int64_t ns) {
  const auto after = std::ranges::upper_bound(memory.times_ns, ns);
  if (after == memory.times_ns.begin()) return 0;
  return memory.nbytes[static_cast<std::size_t>(category)]
                      [static_cast<std::size_t>(after - memory.times_ns.begin() - 1)];
}

TEST(MemoryOverTimeTest, AValueLivesFromItsWriteToItsLastUse) {
  testing::PlanWriter w;
  const auto a = w.buffer("a", 64), b = w.buffer("b", 128), weights = w.buffer("weights", 256);
  w.tables.buffers[plan::index(weights)].category = Category::parameters;
  const auto nothing = [](const auto&) -> const Error* { return nullptr; };
  w.work(Lane::compute, "write_a", {w.whole(a, Access::write)}, {}, nothing);
  w.work(Lane::compute, "a_to_b",
         {w.whole(a, Access::read), w.whole(weights, Access::read), w.whole(b, Access::write)}, {},
         nothing);
  w.work(Lane::compute, "write_a_again", {w.whole(a, Access::write)}, {}, nothing);
  w.work(Lane::compute, "read_both", {w.whole(a, Access::read), w.whole(b, Access::read)}, {},
         nothing);
  const plan::StepPlan plan(w.tables);
  std::vector<TaskRecord> records(4);
  for (std::int64_t t = 0; t < 4; ++t)
    records[static_cast<std::size_t>(t)] = {
        .start_ns = 100 * t + 10, .matched_ns = 100 * t + 10, .done_ns = 100 * t + 90};
  const MemoryOverTime memory = memory_over_time(plan, records, 100);
  EXPECT_EQ(at(memory, Category::transients, 5), 0U);
  EXPECT_EQ(at(memory, Category::transients, 50), 64U);
  EXPECT_EQ(at(memory, Category::transients, 150), 64U + 128U);
  EXPECT_EQ(at(memory, Category::transients, 200), 128U) << "a has been used for the last time";
  EXPECT_EQ(at(memory, Category::transients, 250), 64U + 128U);
  EXPECT_EQ(at(memory, Category::transients, 395), 0U);
  EXPECT_EQ(at(memory, Category::parameters, 50), 256U);
  const MemoryOverTime few = memory_over_time(plan, records, 2);
  EXPECT_LE(few.times_ns.size(), 2U);
  EXPECT_EQ(*std::ranges::max_element(few.nbytes[static_cast<std::size_t>(Category::transients)]),
            64U + 128U)
      << "the peak stays";
}

TEST(MemoryOverTimeTest, ARealPlanStaysNearItsArena) {
  const Config config = parse_config(
      "[model]\nnum_layers = 2\nhidden_size = 32\nnum_attention_heads = 2\nseq_length = 16\n"
      "[data]\ndata_path = [\"x\"]\n[train]\nglobal_batch_size = 2\nmicro_batch_size = 1\n",
      "test");
  const job::JobPlan job = job::plan_job(config);
  const plan::VerifiedPlan verified = job.plan_of(0, job.train_verification);
  const plan::StepPlan& plan = verified.plan();
  std::vector<TaskRecord> records(plan.tasks().size());
  std::int64_t now = 1000;
  for (TaskRecord& record : records) {
    record.start_ns = record.matched_ns = now;
    record.done_ns = now += 10;
  }
  const MemoryOverTime memory = memory_over_time(plan, records, 100'000);
  std::uint64_t peak = 0;
  for (std::size_t i = 0; i < memory.times_ns.size(); ++i) {
    std::uint64_t sum = 0;
    for (const auto& category : memory.nbytes) sum += category[i];
    peak = std::max(peak, sum);
  }
  // A part of a buffer counts as all of it, so a little more than the arena may be counted.
  EXPECT_LE(peak, plan.arena_nbytes() + plan.arena_nbytes() / 50);
  EXPECT_GT(peak, plan.arena_nbytes() / 2);
  const auto& retained = memory.nbytes[static_cast<std::size_t>(Category::retained)];
  EXPECT_GT(*std::ranges::max_element(retained), 0U);
  EXPECT_EQ(retained.back(), 0U) << "after the backward nothing is retained";
}

}  // namespace
}  // namespace megascale::observe
