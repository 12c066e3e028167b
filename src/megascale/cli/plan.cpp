#include <fmt/format.h>

#include "megascale/base/digest.h"
#include "megascale/cli/command.h"
#include "megascale/cli/pipeline_picture.h"
#include "megascale/config/derived.h"
#include "megascale/engine/job_plan.h"
#include "megascale/observe/flops.h"
#include "megascale/plan/dump.h"

namespace megascale::cli {
namespace {

std::string human(double nbytes) {
  if (nbytes >= double{1U << 30U}) return fmt::format("{:8.2f} GiB", nbytes / (1U << 30U));
  if (nbytes >= double{1U << 20U}) return fmt::format("{:8.2f} MiB", nbytes / (1U << 20U));
  return fmt::format("{:8.2f} KiB", nbytes / 1024);
}

void print_memory(const Config& config, const engine::JobPlan& job) {
  const plan::MemoryReport& memory = job.train.memory;
  fmt::print("\nmemory of a rank (exact)\n");
  for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
    if (memory.by_category[c] == 0) continue;
    fmt::print("  {:<16} {:>16} bytes  {}\n", plan::to_string(static_cast<plan::Category>(c)),
               memory.by_category[c], human(static_cast<double>(memory.by_category[c])));
  }
  fmt::print("  {:<16} {:>16} bytes  {}\n", "total", job.arena_nbytes,
             human(static_cast<double>(job.arena_nbytes)));
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

Outcome show(const Config& config, const std::string& dump, const std::string& draw) {
  const nlohmann::ordered_json pipeline = show_pipeline(config, draw);
  const engine::JobPlan job = engine::plan_job(config);
  const std::string wrong =
      engine::violations({&job.train_verification, &job.evaluate_verification});
  const plan::StepPlan& steps = job.train.expansion.plan;
  const observe::StepFlops flops = observe::count_flops(steps);
  std::int64_t parameters = 0;
  for (const auto& place : job.state.parameters) {
    const auto rows = static_cast<std::uint64_t>(place.shape[0].size);
    const auto logical = place.parameter.logical_rows == 0
                             ? rows
                             : static_cast<std::uint64_t>(place.parameter.logical_rows);
    parameters += static_cast<std::int64_t>(place.count / rows * logical);
  }
  fmt::print("model       {} parameters, {} layers\n", parameters, config.model.num_layers);
  fmt::print("batch       {} sequences of {} tokens a step ({} tokens), {} micro-batches\n",
             config.train.global_batch_size, config.model.seq_length, tokens_per_step(config),
             num_micro_batches(config));
  fmt::print("ranks       1, {} threads\n", job.threads);
  fmt::print("plan        {} tasks, {} waits ({} for reused memory), digest {}\n",
             steps.tasks().size(), steps.tables().waits.size(),
             job.train.expansion.reuse_waits.size(), steps.digest());
  for (const plan::ReuseWait& reuse : job.train.expansion.reuse_waits) {
    fmt::print("            {} waits for {}, whose bytes ({}) it reuses ({})\n",
               steps.task_name(reuse.task), steps.task_name(reuse.earlier),
               steps.buffer(reuse.earlier_buffer).name, steps.buffer(reuse.buffer).name);
  }
  fmt::print("flops       {:.4e} a step: {:.4e} credited by mfu, {:.4e} by mfu_megatron\n",
             flops.executed, flops.model, flops.megatron);
  fmt::print("verified    {}\n", wrong.empty() ? "yes: order, deadlock, hazards" : "NO");
  if (!wrong.empty()) say(wrong, "");
  print_memory(config, job);
  if (!dump.empty()) plan::dump_to(steps, dump);

  nlohmann::ordered_json categories;
  for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
    categories[std::string(plan::to_string(static_cast<plan::Category>(c)))] =
        job.train.memory.by_category[c];
  }
  nlohmann::ordered_json errors = nlohmann::ordered_json::array();
  for (const auto* verification : {&job.train_verification, &job.evaluate_verification}) {
    for (const auto& violation : verification->violations) errors.push_back(violation.message);
  }
  return {.exit_code = wrong.empty() ? 0 : 1,
          .json = {{"verified", wrong.empty()},
                   {"world_size", 1},
                   {"ranks",
                    {{{"rank", 0},
                      {"count", 1},
                      {"memory", {{"total", job.arena_nbytes}, {"by_category", categories}}},
                      {"tasks", steps.tasks().size()}}}},
                   {"flops", flops.executed},
                   {"model_flops", flops.model},
                   {"communication_bytes", 0},
                   {"parameters", parameters},
                   {"digest", steps.digest()},
                   {"pipeline", pipeline},
                   {"errors", errors}}};
}

}  // namespace

void add_plan(CLI::App& app, ActionMap& actions) {
  const auto arguments = std::make_shared<ConfigArguments>();
  const auto dump = std::make_shared<std::string>(), draw = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("plan", "layout, exact memory, FLOPs and verification; no devices needed");
  arguments->add_to(*command);
  command->add_option("--dump", *dump, "write the whole plan to this JSON file");
  command->add_option("--draw", *draw,
                      "draw the pipeline's order of work to this file (.svg, else text)");
  actions.emplace_back(command,
                       [arguments, dump, draw] { return show(arguments->load(), *dump, *draw); });
}

}  // namespace megascale::cli
