// Prints the summary of a job's plans: layout, exact memory, communication, and waits that memory
// reuse causes. The numbers are read from the plans; nothing is computed here but sums.
#include "megascale/cli/plan_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "megascale/cli/expert_report.h"
#include "megascale/config/batch_phases.h"
#include "megascale/config/derived.h"
#include "megascale/engine/local_memory.h"
#include "megascale/engine/state_snapshot.h"
#include "megascale/plan/communication_volume.h"

namespace megascale::cli {
namespace {

// Returns a byte count with a binary unit.
std::string human(double nbytes) {
  if (nbytes >= double{1U << 30U}) return fmt::format("{:8.2f} GiB", nbytes / (1U << 30U));
  if (nbytes >= double{1U << 20U}) return fmt::format("{:8.2f} MiB", nbytes / (1U << 20U));
  return fmt::format("{:8.2f} KiB", nbytes / 1024);
}

std::string lane_name(std::size_t lane) {
  return std::string(graph::to_string(static_cast<graph::Lane>(lane)));
}

nlohmann::ordered_json communication_json(const plan::CommunicationVolume& sent) {
  nlohmann::ordered_json by_lane = nlohmann::ordered_json::object();
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    if (sent.by_lane[lane] != 0) by_lane[lane_name(lane)] = sent.by_lane[lane];
  }
  return by_lane;
}

// Returns the common name of equal tasks of all layers and micro-batches:
// "mb2/chunk0/layer7/fwd/norm" becomes "chunkN/layerN/fwd/norm".
std::string kind_of(std::string_view name) {
  if (name.starts_with("mb")) name.remove_prefix(name.find('/') + 1);
  std::string kind;
  for (const char c : name) {
    if (c < '0' || c > '9') {
      kind += c;
    } else if (kind.empty() || kind.back() != 'N') {
      kind += 'N';
    }
  }
  return kind;
}

// Bytes of the snapshot of the first rank of a stage. Without ZeRO it is the one that saves what
// all its data ranks hold.
std::uint64_t snapshot_nbytes(const job::JobPlan& job, std::size_t stage) {
  return engine::SnapshotLayout(job.stages[stage].state, job.grid.sizes(),
                                job.grid.coordinates(job.first_rank_of(stage)))
      .nbytes();
}

}  // namespace

void print_memory(const Config& config, const job::JobPlan& job, std::size_t stage) {
  const plan::MemoryReport& memory = job.stages[stage].train.memory;
  const std::uint64_t total = job.stages[stage].arena_nbytes;
  if (job.stages.size() == 1) {
    fmt::print("\nmemory of a rank (exact)\n");
  } else {
    fmt::print("\nmemory of a rank of stage {} (exact; --rank R shows that of another)\n", stage);
  }
  for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
    if (memory.by_category[c] == 0) continue;
    fmt::print("  {:<16} {:>16} bytes  {}\n", plan::to_string(static_cast<plan::Category>(c)),
               memory.by_category[c], human(static_cast<double>(memory.by_category[c])));
  }
  fmt::print("  {:<16} {:>16} bytes  {}\n", "total", total, human(static_cast<double>(total)));
  const std::uint64_t snapshot = snapshot_nbytes(job, stage);
  fmt::print("  {:<16} {:>16} bytes  {}  beside the total, on the host: what the rank saves\n",
             "snapshot", snapshot, human(static_cast<double>(snapshot)));
  if (const std::uint64_t copies = (engine::state_copies(config) - 1) * snapshot; copies > 0) {
    fmt::print("  {:<16} {:>16} bytes  {}  likewise, for checkpoint.memory_interval\n", "copies",
               copies, human(static_cast<double>(copies)));
  }
  if (const std::uint64_t repeat = engine::repeat_nbytes(job, stage, config); repeat > 0) {
    fmt::print("  {:<16} {:>16} bytes  {}  likewise, for train.repeat_interval\n", "repeated tasks",
               repeat, human(static_cast<double>(repeat)));
  }
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

void print_communication(const job::JobPlan& job, std::size_t stage) {
  const plan::CommunicationVolume sent =
      plan::count_communication(job.stages[stage].train.expansion.plan);
  if (sent.total() == 0) return;
  fmt::print("\nsent to others in a step by a rank{}\n",
             job.stages.size() == 1 ? "" : fmt::format(" of stage {}", stage));
  for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
    if (sent.by_lane[lane] == 0) continue;
    fmt::print("  {:<16} {:>16.0f} bytes  {}\n", lane_name(lane), sent.by_lane[lane],
               human(sent.by_lane[lane]));
  }
}

void print_reuse_waits(const plan::Expansion& built) {
  constexpr std::size_t kShown = 6;
  const plan::StepPlan& steps = built.plan;
  std::map<std::string, std::size_t> times;
  for (const plan::ReuseWait& reuse : built.reuse_waits) {
    ++times[fmt::format(
        "{} waits for {}, whose bytes ({}) it reuses ({})", kind_of(steps.task_name(reuse.task)),
        kind_of(steps.task_name(reuse.earlier)), kind_of(steps.buffer(reuse.earlier_buffer).name),
        kind_of(steps.buffer(reuse.buffer).name))];
  }
  std::vector<std::pair<std::size_t, std::string>> most;
  most.reserve(times.size());
  for (const auto& [what, count] : times) most.emplace_back(count, what);
  std::stable_sort(most.begin(), most.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(kShown, most.size()); ++i) {
    fmt::print("  {:>5} x {}\n", most[i].first, most[i].second);
  }
  if (most.size() > kShown) fmt::print("  and {} more kinds\n", most.size() - kShown);
}

StageSums print_stages(const job::JobPlan& job) {
  StageSums sums;
  const std::uint32_t per_stage =
      job.grid.world_size() / static_cast<std::uint32_t>(job.stages.size());
  fmt::print(
      "\nstage  ranks     tasks     waits  for reuse  sent by a rank  memory of a rank  plan\n");
  for (std::size_t s = 0; s < job.stages.size(); ++s) {
    const plan::Expansion& built = job.stages[s].train.expansion;
    const plan::StepPlan& steps = built.plan;
    const plan::CommunicationVolume sent = plan::count_communication(steps);
    sums.communication += sent.total() * per_stage;
    const std::string digest = steps.digest();
    fmt::print("{:>5}  {:>5}  {:>8}  {:>8}  {:>9}  {:>14}  {:>16}  {}\n", s, per_stage,
               steps.tasks().size(), steps.tables().waits.size(), built.reuse_waits.size(),
               human(sent.total()), human(static_cast<double>(job.stages[s].arena_nbytes)), digest);
    nlohmann::ordered_json categories;
    for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
      categories[std::string(plan::to_string(static_cast<plan::Category>(c)))] =
          job.stages[s].train.memory.by_category[c];
    }
    sums.ranks.push_back(
        {{"rank", job.first_rank_of(s)},
         {"count", per_stage},
         {"memory",
          {{"total", job.stages[s].arena_nbytes}, {"by_category", std::move(categories)}}},
         {"snapshot_bytes", snapshot_nbytes(job, s)},
         {"tasks", steps.tasks().size()},
         {"waits", steps.tables().waits.size()},
         {"reuse_waits", built.reuse_waits.size()},
         {"communication_bytes", sent.total()},
         {"communication_by_lane", communication_json(sent)},
         {"digest", digest}});
  }
  return sums;
}

void print_job(const Config& config, const job::JobPlan& job, std::int64_t parameters) {
  const graph::AxisSizes& axes = job.grid.sizes();
  fmt::print("model       {} parameters, {} layers\n", parameters, config.model.num_layers);
  print_experts(config, job);
  fmt::print("batch       {} sequences of {} tokens a step ({} tokens), {} micro-batches\n",
             config.train.global_batch_size, config.model.seq_length, tokens_per_step(config),
             num_micro_batches(config));
  if (!config.train.rampup_batch_size.empty()) {
    fmt::print("ramp        {}; all else here is of {}\n", to_string(batch_phases(config.train)),
               config.train.global_batch_size);
  }
  fmt::print("ranks       {} = tensor {} x context {} x data {} x pipeline {}, {} threads each\n",
             job.grid.world_size(), axes[graph::Axis::tensor], axes[graph::Axis::context],
             axes[graph::Axis::data], axes[graph::Axis::pipeline], job.kernels.threads);
  if (axes[graph::Axis::expert] > 1 || config.parallel.expert_tensor_parallel_size != 0) {
    fmt::print("experts     {} ranks of a stage = expert_tensor {} x expert {} x expert_data {}\n",
               job.grid.stage_size(), axes[graph::Axis::expert_tensor], axes[graph::Axis::expert],
               axes[graph::Axis::expert_data]);
  }
}

}  // namespace megascale::cli
