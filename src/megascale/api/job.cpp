// A job of the public interface: each function calls what the commands of the same name call, and
// copies the result into plain types.
#include "megascale/job.h"

#include <fmt/format.h>

#include "megascale/api/job_problems.h"
#include "megascale/api/job_state.h"
#include "megascale/api/load_job.h"
#include "megascale/base/near_name.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/job/job_plan.h"
#include "megascale/plan/communication_volume.h"
#include "megascale/study/forecast/dispatch_choice.h"
#include "megascale/study/forecast/simulated_step.h"

namespace megascale {
namespace {

std::vector<std::string> messages_of(const plan::Verification& verification) {
  std::vector<std::string> messages;
  for (const plan::Violation& violation : verification.violations)
    messages.push_back(violation.message);
  return messages;
}

PlannedStage describe_stage(const job::JobPlan& planned, std::size_t index) {
  const job::StagePlan& stage = planned.stages[index];
  const plan::StepPlan& steps = stage.train.expansion.plan;
  PlannedStage described{
      .first_rank = planned.first_rank_of(index),
      .ranks = planned.grid.world_size() / static_cast<std::uint32_t>(planned.stages.size()),
      .memory_bytes = stage.arena_nbytes,
      .memory_by_category = {},
      .tasks = steps.tasks().size(),
      .sent_bytes = plan::count_communication(steps).total(),
      .digest = steps.digest()};
  for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
    described.memory_by_category.emplace(plan::to_string(static_cast<plan::Category>(c)),
                                         stage.train.memory.by_category[c]);
  }
  return described;
}

}  // namespace

Job Job::from_file(const std::filesystem::path& file, std::span<const std::string> overrides) {
  auto state = std::make_shared<State>();
  state->loaded = load_config_on_model(file, overrides, api::model_to_train());
  (void)study::choose_dispatch(state->loaded.config);
  return Job(std::move(state));
}

Job Job::from_text(std::string_view toml, std::span<const std::string> overrides) {
  auto state = std::make_shared<State>();
  state->loaded = parse_config_on_model(toml, "configuration", overrides, api::model_to_train());
  (void)study::choose_dispatch(state->loaded.config);
  return Job(std::move(state));
}

std::string Job::configuration() const { return to_toml(state_->loaded.config); }

std::string Job::value(std::string_view key) const {
  const std::size_t dot = key.find('.');
  const Field* field =
      dot == std::string_view::npos ? nullptr : find_field(key.substr(0, dot), key.substr(dot + 1));
  if (field != nullptr) return toml_value(*field, state_->loaded.config);
  std::vector<std::string> names;
  for (const Field& known : config_fields()) names.push_back(full_name(known));
  const std::string near = nearest_name(key, names);
  throw Error(ErrorCode::bad_usage,
              fmt::format("expected a key such as model.num_layers, found \"{}\"{}", key,
                          near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

std::filesystem::path Job::run_directory() const { return state_->loaded.config.train.run_dir; }

std::vector<std::string> Job::problems() const {
  return api::job_problems(state_->loaded, [](const std::string&) {});
}

Plan Job::plan() const {
  const Config& config = state_->loaded.config;
  const job::JobPlan planned = job::plan_job(config);
  const plan::StepFlops flops = planned.flops();
  Plan described{.violations = messages_of(planned.train_verification),
                 .world_size = planned.grid.world_size(),
                 .parameters = planned.parameter_count(),
                 .tokens_per_step = tokens_per_step(config),
                 .flops = flops.executed,
                 .model_flops = flops.model,
                 .stages = {}};
  for (std::string& message : messages_of(planned.evaluate_verification))
    described.violations.push_back(std::move(message));
  for (std::size_t stage = 0; stage < planned.stages.size(); ++stage)
    described.stages.push_back(describe_stage(planned, stage));
  return described;
}

StepForecast Job::simulate(const std::filesystem::path& cluster_file) const {
  const Config& config = state_->loaded.config;
  const simulate::Cluster cluster = simulate::load_cluster(cluster_file);
  const study::SimulatedStep step = study::StepSimulator(config, cluster).run();
  return {.seconds = step.seconds,
          .tokens_per_second = static_cast<double>(tokens_per_step(config)) / step.seconds,
          .mfu = step.of_peak(step.flops.model),
          .hfu = step.of_peak(step.flops.executed),
          .exposed_comm_seconds = step.mean(&observe::IdleTime::exposed_comm_seconds),
          .bubble_seconds = step.mean(&observe::IdleTime::bubble_seconds),
          .memory_bytes = step.arena_nbytes,
          .fits = step.fits};
}

}  // namespace megascale
