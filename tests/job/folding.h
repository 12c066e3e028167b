#ifndef MEGASCALE_TESTS_JOB_FOLDING_H_
#define MEGASCALE_TESTS_JOB_FOLDING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "job/seeded_fault.h"
#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"
#include "megascale/plan/bind.h"
#include "megascale/plan/fold.h"

// Jobs verified folded and unfolded, and jobs of many ranks with a fault in one of them.
namespace megascale::testing {

using PlanPointer = std::shared_ptr<const plan::StepPlan>;

struct Layout {
  std::uint32_t tensor = 1, context = 1, data = 1, pipeline = 1;
  const char* schedule = "1f1b";
  std::uint32_t zero_stage = 0, pieces = 0;
  bool overlap = true;
  const char* optimizer = "adamw";
};
inline std::string name(const Layout& l) {
  return fmt::format("t{}_c{}_d{}_p{}_{}_zero{}_pieces{}_overlap{}_{}", l.tensor, l.context, l.data,
                     l.pipeline, l.schedule, l.zero_stage, l.pieces, l.overlap, l.optimizer);
}

// A small model that the layout divides.
inline job::JobPlan plan_layout(const Layout& l, std::uint32_t micro_batches) {
  const bool interleaved = l.schedule == std::string_view("interleaved");
  const std::uint32_t shares = l.tensor * l.context;  // of heads and tokens
  const std::vector<std::string> settings{
      fmt::format("model.num_layers={}", 2 * l.pipeline),
      fmt::format("model.num_attention_heads={}", shares),
      fmt::format("model.hidden_size={}", 4 * shares),
      fmt::format("model.seq_length={}", 4 * shares),
      fmt::format("train.global_batch_size={}", l.data * micro_batches),
      "train.threads_per_rank=1",
      fmt::format("parallel.world_size={}", shares * l.data * l.pipeline),
      fmt::format("parallel.tensor_model_parallel_size={}", l.tensor),
      fmt::format("parallel.context_parallel_size={}", l.context),
      fmt::format("parallel.pipeline_model_parallel_size={}", l.pipeline),
      fmt::format("parallel.pipeline_schedule={}", l.schedule),
      fmt::format("parallel.virtual_pipeline_size={}", interleaved ? 2 : 1),
      fmt::format("parallel.zero_stage={}", l.zero_stage),
      fmt::format("overlap.tensor_pieces={}", l.pieces),
      fmt::format("overlap.tensor={}", l.overlap),
      fmt::format("overlap.data={}", l.overlap),
      fmt::format("overlap.pipeline={}", l.overlap),
      fmt::format("optimizer.name={}", l.optimizer)};
  return job::plan_job(parse_config("", "test", settings));
}

// The training plan of every rank.
inline std::vector<PlanPointer> plans_by_rank(const job::JobPlan& job) {
  std::vector<PlanPointer> of_stage;
  for (const job::StagePlan& stage : job.stages) {
    of_stage.push_back(std::make_shared<const plan::StepPlan>(stage.train.expansion.plan));
  }
  std::vector<PlanPointer> plans;
  for (std::uint32_t rank = 0; rank < job.grid.world_size(); ++rank) {
    plans.push_back(of_stage[&job.stage_of(rank) - job.stages.data()]);
  }
  return plans;
}

inline plan::Verification verify_unfolded(const std::vector<PlanPointer>& plans,
                                          const parallel::RankGrid& grid) {
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t rank = 0; rank < plans.size(); ++rank) {
    ranks.push_back({plans[rank], plan::bind(*plans[rank], grid, rank)});
  }
  return plan::verify(std::move(ranks));
}

inline std::string messages(const plan::Verification& verification) {
  std::string all;
  for (const plan::Violation& violation : verification.violations) all += violation.message + "\n";
  return all;
}

inline bool names_rank(const plan::Violation& violation, std::uint32_t rank) {
  return violation.rank == rank ||
         violation.message.find(fmt::format("rank {} ", rank)) != std::string::npos ||
         violation.message.find(fmt::format("rank {},", rank)) != std::string::npos;
}

// Both verdicts are the same; every message of the folded one is, word for word, one of the
// unfolded one, and every violation of the unfolded one is there for the class of its rank.
inline ::testing::AssertionResult same_verdict(const std::vector<PlanPointer>& plans,
                                               const parallel::RankGrid& grid) {
  const plan::Verification unfolded = verify_unfolded(plans, grid);
  const plan::Verification folded = plan::verify_folded(plans, grid);
  const auto failure = [&] {
    return ::testing::AssertionFailure() << "folded:\n"
                                         << messages(folded) << "unfolded:\n"
                                         << messages(unfolded);
  };
  if (folded.ok() != unfolded.ok() || folded.ok() == folded.plans.empty()) return failure();
  const plan::Fold fold(grid, plans);
  // Of a transfer that never ends all ranks are named that do not start it, or those that stand
  // for them.
  const auto folded_message = [&](const plan::Violation& violation) {
    constexpr std::string_view kList = "do not start it:";
    const std::size_t list = violation.message.find(kList);
    if (list == std::string::npos) return violation.message;
    std::string text = violation.message.substr(0, list + kList.size());
    std::size_t at = text.size();
    while (at < violation.message.size()) {
      std::size_t used = 0;
      const auto rank = static_cast<std::uint32_t>(std::stoul(violation.message.substr(at), &used));
      at += used;
      if (fold.representative(rank) == rank) text += fmt::format(" {}", rank);
    }
    return text;
  };
  std::size_t hazards = 0, malformed = 0;
  for (const plan::Violation& f : folded.violations) {
    hazards += f.kind == plan::ViolationKind::hazard;
    malformed +=
        f.kind == plan::ViolationKind::malformed || f.kind == plan::ViolationKind::bad_wait;
    if (std::none_of(unfolded.violations.begin(), unfolded.violations.end(), [&](const auto& u) {
          return u.rank == f.rank && folded_message(u) == f.message;
        })) {
      return failure() << "only folded: " << f.message;
    }
  }
  constexpr std::size_t kMost = 8;  // are told of a plan: then others may be left out
  for (const plan::Violation& u : unfolded.violations) {
    const bool is_hazard = u.kind == plan::ViolationKind::hazard;
    if (is_hazard ? hazards >= kMost : malformed >= kMost) continue;
    const bool ordered_pair = u.kind == plan::ViolationKind::issue_order;
    if (std::none_of(folded.violations.begin(), folded.violations.end(), [&](const auto& f) {
          if (f.kind != u.kind) return false;
          if (ordered_pair) return names_rank(f, fold.representative(u.rank));
          return fold.representative(f.rank) == fold.representative(u.rank) && f.task == u.task;
        })) {
      return failure() << "only unfolded: " << u.message;
    }
  }
  return ::testing::AssertionSuccess();
}

// Somewhere the rank and the task are named together.
inline ::testing::AssertionResult names_fault(const plan::Verification& verification,
                                              std::uint32_t rank, const std::string& task) {
  for (const plan::Violation& violation : verification.violations) {
    if (names_rank(violation, rank) && violation.message.find(task) != std::string::npos) {
      return ::testing::AssertionSuccess();
    }
  }
  return ::testing::AssertionFailure()
         << "rank " << rank << " and task " << task << " are not named in:\n"
         << messages(verification);
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_JOB_FOLDING_H_
