#include "megascale/engine/engine.h"

#include <fmt/format.h>

#include <cstring>

#include "megascale/base/clock.h"
#include "megascale/base/philox.h"
#include "megascale/optimizer/schedule.h"

namespace megascale::engine {

Engine::Engine(const Config& config, Options options)
    : config_(config), options_(std::move(options)), job_(plan_job(config)) {
  if (const std::string wrong = violations(job_); !wrong.empty()) {
    throw Error(ErrorCode::failed, "the plan is wrong, nothing was started:\n" + wrong);
  }
  arena_ = std::make_unique<Arena>(job_.arena_nbytes);
  BatchLoader::Source source{
      .dataset = options_.train,
      .config = config_,
      .numbers = [this](std::int64_t step) { return StepNumbers{step, optimizer::learning_rate(config_.optimizer, step)}; },
      .sample_step = [](std::int64_t step) { return step; }};
  train_loader_ = std::make_unique<BatchLoader>(source, job_.train.batch);
  source.dataset = options_.validation;
  validation_loader_ = std::make_unique<BatchLoader>(source, job_.evaluate.batch);
  train_kernels_ = std::make_unique<PreparedKernels>(train_plan(), kernels::Device::cpu,
                                                     std::map<std::string, TaskFunction*>{{"load_batch", train_loader_.get()}});
  evaluate_kernels_ =
      std::make_unique<PreparedKernels>(job_.evaluate_verification.plans[0].plan(), kernels::Device::cpu,
                                        std::map<std::string, TaskFunction*>{{"load_batch", validation_loader_.get()}});
  executor_ = std::make_unique<runtime::Executor>(wakeup_, options_.executor);
  train_ = executor_->bind(bind(job_.train_verification.plans[0], *train_kernels_));
  evaluate_ = executor_->bind(bind(job_.evaluate_verification.plans[0], *evaluate_kernels_));
  const auto tasks = static_cast<std::uint32_t>(train_plan().tasks().size());
  if (options_.ring.empty()) {
    records_.resize(tasks);
  } else {
    ring_ = std::make_unique<runtime::RecordRing>(options_.ring, tasks, options_.ring_steps, train_plan().digest());
  }
}

Engine::~Engine() = default;

runtime::BoundPlan Engine::bind(const plan::VerifiedPlan& plan, const PreparedKernels& kernels) {
  return {.plan = &plan, .arena = arena_->bytes(), .functions = kernels.functions(), .communicators = {}};
}

void Engine::initialize() {
  for (const plan::ParameterPlace& place : job_.state.parameters) {
    const plan::FlatBucket& bucket = job_.state.buckets[place.bucket];
    float* values = at<float>(job_.state.buffers[plan::index(bucket.masters)]) + place.begin;
    const graph::Parameter& parameter = place.parameter;
    const auto rows = static_cast<std::uint64_t>(place.shape[0].size);
    const std::uint64_t logical = parameter.logical_rows == 0 ? place.count : place.count / rows * static_cast<std::uint64_t>(parameter.logical_rows);
    const auto chunk = std::uint64_t{1} << 16U;
    const PhiloxStream random(static_cast<std::uint64_t>(config_.train.seed), parameter.name);
#pragma omp parallel for schedule(dynamic)
    for (std::uint64_t begin = 0; begin < logical; begin += chunk) {
      const std::span<float> part(values + begin, std::min(chunk, logical - begin));
      if (parameter.initializer.kind == graph::Initializer::Kind::normal) {
        random.fill_normal(part, begin, 0.0, parameter.initializer.stddev);
      } else {
        std::fill(part.begin(), part.end(), parameter.initializer.kind == graph::Initializer::Kind::ones ? 1.0F : 0.0F);
      }
    }
  }
  update_state() = UpdateState{};
}

std::vector<StateTensor> Engine::state() {
  std::vector<StateTensor> tensors;
  for (const plan::ParameterPlace& place : job_.state.parameters) {
    const plan::FlatBucket& bucket = job_.state.buckets[place.bucket];
    StateTensor tensor{.name = place.parameter.name};
    for (const graph::Dim& dim : place.shape) tensor.shape.push_back(dim.size);
    if (place.parameter.logical_rows != 0) tensor.shape[0] = place.parameter.logical_rows;
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.shape) count *= static_cast<std::uint64_t>(size);
    const auto part = [&](plan::BufferId id) {
      return std::span(at<float>(job_.state.buffers[plan::index(id)]) + place.begin, count);
    };
    tensor.weight = part(bucket.masters);
    tensor.first_moment = part(bucket.first_moment);
    tensor.second_moment = part(bucket.second_moment);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

UpdateState& Engine::update_state() { return *at<UpdateState>(job_.state.buffers[plan::index(job_.state.update_state)]); }

void Engine::start_at(std::int64_t step) {
  executor_->drain();
  next_step_ = step;
  train_loader_->set_next(step);
  executor_->run_carried(train_);
}

StepResult Engine::train_step() {
  const std::int64_t step = next_step_++;
  const std::span<TaskRecord> records = ring_ ? ring_->begin_step(step) : std::span<TaskRecord>(records_);
  const std::int64_t begin = monotonic_ns();
  executor_->run_step(train_, records);
  const std::int64_t end = monotonic_ns();
  if (ring_) ring_->end_step(step);
  const auto& scalars = *at<UpdateScalars>(train_plan().buffer(job_.train.scalars));
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
  // The train plan's carried task may still write its staging; this plan's own memory starts behind that.
  validation_loader_->set_next(0);
  double loss = 0, tokens = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    executor_->run_step(evaluate_, {});
    const auto* losses = at<double>(job_.evaluate.expansion.plan.buffer(job_.evaluate.losses));
    for (std::uint32_t m = 0; m < job_.evaluate.batch.micro_batches; ++m) {
      loss += losses[2 * m];
      tokens += losses[2 * m + 1];
    }
  }
  return loss / tokens;
}

}  // namespace megascale::engine
