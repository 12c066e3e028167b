#include "train/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "megascale/base/files.h"
#include "megascale/base/philox.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/parallel/schedule_file.h"
#include "parallel/random_schedule.h"
#include "support/close.h"

namespace megascale::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace

Settings joined(std::initializer_list<Settings> parts) {
  Settings all;
  for (const Settings& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Settings split(int tensor, int context, int pipeline, int ranks, const Settings& more) {
  return joined({{fmt::format("parallel.world_size={}", ranks),
                  fmt::format("parallel.tensor_model_parallel_size={}", tensor),
                  fmt::format("parallel.context_parallel_size={}", context),
                  fmt::format("parallel.pipeline_model_parallel_size={}", pipeline)},
                 more});
}

Laboratory::Laboratory() {
  std::filesystem::create_directory(memory_root());
  constexpr std::uint64_t kDocuments = 400;
  const PhiloxStream random(3, "text");
  IndexedDatasetWriter writer(scratch_ / "text", TokenType::int32);
  std::uint64_t number = 0;
  for (std::uint64_t d = 0; d < kDocuments; ++d) {
    std::vector<std::int32_t> document(1 + random.bits(number++) % 40);
    for (std::int32_t& word : document) {
      // Small numbers are frequent, as words are.
      const auto a = random.bits(number++) % 300, b = random.bits(number++) % 300;
      word = static_cast<std::int32_t>(a * b / 300);
    }
    writer.append(document);
    writer.end_document();
  }
  writer.finish();
}

Config Laboratory::config(const Settings& settings) const {
  Settings all{"data.data_path=" + (scratch_ / "text").string(),
               "data.split=8,2,0",
               "train.eval_interval=5",
               "train.eval_iters=1",
               "model.seq_length=24",
               "model.vocab_size=300",
               "model.make_vocab_size_divisible_by=7",
               "model.init_method_std=0.05",
               fmt::format("train.train_iters={}", kTrainIters),
               fmt::format("train.global_batch_size={}", kGlobalBatchSize),
               "train.threads_per_rank=1",
               "optimizer.lr=0.002",
               "optimizer.clip_grad=0.25",
               "checkpoint.keep_last=0"};
  all.insert(all.end(), settings.begin(), settings.end());
  Config config = parse_config("", "test", all);
  if (config.parallel.pipeline_schedule == kDrawnSchedule) {
    config.parallel.pipeline_schedule = draw_schedule(config);
  }
  return config;
}

std::string Laboratory::draw_schedule(const Config& config) const {
  const auto stages = static_cast<std::uint32_t>(config.parallel.pipeline_model_parallel_size),
             chunks = static_cast<std::uint32_t>(config.parallel.virtual_pipeline_size),
             micro_batches = static_cast<std::uint32_t>(num_micro_batches(config));
  const std::filesystem::path file =
      scratch_ / fmt::format("{}_{}_{}.schedule", stages, chunks, micro_batches);
  if (!std::filesystem::exists(file)) {
    std::mt19937 random(stages * 10000 + chunks * 100 + micro_batches);
    write_text_atomically(
        file, parallel::to_text(parallel::random_schedule(random, stages, chunks, micro_batches)));
  }
  return file.string();
}

std::filesystem::path Laboratory::next_checkpoints() const {
  return scratch_ / fmt::format("run{}/checkpoints", runs_);
}

std::filesystem::path Laboratory::new_checkpoints() {
  std::filesystem::path checkpoints = next_checkpoints();
  ++runs_;
  return checkpoints;
}

Outcome Laboratory::run(const Settings& settings, RunOptions options) {
  const std::filesystem::path checkpoints =
      options.again.empty() ? new_checkpoints() : options.again;
  Settings all = settings;
  all.push_back("train.run_dir=" + checkpoints.parent_path().string());
  if (!options.load.empty()) all.push_back("checkpoint.load=" + options.load.string());
  Outcome outcome{.checkpoints = checkpoints};
  train::TrainOptions train_options;
  train_options.on_step = [&](const train::StepMetrics& metrics, bool, double) {
    outcome.losses.push_back(metrics.loss);
    outcome.gradient_norms.push_back(metrics.grad_norm);
    if (metrics.validation_loss) outcome.validation_losses.push_back(*metrics.validation_loss);
    for (const auto& rewards : {metrics.rewards, metrics.validation_rewards})
      if (rewards) outcome.rewards.push_back(*rewards);
    if (options.on_step) options.on_step(metrics);
  };
  train_options.on_message = [&](const std::string& message) {
    if (options.on_message) options.on_message(message);
  };
  train_options.before_storage = options.before_storage;
  train_options.stop = options.stop;
  train_options.memory_root = memory_root();
  train_options.memory_of = options.memory_of;
  train_options.most_steps = options.most_steps;
  train_options.before_task = std::move(options.before_task);
  train_options.before_work = std::move(options.before_work);
  train_options.peak_flops = 1e9;  // nobody looks at the utilisation here
  outcome.samples_read = train::train(config(all), train_options).samples_read;
  const checkpoint::Opened opened = checkpoint::open_path(outcome.checkpoints);
  outcome.tensors = read_tensors(opened);
  outcome.state = opened.state();
  return outcome;
}

Tensors read_tensors(const checkpoint::Opened& opened) {
  Tensors tensors;
  for (const auto& [name, tensor] : opened.tensors()) {
    std::vector<float>& values = tensors[std::string(name)];
    values.resize(*checkpoint::checked_numel(tensor.shape),
                  std::numeric_limits<float>::quiet_NaN());
    opened.read(name, std::as_writable_bytes(std::span(values)));
  }
  return tensors;
}

std::string first_difference(const Tensors& got, const Tensors& want) {
  if (want.empty()) return "nothing to compare with";
  for (const auto& [name, values] : want) {
    const auto found = got.find(name);
    if (found == got.end()) return "no tensor " + name;
    if (same_bits(found->second, values)) continue;
    std::size_t at = 0;
    while (at < std::min(values.size(), found->second.size()) &&
           std::memcmp(&values[at], &found->second[at], sizeof(float)) == 0) {
      ++at;
    }
    if (at == std::min(values.size(), found->second.size())) return name + " has another size";
    return fmt::format("{}[{}] is {}, expected {}", name, at, found->second[at], values[at]);
  }
  return got.size() == want.size() ? std::string() : "tensors that were not expected";
}

std::string first_difference(const Outcome& got, const Outcome& want) {
  if (want.losses.empty() || got.losses.size() != want.losses.size()) {
    return fmt::format("{} steps, expected {}", got.losses.size(), want.losses.size());
  }
  for (std::size_t i = 0; i < want.losses.size(); ++i) {
    if (std::memcmp(&got.losses[i], &want.losses[i], sizeof(double)) != 0) {
      return fmt::format("loss of step {} is {}, expected {}", i, got.losses[i], want.losses[i]);
    }
    if (std::memcmp(&got.gradient_norms[i], &want.gradient_norms[i], sizeof(double)) != 0) {
      return fmt::format("gradient norm of step {} is {}, expected {}", i, got.gradient_norms[i],
                         want.gradient_norms[i]);
    }
  }
  if (want.validation_losses.empty() || !same_bits(got.validation_losses, want.validation_losses)) {
    return fmt::format("validation losses are {}, expected {}",
                       fmt::join(got.validation_losses, " "),
                       fmt::join(want.validation_losses, " "));
  }
  return first_difference(got.tensors, want.tensors);
}

double worst_relative_difference(const std::vector<double>& got, const std::vector<double>& want) {
  if (got.size() != want.size() || want.empty()) return kNan;
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double difference = std::abs(got[i] - want[i]) / std::abs(want[i]);
    if (std::isnan(difference)) return kNan;
    worst = std::max(worst, difference);
  }
  return worst;
}

double worst_gradient_difference(const Tensors& got, const Tensors& want) {
  constexpr std::string_view kSuffix = checkpoint::kFirstMomentSuffix;
  double worst = kNan;
  for (const auto& [name, values] : want) {
    if (!name.ends_with(kSuffix)) continue;
    const auto found = got.find(name);
    if (found == got.end() || found->second.size() != values.size()) return kNan;
    const bool is_zero = std::all_of(values.begin(), values.end(), [](float v) { return v == 0; });
    const double difference = is_zero ? (same_bits(found->second, values) ? 0.0 : kNan)
                                      : relative_norm_error(found->second, values);
    if (std::isnan(difference)) return kNan;
    worst = std::isnan(worst) ? difference : std::max(worst, difference);
  }
  return worst;
}

}  // namespace megascale::testing
