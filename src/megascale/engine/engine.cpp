#include "megascale/engine/engine.h"

#include "megascale/base/clock.h"
#include "megascale/engine/evaluate.h"
#include "megascale/optimizer/schedule.h"

namespace megascale::engine {

Engine::Engine(const Config& config, Options options)
    : config_(config), options_(std::move(options)), job_(plan_job(config)) {
  if (const std::string wrong = violations({&job_.train_verification, &job_.evaluate_verification});
      !wrong.empty()) {
    throw Error(ErrorCode::failed, "the plan is wrong, nothing was started:\n" + wrong);
  }
  BatchLoader::Source source{
      .dataset = options_.train, .config = config_, .numbers = [this](std::int64_t step) {
        return StepNumbers{step, optimizer::learning_rate(config_.optimizer, step)};
      }};
  train_loader_ = std::make_unique<BatchLoader>(source, job_.train.batch);
  source.dataset = options_.validation;
  validation_loader_ = std::make_unique<BatchLoader>(source, job_.evaluate.batch);
  rank_ = std::make_unique<Rank>(job_.arena_nbytes, options_.executor);
  train_ = rank_->add(job_.train_verification.plans[0], {{"load_batch", train_loader_.get()}});
  evaluate_ =
      rank_->add(job_.evaluate_verification.plans[0], {{"load_batch", validation_loader_.get()}});
  if (options_.ring.empty()) records_.resize(train_plan().tasks().size());
}

Engine::~Engine() = default;

void Engine::initialize() {
  engine::initialize(*rank_, job_.state, config_.train.seed);
  update_state() = UpdateState{};
}

UpdateState& Engine::update_state() {
  return *rank_->at<UpdateState>(job_.state.buffers[plan::index(job_.state.update_state)]);
}

void Engine::start_at(std::int64_t step) {
  rank_->executor().drain();
  // Not before: what fails or has nothing to do leaves the records of the run as they are.
  if (!options_.ring.empty() && !ring_) {
    ring_ = std::make_unique<runtime::RecordRing>(
        options_.ring, static_cast<std::uint32_t>(train_plan().tasks().size()), options_.ring_steps,
        train_plan().digest());
  }
  next_step_ = step;
  train_loader_->set_next(step);
  rank_->executor().run_carried(train_);
}

StepResult Engine::train_step() {
  const std::int64_t step = next_step_++;
  const std::span<TaskRecord> records =
      ring_ ? ring_->begin_step(step) : std::span<TaskRecord>(records_);
  const std::int64_t begin = monotonic_ns();
  rank_->executor().run_step(train_, records);
  const std::int64_t end = monotonic_ns();
  if (ring_) ring_->end_step(step);
  const auto& scalars = *rank_->at<UpdateScalars>(train_plan().buffer(job_.train.scalars));
  return {.step = step,
          .loss = scalars.loss_sum / scalars.valid_tokens,
          .gradient_norm = scalars.gradient_norm,
          .learning_rate = scalars.learning_rate,
          .valid_tokens = static_cast<std::int64_t>(scalars.valid_tokens),
          .skipped = scalars.skip != 0,
          .seconds = static_cast<double>(end - begin) * 1e-9,
          .records = records};
}

double Engine::evaluate(std::int64_t steps) {
  // The train plan's carried task may still write its staging; the evaluation plan's own memory
  // starts behind that.
  return engine::evaluate(*rank_, evaluate_, job_.evaluate, *validation_loader_, steps);
}

}  // namespace megascale::engine
