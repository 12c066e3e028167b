// Names follow prometheus.io/docs/practices/naming: one prefix, base units, _total for counters. All
// samples of a name stand together under its HELP and TYPE.
#include "megascale/serve/prometheus.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "megascale/base/error.h"

namespace megascale::serve {
namespace {

struct Family {
  std::string help;
  const char* type = "gauge";
  std::vector<std::string> samples;
};
using Families = std::map<std::string, Family, std::less<>>;

// The name of a metric of metrics.jsonl in /metrics.
struct Named {
  std::string_view metric;
  const char* name;
  const char* type = "gauge";
};
constexpr std::array kNames{
    Named{"loss", "megascale_loss_nats"},
    Named{"validation_loss", "megascale_validation_loss_nats"},
    Named{"grad_norm", "megascale_gradient_norm"},
    Named{"lr", "megascale_learning_rate"},
    Named{"step_seconds", "megascale_step_duration_seconds"},
    Named{"tokens_per_second", "megascale_tokens_per_second"},
    Named{"mfu", "megascale_model_flops_utilization_ratio"},
    Named{"mfu_megatron", "megascale_model_flops_utilization_megatron_ratio"},
    Named{"hfu", "megascale_hardware_flops_utilization_ratio"},
    Named{"consumed_tokens", "megascale_consumed_tokens_total", "counter"},
    Named{"exposed_comm_seconds", "megascale_exposed_communication_seconds"},
    Named{"bubble_seconds", "megascale_bubble_seconds"},
    Named{"data_wait_seconds", "megascale_data_wait_seconds"},
    Named{"memory_bytes", "megascale_memory_bytes"},
    Named{"skipped_steps", "megascale_skipped_steps_total", "counter"},
    Named{"checkpoint_stall_seconds", "megascale_checkpoint_stall_seconds"},
    Named{"expert_imbalance", "megascale_expert_imbalance_ratio"},
    Named{"expert_dropped_share", "megascale_expert_dropped_ratio"},
    Named{"expert_imbalance_share", "megascale_expert_imbalance_time_ratio"},
    Named{"rewards/margins", "megascale_reward_margin"},
    Named{"rewards/accuracies", "megascale_reward_accuracy_ratio"},
    Named{"validation_rewards/margins", "megascale_validation_reward_margin"},
    Named{"validation_rewards/accuracies", "megascale_validation_reward_accuracy_ratio"},
};
static_assert(kNames.size() == observe::kMetricCount);

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void add(Families& families, const std::string& name, std::string_view help, const char* type,
         const std::string& labels, double value) {
  Family& family = families[name];
  family.help = help;
  family.type = type;
  family.samples.push_back(fmt::format("{}{{{}}} {}\n", name, labels, value));
}

void add_newest(Families& families, const observe::MetricsRow& row, const std::string& run) {
  add(families, "megascale_steps_total", "steps done", "counter", run,
      static_cast<double>(row.step));
  for (const Named& named : kNames) {
    const std::size_t index = observe::metric_index(named.metric);
    if (std::isnan(row.values[index])) continue;
    add(families, named.name, observe::kMetricKinds[index].meaning, named.type, run,
        row.values[index]);
  }
  // The sets of data.validation_sets belong to the family of the set without a name.
  for (const observe::NamedLoss& one : row.validation_losses) {
    add(families, "megascale_validation_loss_nats",
        observe::kMetricKinds[observe::metric_index("validation_loss")].meaning, "gauge",
        fmt::format("{},set=\"{}\"", run, escaped(one.name)), one.loss);
  }
}

void add_ranks(Families& families, const RunView::RankFacts& facts, const std::string& run) {
  const auto label = [&](std::uint32_t rank) { return fmt::format("{},rank=\"{}\"", run, rank); };
  std::size_t count = 0;
  for (const auto& [rank, step] : facts.newest) {
    if (++count > kMostRankSeries) break;
    const std::array<std::pair<const char*, double>, 4> causes{
        {{"compute", step.times.compute},
         {"exposed_communication", step.times.exposed_comm},
         {"bubble", step.times.bubble},
         {"data_wait", step.times.data_wait}}};
    for (const auto& [kind, seconds] : causes) {
      add(families, "megascale_rank_step_seconds",
          "time of a rank's compute lane in its newest step, by kind", "gauge",
          fmt::format("{},kind=\"{}\"", label(rank), kind), seconds);
    }
  }
  // Several groups with one first rank may be slow; their samples would have equal labels. The largest
  // excess comes first.
  std::set<std::pair<std::uint32_t, observe::SlowCause>> named;
  for (const observe::Straggler& straggler : facts.stragglers) {
    if (named.size() == kMostRankSeries) break;
    if (!named.emplace(straggler.ranks.front(), straggler.cause).second) continue;
    add(families, "megascale_straggler_excess_seconds",
        "what a slow rank takes longer in a step than the median of the ranks with the same work",
        "gauge",
        fmt::format("{},cause=\"{}\"", label(straggler.ranks.front()),
                    observe::to_string(straggler.cause)),
        straggler.excess());
  }
}

void add_job(Families& families, RunView& run, const std::string& label) {
  const Json job = run.job();
  add(families, "megascale_incidents_total", "faults that the driver has found", "counter", label,
      static_cast<double>(job.at("incidents").size()));
  const Json& status = job.at("status");
  add(families, "megascale_effective_training_ratio",
      "time of steps done for the first time, relative to all time", "gauge", label,
      status.at("effective").get<double>());
  for (const auto& [bucket, seconds] : status.at("seconds").items()) {
    if (bucket == "wall") continue;
    add(families, "megascale_job_seconds_total", "time of the job, by what it went to", "counter",
        fmt::format("{},bucket=\"{}\"", label, bucket), seconds.get<double>());
  }
}

}  // namespace

std::string prometheus_text(std::span<const std::unique_ptr<RunView>> runs) {
  Families families;
  for (const auto& run : runs) {
    const std::string label = fmt::format("run=\"{}\"", escaped(run->name()));
    const auto row = run->newest_row();
    add(families, "megascale_run_up", "1: the run has metrics", "gauge", label, row ? 1 : 0);
    if (row) add_newest(families, *row, label);
    if (const std::int64_t planned = run->planned_steps(); planned > 0) {
      add(families, "megascale_planned_steps", "steps of the whole training", "gauge", label,
          static_cast<double>(planned));
    }
    // A run without records or without a driver has no such samples; that is no failure.
    try {
      add_ranks(families, run->rank_facts(), label);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    }
    try {
      add_job(families, *run, label);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    }
  }
  std::string text;
  for (const auto& [name, family] : families) {
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, family.help, name, family.type);
    for (const std::string& sample : family.samples) text += sample;
  }
  return text;
}

}  // namespace megascale::serve
