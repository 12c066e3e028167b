// The staging buffer of every plan has room for the largest batch. It belongs to the model state, so
// all other buffers of the state lie at the same offsets too.
#include "megascale/job/batch_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/config/batch_phases.h"
#include "megascale/config/derived.h"

namespace megascale::job {
namespace {

// Returns the configuration of the steps with this size.
Config config_of(const Config& config, std::int64_t size) {
  return size == config.train.global_batch_size ? config : with_batch_size(config, size);
}

JobPlan plan_size(const Config& config, std::int64_t size, std::uint32_t local_ranks,
                  std::size_t cores) {
  const auto most = static_cast<std::uint32_t>(num_micro_batches(config));
  try {
    return plan_job(config_of(config, size), local_ranks, cores, most);
  } catch (Error& error) {
    if (size != config.train.global_batch_size)
      error.add_context(fmt::format("planning steps of {} sequences", size));
    throw;
  }
}

bool has_training_plan(const JobPlan& job, const std::string& digest) {
  return std::any_of(job.stages.begin(), job.stages.end(), [&](const StagePlan& stage) {
    return stage.train.expansion.plan.digest() == digest;
  });
}

bool is_same_place(const plan::ModelState& a, const plan::ModelState& b) {
  return std::equal(a.buffers.begin(), a.buffers.end(), b.buffers.begin(), b.buffers.end(),
                    [](const plan::Buffer& one, const plan::Buffer& other) {
                      return one.name == other.name && one.offset == other.offset &&
                             one.nbytes == other.nbytes;
                    });
}

}  // namespace

std::size_t BatchPlans::number_of(std::int64_t global_batch_size) const {
  const auto found = std::find_if(sizes.begin(), sizes.end(), [&](const BatchPlan& plan) {
    return plan.config.train.global_batch_size == global_batch_size;
  });
  MEGASCALE_CHECK(found != sizes.end(), "all sizes of the ramp are planned");
  return static_cast<std::size_t>(found - sizes.begin());
}

const JobPlan& BatchPlans::of_records(const std::string& digest) const {
  const auto found = std::find_if(sizes.begin(), sizes.end(), [&](const BatchPlan& one) {
    return has_training_plan(one.job, digest);
  });
  return found == sizes.end() ? full() : found->job;
}

BatchPlans plan_batches(const Config& config, std::uint32_t local_ranks, std::size_t cores) {
  BatchPlans plans;
  for (const std::int64_t size : batch_sizes(config.train)) {
    plans.sizes.push_back(
        {.config = config_of(config, size), .job = plan_size(config, size, local_ranks, cores)});
  }
  for (std::size_t s = 0; s < plans.full().stages.size(); ++s) {
    std::uint64_t largest = 0;
    for (const BatchPlan& one : plans.sizes)
      largest = std::max(largest, one.job.stages[s].arena_nbytes);
    for (BatchPlan& one : plans.sizes) {
      MEGASCALE_CHECK(is_same_place(one.job.stages[s].state, plans.full().stages[s].state),
                      "the model state lies at the same place in all plans of a rank");
      one.job.stages[s].arena_nbytes = largest;
    }
  }
  return plans;
}

std::vector<std::string> violations(const BatchPlans& plans) {
  std::vector<std::string> messages;
  for (const BatchPlan& one : plans.sizes) {
    for (const auto* verification : {&one.job.train_verification, &one.job.evaluate_verification}) {
      for (const plan::Violation& violation : verification->violations) {
        messages.push_back(plans.sizes.size() == 1 ? violation.message
                                                   : fmt::format("steps of {} sequences: {}",
                                                                 one.config.train.global_batch_size,
                                                                 violation.message));
      }
    }
  }
  return messages;
}

void require_proven(const BatchPlans& plans) {
  for (const BatchPlan& one : plans.sizes) require_proven(one.job);
}

JobPlan plan_of_records(const Config& config, const std::string& digest,
                        std::uint32_t local_ranks) {
  const std::vector<std::int64_t> sizes = batch_sizes(config.train);
  const auto plan = [&](std::int64_t size) {
    return plan_size(config, size, local_ranks, available_cores());
  };
  JobPlan full = plan(sizes.back());
  if (sizes.size() == 1 || digest.empty() || has_training_plan(full, digest)) return full;
  for (auto size = sizes.rbegin() + 1; size != sizes.rend(); ++size) {
    if (JobPlan smaller = plan(*size); has_training_plan(smaller, digest)) return smaller;
  }
  return full;
}

}  // namespace megascale::job
