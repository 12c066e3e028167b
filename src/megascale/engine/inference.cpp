// Runs the decoding plan and the evaluation plan of a trained model. feed() writes the new tokens,
// their positions and the counts (new tokens, tokens in the cache) to the staging buffer and runs
// one step of the decoding plan, whose run-time extents are these counts.
#include "megascale/engine/inference.h"

#include <algorithm>
#include <numeric>

#include "megascale/engine/evaluate.h"
#include "megascale/engine/thread_limit.h"
#include "megascale/job/job_plan.h"

namespace megascale::engine {

Inference::Inference(const Config& config, const Dataset* data)
    : config_(config), job_(job::plan_inference(config)) {
  if (const std::string wrong =
          job::violations({&job_.evaluate_verification, &job_.decode_verification});
      !wrong.empty()) {
    throw Error(ErrorCode::failed, "the plan is wrong, nothing was started:\n" + wrong);
  }
  loader_ = std::make_unique<BatchLoader>(BatchLoader::Source{.dataset = data,
                                                              .config = config_,
                                                              .numbers =
                                                                  [](std::int64_t step) {
                                                                    return StepNumbers{step, 0};
                                                                  }},
                                          job_.evaluate.batch);
  require_threads(job_.kernels.threads + kServersPerRank);
  set_threads(job_.kernels.threads);
  rank_ = std::make_unique<Rank>(Rank::Options{
      .arena_nbytes = job_.arena_nbytes, .kernels = job_.kernels, .wakeup = &wakeup_});
  decode_ = rank_->add(job_.decode_verification.plans[0], {});
  evaluate_ = rank_->add(job_.evaluate_verification.plans[0], {{"load_batch", loader_.get()}});
}

Inference::~Inference() = default;

std::span<const float> Inference::feed(std::span<const std::int32_t> tokens) {
  MEGASCALE_CHECK(!tokens.empty() && cached_ + tokens.size() <= capacity(),
                  "more tokens than the cache holds");
  const plan::StepPlan& plan = job_.decode.expansion.plan;
  std::byte* staging =
      rank_->at<std::byte>(plan.buffer(job_.decode.staging)) + plan::BatchLayout::kHeader;
  for (const plan::BatchLayout::Field& field : job_.decode.batch.fields) {
    auto* values = reinterpret_cast<std::int32_t*>(staging + field.offset);
    auto* counts = reinterpret_cast<std::int64_t*>(staging + field.offset);
    switch (field.field) {
      case graph::BatchField::counts:
        counts[0] = static_cast<std::int64_t>(tokens.size());
        counts[1] = static_cast<std::int64_t>(cached_ + tokens.size());
        break;
      case graph::BatchField::tokens:
        std::copy(tokens.begin(), tokens.end(), values);
        break;
      case graph::BatchField::positions:
        std::iota(values, values + tokens.size(), static_cast<std::int32_t>(cached_));
        break;
      default:
        MEGASCALE_CHECK(false, field.name);
    }
  }
  rank_->runner().run_step(decode_, {});
  cached_ += tokens.size();
  return {rank_->at<float>(plan.buffer(job_.decode.logits)),
          static_cast<std::size_t>(config_.model.vocab_size)};
}

double Inference::evaluate(std::int64_t steps) {
  return engine::evaluate(*rank_, evaluate_, job_.evaluate, *loader_, steps);
}

}  // namespace megascale::engine
