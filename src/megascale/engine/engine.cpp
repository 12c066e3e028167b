// Runs the training and the evaluation plan of one rank in one arena. The constructor does all work
// that does not depend on a step: it prepares kernels, binds both plans to memory and communicators
// and connects them to the data. A step then only runs the plan and reads its scalar results.
#include "megascale/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "megascale/base/clock.h"
#include "megascale/engine/evaluate.h"
#include "megascale/engine/sequence_fields.h"
#include "megascale/engine/sequence_scores.h"
#include "megascale/optimizer/schedule.h"
#include "megascale/runtime/task_repeater.h"

namespace megascale::engine {

Engine::Engine(const Config& config, const job::JobPlan& job, Options options)
    : config_(config), options_(std::move(options)), job_(&job) {
  job::require_proven(job);
  stage_ = &job.stage_of(options_.rank);
  train_plan_ = job.plan_of(options_.rank, job.train_verification);
  evaluate_plan_ = job.plan_of(options_.rank, job.evaluate_verification);
  set_threads(job.kernels.threads);
  const graph::Coordinates place = job.grid.coordinates(options_.rank);
  snapshot_layout_.emplace(stage_->state, job.grid.sizes(), place);
  BatchLoader::Source source{
      .dataset = options_.train,
      .config = config_,
      .data_rank = place[static_cast<std::size_t>(graph::Axis::data)],
      .context_rank = place[static_cast<std::size_t>(graph::Axis::context)],
      .seat = options_.train_seat,
      .numbers = [this](std::int64_t step) {
        return StepNumbers{step, optimizer::learning_rate(config_.optimizer, step)};
      }};
  if (config_.model.moe.routing_replay != RoutingReplay::none) {
    train_routes_.emplace(config_, place, stage_->train.batch);
    validation_routes_.emplace(config_, place, stage_->evaluate.batch);
  }
  const bool replays = config_.model.moe.routing_replay == RoutingReplay::replay;
  if (replays) {
    const std::filesystem::path directory = routing_directory(config_);
    if (!std::filesystem::is_directory(directory)) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("moe.routing_replay_dir: expected the folder of recorded routes, found "
                      "no folder {}; record a run with moe.routing_replay = \"record\"",
                      directory.string()));
    }
  }
  source.other_fields = [this, replays, data_rank = source.data_rank](std::byte* batch,
                                                                      std::int64_t step) {
    if (replays) train_routes_->load(batch, train_routes_->of_step(step + 1));
    fill_sequence_fields(
        config_, data_rank, stage_->train.batch, batch, step, [this](std::int64_t sample) {
          if (reference_.empty()) return 0.0;
          const std::int64_t place = options_.train->place_of(samples_before_ + sample);
          return reference_[static_cast<std::size_t>(place)];
        });
  };
  train_loader_ = std::make_unique<BatchLoader>(source, stage_->train.batch);
  source.other_fields = nullptr;
  if (replays) {
    source.other_fields = [this](std::byte* batch, std::int64_t step) {
      validation_routes_->load(
          batch, validation_routes_->of_evaluation(next_step_, evaluation_batches_before_ + step));
    };
  }
  source.dataset = nullptr;  // evaluate() names it
  source.seat = options_.validation_seat;
  validation_loader_ = std::make_unique<BatchLoader>(source, stage_->evaluate.batch);
  if (config_.train.repeat_interval > 0) {
    options_.runner.repeat_interval = static_cast<std::uint32_t>(config_.train.repeat_interval);
    require_memory(
        stage_->arena_nbytes + std::max(runtime::TaskRepeater::nbytes_for(*train_plan_),
                                        runtime::TaskRepeater::nbytes_for(*evaluate_plan_)),
        "an arena, with the copies for train.repeat_interval,");
  }
  Wakeup& wakeup = options_.wakeup != nullptr ? *options_.wakeup : own_wakeup_;
  rank_ = std::make_unique<Rank>(Rank::Options{.arena_nbytes = stage_->arena_nbytes,
                                               .arena = options_.arena,
                                               .kernels = job.kernels,
                                               .device = options_.device,
                                               .wakeup = &wakeup,
                                               .runner = options_.runner});
  train_ = add(*train_plan_, *train_loader_);
  evaluate_ = add(*evaluate_plan_, *validation_loader_);
  train_staging_ = rank_->runner().staging(train_, stage_->train.staging);
  outcomes_.emplace(train_plan(), stage_->state, place, rank_->functions(train_));
  options_.records.groups = outcomes_->groups();
  records_.emplace(options_.records, train_plan(), options_.rank);
  const bool on_cores = job.kernels.device == kernels::Device::cpu;
  core_meter_.emplace(on_cores ? job.kernels.threads : 0, rank_->runner().lane_threads());
}

Engine::~Engine() = default;

std::size_t Engine::add(const plan::VerifiedPlan& plan, BatchLoader& loader) {
  std::map<std::string, TaskFunction*> own{{"load_batch", &loader}};
  if (!options_.computes) {
    for (const plan::PlanOp& op : plan.plan().ops()) {
      if (!op.def->transfer) own.try_emplace(std::string(op.def->name), &idle_);
    }
  }
  return rank_->add(plan, own, options_.communicators);
}

std::vector<StatePart> Engine::state_to_load() {
  return state_parts(rank_->memory().state(stage_->state), stage_->state, job_->grid.sizes(),
                     job_->grid.coordinates(options_.rank));
}

void Engine::restore(const UpdateState& update, std::int64_t steps_done) {
  rank_->memory().put_state(stage_->state, job_->grid.sizes(),
                            job_->grid.coordinates(options_.rank));
  rank_->write(update_state_buffer(), update);
  next_step_ = steps_done;
}

void Engine::initialize() {
  engine::initialize(state_to_load(), stage_->state, config_.train.seed);
  restore(UpdateState{}, 0);
}

StateSnapshot Engine::new_snapshot() const {
  const bool on_host = job_->kernels.device == kernels::Device::cpu;
  require_memory(snapshot_layout_->nbytes() + (on_host ? stage_->arena_nbytes : 0),
                 "an arena, with a snapshot of the state for saves,");
  return StateSnapshot(*snapshot_layout_);
}

void Engine::snapshot_into(StateSnapshot& snapshot) const {
  rank_->memory().copy_out(snapshot_layout_->ranges(), snapshot.memory_->bytes().data());
  snapshot.update_ = update_state();
  snapshot.step_ = next_step_;
}

StateSnapshot Engine::snapshot() const {
  StateSnapshot taken = new_snapshot();
  snapshot_into(taken);
  return taken;
}

UpdateState Engine::update_state() const {
  return rank_->read_one<UpdateState>(update_state_buffer());
}

const plan::Buffer& Engine::update_state_buffer() const {
  return stage_->state.buffers[plan::index(stage_->state.update_state)];
}

void Engine::start_at(std::int64_t step, std::int64_t samples_before) {
  rank_->runner().drain();
  records_->open(step);
  next_step_ = step;
  samples_before_ = samples_before;
  train_loader_->set_next(step, samples_before);
  rank_->runner().run_carried(train_);
}

StepResult Engine::train_step(const Votes& own) {
  const double sum = own.sum();
  std::memcpy(train_staging_ + offsetof(StepNumbers, votes), &sum, sizeof sum);
  const std::int64_t step = next_step_++;
  const std::span<TaskRecord> records = records_->begin(step);
  core_meter_->begin();
  const std::int64_t begin = monotonic_ns();
  try {
    rank_->runner().run_step(train_, records);
  } catch (Error& error) {
    error.add_context(fmt::format("running step {}", step + 1));
    throw;
  }
  const std::int64_t end = monotonic_ns();
  records_->end(step);
  if (records_routes())
    save_routes(*train_routes_, stage_->train, train_routes_->of_step(step + 1));
  const auto scalars = rank_->read_one<UpdateScalars>(train_plan().buffer(stage_->train.scalars));
  if (options_.computes && !(scalars.valid_tokens > 0)) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("step {}: expected a token with a target in the batch, found none: with "
                    "data.packed_documents a document of one token has no target, and a loss "
                    "mask leaves out all that the model shall not say (data.whole_documents takes "
                    "no document without such a token)",
                    step + 1));
  }
  StepOutcome outcome = outcomes_->of({.step = step, .step_ns = end - begin}, scalars, records);
  core_meter_->end(outcome);
  records_->put_outcome(outcome);
  return {.step = step,
          .loss = scalars.loss_sum / scalars.valid_tokens,
          .gradient_norm = scalars.gradient_norm,
          .learning_rate = scalars.learning_rate,
          .valid_tokens = static_cast<std::int64_t>(scalars.valid_tokens),
          .skipped = scalars.skip != 0,
          .votes = Votes::of(scalars.votes),
          .seconds = static_cast<double>(end - begin) * 1e-9,
          .recorded = stage_->train.records == plan::kNoBuffer
                          ? std::vector<double>{}
                          : rank_->read<double>(train_plan().buffer(stage_->train.records)),
          .records = records};
}

std::vector<double> Engine::seconds_alone(const cuda::Stopwatch& stopwatch, int runs) {
  rank_->runner().drain();
  return rank_->seconds_alone(train_, *train_plan_, stopwatch, runs);
}

std::vector<double> Engine::sequence_scores(const Dataset& data, std::int64_t count) {
  validation_loader_->read_from(data);
  return engine::sequence_scores({.rank = rank_.get(),
                                  .plan = evaluate_,
                                  .built = &stage_->evaluate,
                                  .loader = validation_loader_.get(),
                                  .config = &config_,
                                  .axes = job_->grid.sizes()},
                                 count);
}

double Engine::evaluate(const Dataset& data, std::int64_t steps, std::int64_t batches_before) {
  validation_loader_->read_from(data);
  evaluation_batches_before_ = batches_before;
  // No drain() is needed. The training plan's carried task may still write to its staging buffer,
  // which belongs to the model state; the memory of the evaluation plan begins after that.
  std::function<void(std::int64_t)> after;
  if (records_routes()) {
    after = [this](std::int64_t batch) {
      save_routes(
          *validation_routes_, stage_->evaluate,
          validation_routes_->of_evaluation(next_step_, evaluation_batches_before_ + batch));
    };
  }
  return engine::evaluate(*rank_, evaluate_, stage_->evaluate, *validation_loader_, steps, after);
}

void Engine::save_routes(const BatchRoutes& routes, const plan::BuiltPlan& built,
                         const std::filesystem::path& path) const {
  std::vector<std::byte> batch =
      rank_->read<std::byte>(built.expansion.plan.buffer(built.step_batch));
  routes.save(batch, path);
}

}  // namespace megascale::engine
