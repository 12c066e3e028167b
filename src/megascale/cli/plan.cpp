// `megascale plan`: plans and verifies a job without running it, and prints layout, memory, FLOPs,
// communication and the pipeline schedule. It needs no devices.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "megascale/cli/command.h"
#include "megascale/cli/expert_load_argument.h"
#include "megascale/cli/expert_report.h"
#include "megascale/cli/pipeline_picture.h"
#include "megascale/cli/plan_report.h"
#include "megascale/job/job_plan.h"
#include "megascale/plan/dump.h"

namespace megascale::cli {
namespace {

struct PlanArguments {
  ConfigArguments config;
  std::string dump, draw;
  ExpertLoadArgument expert_load;
  std::optional<std::uint32_t> rank;
};

// Returns the stage of --rank. Without --rank it is the stage that needs the most memory.
std::size_t stage_to_show(const job::JobPlan& job, const PlanArguments& arguments) {
  if (arguments.rank) return &job.stage_of(*arguments.rank) - job.stages.data();
  const auto largest = std::max_element(
      job.stages.begin(), job.stages.end(),
      [](const auto& a, const auto& b) { return a.arena_nbytes < b.arena_nbytes; });
  return largest - job.stages.begin();
}

Outcome show(const Config& config, const PlanArguments& arguments) {
  require_picture_name(arguments.draw);
  const simulate::ExpertLoads loads = arguments.expert_load.loads(config);
  const job::JobPlan job = job::plan_job(config);
  const std::uint32_t world = job.grid.world_size();
  if (arguments.rank.value_or(0) >= world) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--rank {}: expected 0 to {}", *arguments.rank, world - 1));
  }
  const std::string wrong = job::violations({&job.train_verification, &job.evaluate_verification});
  const std::int64_t parameters = job.parameter_count();
  print_job(config, job, parameters);
  fmt::print("verified    {}\n", wrong.empty() ? "yes: order, deadlock, hazards" : "NO");
  if (!wrong.empty()) say(wrong, "");
  StageSums sums = print_stages(job);
  const plan::StepFlops flops = job.flops();
  fmt::print("\nflops       {:.4e} a step: {:.4e} credited by mfu, {:.4e} by mfu_megatron\n",
             flops.executed, flops.model, flops.megatron);
  nlohmann::ordered_json pipeline = show_pipeline(config, arguments.draw);
  const std::size_t stage = stage_to_show(job, arguments);
  print_memory(config, job, stage);
  print_communication(job, stage);
  const plan::Expansion& shown = job.stages[stage].train.expansion;
  if (!shown.reuse_waits.empty()) {
    fmt::print("\nwaits for reused memory{} (they save memory and may prevent overlap)\n",
               job.stages.size() == 1 ? "" : fmt::format(" of stage {}", stage));
    print_reuse_waits(shown);
  }
  const plan::StepPlan& of_rank = job.stage_of(arguments.rank.value_or(0)).train.expansion.plan;
  if (!arguments.dump.empty()) plan::dump_to(of_rank, arguments.dump);
  nlohmann::ordered_json errors = nlohmann::ordered_json::array();
  for (const auto* verification : {&job.train_verification, &job.evaluate_verification}) {
    for (const auto& violation : verification->violations) errors.push_back(violation.message);
  }
  const std::string digest =
      sums.ranks[&job.stage_of(arguments.rank.value_or(0)) - job.stages.data()].at("digest");
  Outcome outcome{.exit_code = wrong.empty() ? 0 : 1,
                  .json = {{"verified", wrong.empty()},
                           {"world_size", world},
                           {"ranks", std::move(sums.ranks)},
                           {"flops", flops.executed},
                           {"model_flops", flops.model},
                           {"communication_bytes", sums.communication},
                           {"parameters", parameters},
                           {"digest", digest},
                           {"errors", std::move(errors)}}};
  outcome.json["pipeline"] = std::move(pipeline);
  add_experts(config, job, outcome.json);
  if (arguments.expert_load.is_given())
    show_expert_loads("loads       ", config, loads, outcome.json);
  return outcome;
}

}  // namespace

void add_plan(Command& app) {
  const auto arguments = std::make_shared<PlanArguments>();
  Command command = app.subcommand(
      "plan", "prints layout, exact memory, FLOPs and verification; no devices needed");
  arguments->config.add_to(command);
  command.option("--rank", arguments->rank,
                 "rank whose memory is shown (default: one with the most memory) and whose plan "
                 "--dump writes (default: rank 0)");
  command.option("--dump", arguments->dump, "write the whole plan to this JSON file");
  command.option("--draw", arguments->draw,
                 "draw the pipeline schedule to this file: a picture (.svg) or text (.txt)");
  arguments->expert_load.add_to(
      command, "prints the rows of the busiest expert rank beside the memory for them");
  command.does([arguments] { return show(arguments->config.load(), *arguments); });
}

}  // namespace megascale::cli
