// Runs the decoding plan and the evaluation plan of a trained model. feed() writes the new tokens,
// their positions and the counts to the staging buffer and runs one step of the decoding plan, whose
// run-time extents are these counts.
#include "megascale/engine/inference.h"

#include <algorithm>
#include <numeric>

#include "megascale/engine/evaluate.h"
#include "megascale/engine/thread_limit.h"
#include "megascale/job/job_plan.h"
#include "megascale/kernels/cpu/dot_rows.h"

namespace megascale::engine {

static_assert(Inference::kTokensTogether == kernels::cpu::kDotRowsMost);

Inference::Inference(const Config& config, const Dataset* data, const model::DecodeShape& decode)
    : config_(config),
      job_(job::plan_inference(config, available_cores(), decode)),
      cached_(static_cast<std::size_t>(decode.sequences)) {
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

void Inference::keep(std::size_t sequence, std::size_t tokens) {
  MEGASCALE_CHECK(tokens <= cached_.at(sequence), "tokens that are cached are kept");
  cached_[sequence] = tokens;
}

LogitRows Inference::feed(std::span<const SequenceTokens> step) {
  std::size_t tokens = 0, rows = 0;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const SequenceTokens& one = step[i];
    MEGASCALE_CHECK(one.sequence < sequences() && (i == 0 || one.sequence > step[i - 1].sequence),
                    "sequences in ascending order");
    MEGASCALE_CHECK(!one.tokens.empty() && one.last_rows <= one.tokens.size() &&
                        one.tokens.size() <= capacity() - cached(one.sequence),
                    "at least one token, and no more than the cache has room for");
    tokens += one.tokens.size();
    rows += one.last_rows;
  }
  MEGASCALE_CHECK(tokens > 0 && tokens <= most_tokens() && rows <= most_rows(),
                  "at most the tokens and logits of a step");
  const plan::StepPlan& plan = job_.decode.expansion.plan;
  std::byte* staging =
      rank_->at<std::byte>(plan.buffer(job_.decode.staging)) + plan::BatchLayout::kHeader;
  for (const plan::BatchLayout::Field& field : job_.decode.batch.fields)
    fill(field, staging + field.offset, step, tokens, rows);
  rank_->runner().run_step(decode_, {});
  for (const SequenceTokens& one : step) cached_[one.sequence] += one.tokens.size();
  const plan::Buffer& logits = plan.buffer(job_.decode.logits);
  return {rank_->at<float>(logits), rows, static_cast<std::size_t>(config_.model.vocab_size),
          logits.nbytes / sizeof(float) / most_rows()};
}

void Inference::fill(const plan::BatchLayout::Field& field, std::byte* to,
                     std::span<const SequenceTokens> step, std::size_t tokens,
                     std::size_t rows) const {
  auto* values = reinterpret_cast<std::int32_t*>(to);
  auto* counts = reinterpret_cast<std::int64_t*>(to);
  switch (field.field) {
    case graph::BatchField::counts:
      *counts++ = static_cast<std::int64_t>(tokens);
      *counts++ = static_cast<std::int64_t>(rows);
      for (std::size_t sequence = 0; sequence < sequences(); ++sequence) {
        const bool is_new = !step.empty() && step.front().sequence == sequence;
        const std::size_t added = is_new ? step.front().tokens.size() : 0;
        *counts++ = static_cast<std::int64_t>(added);
        *counts++ = static_cast<std::int64_t>(cached(sequence) + added);
        *counts++ = is_new ? static_cast<std::int64_t>(step.front().last_rows) : 0;
        if (is_new) step = step.subspan(1);
      }
      break;
    case graph::BatchField::tokens:
      for (const SequenceTokens& one : step) values = std::ranges::copy(one.tokens, values).out;
      break;
    case graph::BatchField::positions:
      for (const SequenceTokens& one : step) {
        std::iota(values, values + one.tokens.size(),
                  static_cast<std::int32_t>(cached(one.sequence)));
        values += one.tokens.size();
      }
      break;
    default:
      MEGASCALE_CHECK(false, field.name);
  }
}

double Inference::evaluate(std::int64_t steps) {
  return engine::evaluate(*rank_, evaluate_, job_.evaluate, *loader_, steps);
}

}  // namespace megascale::engine
