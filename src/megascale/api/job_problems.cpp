#include "megascale/api/job_problems.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <set>

#include "megascale/cuda/device.h"
#include "megascale/data/content_digest.h"
#include "megascale/data/dataset.h"
#include "megascale/data/tokenizer_files.h"
#include "megascale/engine/local_memory.h"
#include "megascale/engine/prepare.h"
#include "megascale/job/batch_plans.h"
#include "megascale/job/job_plan.h"
#include "megascale/job/kernel_spec.h"
#include "megascale/train/start_point.h"

namespace megascale::api {
namespace {

// Collects the errors of all checks. An error of one check does not stop the others.
class Findings {
 public:
  template <class Check>
  void run(Check&& check) {
    try {
      check();
    } catch (const Error& error) {
      errors_.push_back(error.message());
    }
  }
  void add(std::string message) { errors_.push_back(std::move(message)); }
  [[nodiscard]] const std::vector<std::string>& errors() const noexcept { return errors_; }

 private:
  std::vector<std::string> errors_;
};

void check_plans(const Config& config, Findings& findings) {
  const job::BatchPlans plans = job::plan_batches(config);
  for (std::string& message : job::violations(plans)) findings.add(std::move(message));
  const job::JobPlan& job = plans.full();
  const std::string memory = engine::memory_problem(job, engine::read_memory_limit(), config);
  if (!memory.empty()) findings.add(memory);
  for (const job::StagePlan& stage : job.stages) {
    const graph::Tensor* tensor =
        job::find_unsupported_dtype(stage.train.expansion.plan, job.kernels.device);
    if (tensor == nullptr) continue;
    findings.add(fmt::format(
        "tensor {} is {} (model.dtype): the CPU executes float32 only; this plan can be "
        "sized, not trained here",
        tensor->name, to_string(tensor->dtype)));
    break;
  }
  if (!config.kernels.flash_attention || !config.kernels.fused_norm) {
    findings.add(
        fmt::format("kernels.flash_attention = {}, kernels.fused_norm = {}: unfused attention and "
                    "unfused norms have no kernels; this plan can be sized and simulated, not "
                    "trained",
                    config.kernels.flash_attention, config.kernels.fused_norm));
    return;
  }
  std::set<std::string> missing;
  for (const job::StagePlan& stage : job.stages)
    missing.merge(job::kinds_without_kernel(stage.train.expansion.plan, job.kernels));
  if (!missing.empty()) findings.add(job::no_kernels_message(missing));
}

void check_device(const Config& config, Findings& findings) {
  if (config.train.device == DeviceKind::cuda && cuda::device_count() == 0)
    findings.add(fmt::format("train.device = cuda: {}", cuda::why_no_device()));
}

void check_run_dir(const Config& config, Findings& findings) {
  std::filesystem::path existing = std::filesystem::absolute(config.train.run_dir);
  while (!existing.empty() && !std::filesystem::exists(existing)) existing = existing.parent_path();
  if (!std::filesystem::is_directory(existing)) {
    findings.add(fmt::format("train.run_dir = {}: {} is no directory", config.train.run_dir,
                             existing.string()));
  } else if (::access(existing.c_str(), W_OK) != 0) {
    findings.add(fmt::format("train.run_dir = {}: {} is not writable", config.train.run_dir,
                             existing.string()));
  }
}

// Returns the tokenizer of the data, if it is known.
std::optional<checkpoint::TokenizerRecord> check_data(const Config& config, Findings& findings,
                                                      const OnNote& on_note) {
  std::optional<checkpoint::TokenizerRecord> tokenizer;
  std::optional<Dataset> train;
  std::vector<NamedDataset> validation;
  findings.run([&] { train.emplace(open_dataset(config, Split::train)); });
  if (config.train.eval_interval > 0) findings.run([&] { validation = open_validation(config); });
  if (!train) return tokenizer;
  findings.run([&] {
    auto found = find_training_tokenizer(config, *train, validation);
    if (!found.note.empty()) on_note("note: " + found.note);
    tokenizer = std::move(found.record);
  });
  findings.run([&] { train->require_known_tokens(); });
  for (const NamedDataset& set : validation) findings.run([&] { set.data.require_known_tokens(); });
  return tokenizer;
}

void check_start(const LoadedConfig& loaded,
                 const std::optional<checkpoint::TokenizerRecord>& tokenizer,
                 const OnNote& on_note) {
  const auto start = train::open_start_point(loaded.config, on_note);
  if (!start) return;
  for (const std::string& note :
       train::require_same_run(loaded.config, loaded.places, *start,
                               content_digest(loaded.config.data.data_path), tokenizer))
    on_note(note);
}

}  // namespace

std::vector<std::string> job_problems(const LoadedConfig& loaded, const OnNote& on_note) {
  const Config& config = loaded.config;
  Findings findings;
  findings.run([&] { check_plans(config, findings); });
  check_device(config, findings);
  const auto tokenizer = check_data(config, findings, on_note);
  findings.run([&] { check_run_dir(config, findings); });
  findings.run([&] { check_start(loaded, tokenizer, on_note); });
  return findings.errors();
}

}  // namespace megascale::api
