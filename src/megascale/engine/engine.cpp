// Runs the training and the evaluation plan of one rank in one arena. The constructor does all work
// that does not depend on a step: it prepares kernels, binds both plans to memory and communicators
// and connects them to the data. A step then only runs the plan and reads its scalar results.
#include "megascale/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/config/derived.h"
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
  evaluate_plan_ = job.plan_of(options_.rank, job.evaluate_verification);
  set_threads(job.kernels.threads);
  const graph::Coordinates place = job.grid.coordinates(options_.rank);
  snapshot_layout_.emplace(stage_->state, job.grid.sizes(), place);
  if (replays_routes()) {
    const std::filesystem::path directory = routing_directory(config_);
    if (!std::filesystem::is_directory(directory)) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("moe.routing_replay_dir: expected the folder of recorded routes, found "
                      "no folder {}; record a run with moe.routing_replay = \"record\"",
                      directory.string()));
    }
  }
  trainings_.push_back(make_training(config_, job, options_.train_seat));
  training_ = trainings_.back().get();
  make_validation_loader();
  if (config_.train.repeat_interval > 0) {
    options_.runner.repeat_interval = static_cast<std::uint32_t>(config_.train.repeat_interval);
    require_memory(
        stage_->arena_nbytes + std::max(runtime::TaskRepeater::nbytes_for(training_->plan),
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
  bind(*training_);
  evaluate_ = add(*evaluate_plan_, *validation_loader_);
  const bool on_cores = job.kernels.device == kernels::Device::cpu;
  core_meter_.emplace(on_cores ? job.kernels.threads : 0, rank_->runner().lane_threads());
}

Engine::~Engine() = default;

BatchLoader::Source Engine::source_of(const Config& config, HostSeat seat) const {
  const graph::Coordinates place = job_->grid.coordinates(options_.rank);
  return {.config = config,
          .data_rank = place[static_cast<std::size_t>(graph::Axis::data)],
          .context_rank = place[static_cast<std::size_t>(graph::Axis::context)],
          .tensor_rank = place[static_cast<std::size_t>(graph::Axis::tensor)],
          .seat = seat,
          .numbers = [this](std::int64_t step) {
            return StepNumbers{step, optimizer::learning_rate(config_.optimizer, step)};
          }};
}

std::unique_ptr<Engine::Training> Engine::make_training(const Config& config,
                                                        const job::JobPlan& job, HostSeat seat) {
  auto made = std::make_unique<Training>(config, job, options_.rank);
  const graph::Coordinates place = job.grid.coordinates(options_.rank);
  if (config.model.moe.routing_replay != RoutingReplay::none)
    made->routes.emplace(made->config, place, made->stage->train.batch);
  BatchLoader::Source source = source_of(config, seat);
  source.dataset = options_.train;
  source.other_fields = [this, training = made.get(), data_rank = source.data_rank](
                            std::byte* batch, std::int64_t step) {
    if (replays_routes()) training->routes->load(batch, training->routes->of_step(step + 1));
    fill_sequence_fields(training->config, data_rank, training->stage->train.batch, batch, step,
                         [this, training](std::int64_t sample) {
                           return reference_score(training->samples_before + sample);
                         });
  };
  made->loader = std::make_unique<BatchLoader>(std::move(source), made->stage->train.batch);
  return made;
}

double Engine::reference_score(std::int64_t sample) const {
  if (reference_.empty()) return 0.0;
  return reference_[static_cast<std::size_t>(options_.train->place_of(sample))];
}

void Engine::bind(Training& training) {
  training.number = add(training.plan, *training.loader);
  training.staging = rank_->runner().staging(training.number, training.stage->train.staging);
  training.outcomes.emplace(training.plan.plan(), training.stage->state,
                            job_->grid.coordinates(options_.rank),
                            rank_->functions(training.number));
  StepRecords::Options records = options_.records;
  records.groups = training.outcomes->groups();
  training.records.emplace(std::move(records), training.plan.plan(), options_.rank);
}

void Engine::make_validation_loader() {
  if (config_.model.moe.routing_replay != RoutingReplay::none) {
    validation_routes_.emplace(config_, job_->grid.coordinates(options_.rank),
                               stage_->evaluate.batch);
  }
  BatchLoader::Source source =
      source_of(config_, options_.validation_seat);  // evaluate() names data
  if (replays_routes()) {
    source.other_fields = [this](std::byte* batch, std::int64_t step) {
      validation_routes_->load(
          batch, validation_routes_->of_evaluation(next_step_, evaluation_batches_before_ + step));
    };
  }
  validation_loader_ = std::make_unique<BatchLoader>(std::move(source), stage_->evaluate.batch);
}

std::size_t Engine::add(const plan::VerifiedPlan& plan, BatchLoader& loader) {
  std::map<std::string, TaskFunction*> own{{"load_batch", &loader}};
  if (!options_.computes) idle_.add(plan.plan(), own);
  return rank_->add(plan, own, options_.communicators);
}

std::vector<StatePart> Engine::state_to_load() {
  return state_parts(rank_->memory().state(stage_->state), stage_->state, job_->grid.sizes(),
                     job_->grid.coordinates(options_.rank));
}

void Engine::restore(const UpdateState& update, std::int64_t steps_done) {
  put_state(Moments::given);
  rank_->write(update_state_buffer(), update);
  next_step_ = steps_done;
}

void Engine::initialize() {
  engine::initialize(state_to_load(), stage_->state, config_.train.seed);
  put_state(Moments::zero);
  rank_->write(update_state_buffer(), UpdateState{});
  next_step_ = 0;
}

void Engine::put_state(Moments moments) {
  rank_->memory().put_state(stage_->state, job_->grid.sizes(),
                            job_->grid.coordinates(options_.rank), moments);
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

void Engine::change_training(const Config& config, const job::JobPlan& job, HostSeat seat) {
  if (training_->job == &job) return;
  // The carried tasks of the plan until now must not meet those of the next one.
  rank_->runner().drain();
  const auto known = std::find_if(trainings_.begin(), trainings_.end(),
                                  [&](const auto& one) { return one->job == &job; });
  if (known != trainings_.end()) {
    training_before_ = std::exchange(training_, known->get());
    return;
  }
  MEGASCALE_CHECK(job.stage_of(options_.rank).arena_nbytes == stage_->arena_nbytes,
                  "the arena has room for all plans of the job");
  job::require_proven(job);
  trainings_.push_back(make_training(config, job, seat));
  bind(*trainings_.back());
  training_before_ = std::exchange(training_, trainings_.back().get());
}

std::optional<Error> Engine::start_at(std::int64_t step, std::int64_t samples_before,
                                      std::int64_t end) {
  rank_->runner().drain();
  StepRecords* const before =
      has_begun_ && training_before_ != nullptr ? &*training_before_->records : nullptr;
  auto error = training_->records->open(step, end, before);
  has_begun_ = true;
  next_step_ = step;
  training_->samples_before = samples_before;
  training_->loader->set_next(step, samples_before, end);
  rank_->runner().run_carried(training_->number);
  return error;
}

StepResult Engine::train_step(const Votes& own) {
  const double sum = own.sum();
  std::memcpy(training_->staging + offsetof(StepNumbers, votes), &sum, sizeof sum);
  const std::int64_t step = next_step_++;
  const std::span<TaskRecord> records = training_->records->begin(step);
  core_meter_->begin();
  const std::int64_t begin = monotonic_ns();
  try {
    rank_->runner().run_step(training_->number, records);
  } catch (Error& error) {
    error.add_context(fmt::format("running step {}", step + 1));
    throw;
  }
  const std::int64_t end = monotonic_ns();
  training_->records->end(step);
  const plan::BuiltPlan& built = training_->stage->train;
  if (records_routes())
    save_routes(*training_->routes, built, training_->routes->of_step(step + 1));
  const auto scalars = rank_->read_one<UpdateScalars>(train_plan().buffer(built.scalars));
  if (options_.computes && !(scalars.valid_tokens > 0)) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("step {}: expected a token with a target in the batch, found none: with "
                    "data.packed_documents a document of one token has no target, and a loss "
                    "mask leaves out all that the model shall not say (data.whole_documents takes "
                    "no document without such a token)",
                    step + 1));
  }
  StepOutcome outcome =
      training_->outcomes->of({.step = step, .step_ns = end - begin}, scalars, records);
  core_meter_->end(outcome);
  training_->records->put_outcome(outcome);
  return {.step = step,
          .loss = scalars.loss_sum / scalars.valid_tokens,
          .gradient_norm = scalars.gradient_norm,
          .learning_rate = scalars.learning_rate,
          .valid_tokens = static_cast<std::int64_t>(scalars.valid_tokens),
          .skipped = scalars.skip != 0,
          .votes = Votes::of(scalars.votes),
          .seconds = static_cast<double>(end - begin) * 1e-9,
          .recorded = built.records == plan::kNoBuffer
                          ? std::vector<double>{}
                          : rank_->read<double>(train_plan().buffer(built.records)),
          .records = records};
}

std::vector<double> Engine::seconds_alone(const cuda::Stopwatch& stopwatch, int runs) {
  rank_->runner().drain();
  return rank_->seconds_alone(training_->number, training_->plan, stopwatch, runs);
}

double Engine::seconds_packed(int runs) {
  rank_->runner().drain();
  return rank_->seconds_packed(training_->number, training_->plan, runs);
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
