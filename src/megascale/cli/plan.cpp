#include <fmt/format.h>

#include <map>

#include "megascale/base/digest.h"
#include "megascale/cli/command.h"
#include "megascale/cli/pipeline_picture.h"
#include "megascale/config/derived.h"
#include "megascale/engine/job_plan.h"
#include "megascale/observe/communication.h"
#include "megascale/observe/flops.h"
#include "megascale/plan/dump.h"

namespace megascale::cli {
namespace {

struct PlanArguments {
  ConfigArguments config;
  std::string dump, draw;
  std::uint32_t rank = 0;
};

std::string human(double nbytes) {
  if (nbytes >= double{1U << 30U}) return fmt::format("{:8.2f} GiB", nbytes / (1U << 30U));
  if (nbytes >= double{1U << 20U}) return fmt::format("{:8.2f} MiB", nbytes / (1U << 20U));
  return fmt::format("{:8.2f} KiB", nbytes / 1024);
}

void print_memory(const Config& config, const engine::JobPlan& job, std::size_t stage) {
  const plan::MemoryReport& memory = job.stages[stage].train.memory;
  const std::uint64_t total = job.stages[stage].arena_nbytes;
  if (job.stages.size() == 1) {
    fmt::print("\nmemory of a rank (exact)\n");
  } else {
    fmt::print("\nmemory of a rank of stage {} (exact)\n", stage);
  }
  for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
    if (memory.by_category[c] == 0) continue;
    fmt::print("  {:<16} {:>16} bytes  {}\n", plan::to_string(static_cast<plan::Category>(c)),
               memory.by_category[c], human(static_cast<double>(memory.by_category[c])));
  }
  fmt::print("  {:<16} {:>16} bytes  {}\n", "total", total, human(static_cast<double>(total)));
  if (job.stages.size() > 1) return;
  fmt::print("activations: {} bytes live at most in the graph, {} bytes planned ({:.1f} % more)\n",
             memory.activation_peak_live, memory.activations_planned,
             100.0 * (static_cast<double>(memory.activations_planned) /
                          static_cast<double>(memory.activation_peak_live) -
                      1));
  fmt::print(
      "retained per layer and micro-batch, in units of sequence x batch x hidden bytes (Megatron's "
      "16-bit formula: 34)\n");
  const double unit = static_cast<double>(config.model.num_layers * config.train.micro_batch_size *
                                          config.model.seq_length * config.model.hidden_size);
  for (const auto& [name, nbytes] : memory.retained_by_op) {
    fmt::print("  {:<28} {:>14} bytes  {:6.2f}\n", name, nbytes,
               static_cast<double>(nbytes) / unit);
  }
}

// Elements of the model, padding left out: of the chunks of all stages, a shared parameter once.
std::int64_t count_parameters(const engine::JobPlan& job) {
  std::map<std::string, std::int64_t> numel;
  for (const engine::StagePlan& stage : job.stages) {
    for (const auto& place : stage.state.parameters) {
      const graph::Parameter& parameter = place.parameter;
      std::int64_t count = 1;
      for (std::size_t d = 0; d < place.shape.size(); ++d) {
        std::int64_t extent = place.shape[d].size;
        if (!parameter.sharded_over.empty() && d == parameter.sharding.dimension) {
          extent = 0;
          for (const std::int64_t section : parameter.sharding.sections) extent += section;
        }
        count *= d == 0 && parameter.logical_rows != 0 ? parameter.logical_rows : extent;
      }
      numel[parameter.name] = count;
    }
  }
  std::int64_t sum = 0;
  for (const auto& [name, count] : numel) sum += count;
  return sum;
}

// Waits that only save memory: each is a chance lost to overlap, so the reader should see them.
void print_reuse_waits(const plan::Expansion& built) {
  constexpr std::size_t kShown = 6;
  const plan::StepPlan& steps = built.plan;
  for (std::size_t i = 0; i < std::min(kShown, built.reuse_waits.size()); ++i) {
    const plan::ReuseWait& reuse = built.reuse_waits[i];
    fmt::print("            {} waits for {}, whose bytes ({}) it reuses ({})\n",
               steps.task_name(reuse.task), steps.task_name(reuse.earlier),
               steps.buffer(reuse.earlier_buffer).name, steps.buffer(reuse.buffer).name);
  }
  if (built.reuse_waits.size() > kShown) {
    fmt::print("            and {} more like these\n", built.reuse_waits.size() - kShown);
  }
}

Outcome show(const Config& config, const PlanArguments& arguments) {
  const engine::JobPlan job = engine::plan_job(config);
  const std::string wrong =
      engine::violations({&job.train_verification, &job.evaluate_verification});
  const std::uint32_t world = job.grid.world_size();
  const std::uint32_t per_stage = world / static_cast<std::uint32_t>(job.stages.size());
  observe::StepFlops flops;
  double communication = 0;
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  const graph::AxisSizes& axes = job.grid.sizes();
  const std::int64_t parameters = count_parameters(job);
  fmt::print("model       {} parameters, {} layers\n", parameters, config.model.num_layers);
  fmt::print("batch       {} sequences of {} tokens a step ({} tokens), {} micro-batches\n",
             config.train.global_batch_size, config.model.seq_length, tokens_per_step(config),
             num_micro_batches(config));
  fmt::print("ranks       {} = tensor {} x context {} x data {} x pipeline {}, {} threads each\n",
             world, axes[graph::Axis::tensor], axes[graph::Axis::context], axes[graph::Axis::data],
             axes[graph::Axis::pipeline], job.threads);
  for (std::size_t s = 0; s < job.stages.size(); ++s) {
    const plan::Expansion& built = job.stages[s].train.expansion;
    const plan::StepPlan& steps = built.plan;
    flops.add(observe::count_flops(steps), per_stage);
    const observe::CommunicationVolume sent = observe::count_communication(steps);
    communication += sent.total() * per_stage;
    fmt::print("plan        {}{} tasks, {} waits ({} for reused memory), digest {}\n",
               job.stages.size() == 1 ? "" : fmt::format("stage {}: ", s), steps.tasks().size(),
               steps.tables().waits.size(), built.reuse_waits.size(), steps.digest());
    print_reuse_waits(built);
    nlohmann::ordered_json sent_by_lane = nlohmann::ordered_json::object();
    for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
      if (sent.by_lane[lane] == 0) continue;
      const std::string name(graph::to_string(static_cast<graph::Lane>(lane)));
      fmt::print("            {:<17} {} to others, by each rank\n", name,
                 human(sent.by_lane[lane]));
      sent_by_lane[name] = sent.by_lane[lane];
    }
    nlohmann::ordered_json categories;
    for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
      categories[std::string(plan::to_string(static_cast<plan::Category>(c)))] =
          job.stages[s].train.memory.by_category[c];
    }
    graph::Coordinates first{};
    first[static_cast<std::size_t>(graph::Axis::pipeline)] = static_cast<std::uint32_t>(s);
    ranks.push_back(
        {{"rank", job.grid.rank(first)},
         {"count", per_stage},
         {"memory",
          {{"total", job.stages[s].arena_nbytes}, {"by_category", std::move(categories)}}},
         {"tasks", steps.tasks().size()},
         {"communication_bytes", sent.total()},
         {"communication_by_lane", std::move(sent_by_lane)},
         {"digest", steps.digest()}});
  }
  fmt::print("flops       {:.4e} a step: {:.4e} credited by mfu, {:.4e} by mfu_megatron\n",
             flops.executed, flops.model, flops.megatron);
  fmt::print("verified    {}\n", wrong.empty() ? "yes: order, deadlock, hazards" : "NO");
  if (!wrong.empty()) say(wrong, "");
  nlohmann::ordered_json pipeline = show_pipeline(config, arguments.draw);
  for (std::size_t s = 0; s < job.stages.size(); ++s) print_memory(config, job, s);
  if (arguments.rank >= world) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--rank {}: expected 0 to {}", arguments.rank, world - 1));
  }
  if (!arguments.dump.empty()) {
    plan::dump_to(job.stage_of(arguments.rank).train.expansion.plan, arguments.dump);
  }
  nlohmann::ordered_json errors = nlohmann::ordered_json::array();
  for (const auto* verification : {&job.train_verification, &job.evaluate_verification}) {
    for (const auto& violation : verification->violations) errors.push_back(violation.message);
  }
  Outcome outcome{.exit_code = wrong.empty() ? 0 : 1,
                  .json = {{"verified", wrong.empty()},
                           {"world_size", world},
                           {"ranks", std::move(ranks)},
                           {"flops", flops.executed},
                           {"model_flops", flops.model},
                           {"communication_bytes", communication},
                           {"parameters", parameters},
                           {"digest", job.stage_of(arguments.rank).train.expansion.plan.digest()},
                           {"errors", std::move(errors)}}};
  outcome.json["pipeline"] = std::move(pipeline);
  return outcome;
}

}  // namespace

void add_plan(CLI::App& app, ActionMap& actions) {
  const auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command =
      app.add_subcommand("plan", "layout, exact memory, FLOPs and verification; no devices needed");
  arguments->config.add_to(*command);
  command->add_option("--rank", arguments->rank, "the rank whose plan --dump writes");
  command->add_option("--dump", arguments->dump, "write the whole plan to this JSON file");
  command->add_option("--draw", arguments->draw,
                      "draw the pipeline's order of work to this file (.svg, else text)");
  actions.emplace_back(command, [arguments] { return show(arguments->config.load(), *arguments); });
}

}  // namespace megascale::cli
