#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/time_slice.h"
#include "megascale/cli/calibration_cases.h"
#include "megascale/cli/calibration_report.h"
#include "megascale/cli/calibration_samples.h"
#include "megascale/cli/command.h"
#include "megascale/cli/measured_case.h"
#include "megascale/cli/simulated_step.h"
#include "megascale/cli/spread.h"
#include "megascale/engine/engine.h"
#include "megascale/kernels/cpu/peak.h"

namespace megascale::cli {
namespace {

using simulate::Cluster;

constexpr std::size_t kTriadNbytes = std::size_t{256} << 20U;
constexpr std::size_t kGemmSize = 2048;
constexpr std::chrono::milliseconds kSliceMeasurement{500};
constexpr double kMostJitter = 0.5;
constexpr int kJitterHalvings = 10;
constexpr std::int64_t kCrowdTurns = 4;  // in a round: a hundredth of a step is looked for

struct CalibrateArguments {
  std::filesystem::path output;
  std::string name = "this machine";
  std::vector<std::int64_t> hidden_sizes{64, 128, 256, 512, 768};
  std::int64_t rounds = 3, steps = 2, threads = 1;
  double seconds = 0.2;
};

double median_of(std::vector<double> values) {
  return values.empty() ? 0.0 : spread_of(std::move(values)).median;
}

class Calibration {
 public:
  explicit Calibration(const CalibrateArguments& arguments)
      : arguments_(arguments),
        processors_(static_cast<double>(available_cores()) /
                    static_cast<double>(arguments.threads)) {}

  Outcome run() {
    measure_device();
    measure_cases();
    fit();
    write_text_atomically(
        arguments_.output,
        fmt::format("# Written by megascale calibrate: {} cores, {} kernels, {} "
                    "threads a rank.\n",
                    available_cores(), kernels::cpu::vector_target(), arguments_.threads) +
            to_toml(cluster_));
    // What is said about the file is said by the file.
    cluster_ = simulate::load_cluster(arguments_.output);
    Outcome outcome{.json = {{"output", arguments_.output.string()}}};
    print_calibrated(cluster_, outcome.json);
    print_residuals(cluster_, measured_, outcome.json);
    fmt::print("{}\n", arguments_.output.string());
    return outcome;
  }

 private:
  void measure_device() {
    const auto threads = static_cast<std::size_t>(arguments_.threads);
    const kernels::cpu::PeakOptions options{.seconds = arguments_.seconds, .repetitions = 3};
    const double peak = kernels::cpu::fma_peak(threads, options).best;
    const double gemm = kernels::cpu::gemm_peak(threads, kGemmSize, options).best;
    const double memory = kernels::cpu::triad_bandwidth(threads, kTriadNbytes, options).best;
    cluster_.name = arguments_.name;
    cluster_.devices_per_node = 1024;                    // as many ranks as one likes
    cluster_.device = {.bfloat16_tflops = 1e-12 * peak,  // nothing here computes it
                       .float32_tflops = 1e-12 * peak,
                       .memory_gib = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                                     static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1U << 30U),
                       .memory_gb_per_s = 1e-9 * memory,
                       .multiprocessors = 1,
                       .gemm_efficiency = std::min(1.0, gemm / peak),
                       .memory_efficiency = {{{1, 1}}},
                       .attention_efficiency = std::min(1.0, gemm / peak)};
    cluster_.host.processors = processors_;
    cluster_.host.slice_us = 1e-3 * static_cast<double>(time_slice(kSliceMeasurement).count());
  }

  // The cases take turns: a neighbour that is busy for a while spoils no case's medians.
  void measure_cases() {
    for (CalibrationCase& one : calibration_cases(arguments_.hidden_sizes, arguments_.threads,
                                                  static_cast<std::int64_t>(processors_)))
      measured_.emplace_back(std::move(one));
    for (std::int64_t round = 1; round <= arguments_.rounds; ++round) {
      for (MeasuredCase& one : measured_) {
        say(fmt::format("round {} of {}: {}", round, arguments_.rounds, one.of().name));
        one.measure(arguments_.steps);
      }
      for (std::int64_t turn = 1; turn < kCrowdTurns; ++turn) {
        for (MeasuredCase& one : measured_)
          if (one.of().is_crowd) one.measure(arguments_.steps);
      }
    }
  }

  void fit() {
    CalibrationSamples samples;
    for (const MeasuredCase& one : measured_) {
      if (one.of().is_alone()) {
        add_compute_samples(one.plans(), one.run(), samples);
      } else if (one.of().is_pair()) {
        add_transfer_samples(one.plans(), one.run(), samples);
      }
    }
    cluster_.device.launch_us = 1e6 * median_of(samples.launch_seconds);
    fit_kernels(samples);
    // The two members of a transfer share what processors there are.
    const double share = std::min(1.0, processors_ / 2);
    for (simulate::WorkSample& sample : samples.transfers) sample.seconds *= share;
    cluster_.transfers = simulate::fit_transfers(samples.transfers);
    cluster_.transfers.base_us += 1e6 * median_of(samples.wake_seconds);
    fit_channels();
    fit_speed();
    add_sharded_samples(samples);
    fit_kernels(samples);
    fit_jitter();
    fit_crowded_speed();
    fit_wait_share();
  }

  void fit_kernels(const CalibrationSamples& samples) {
    cluster_.kernels = simulate::fit_kernels(samples.by_flops, samples.by_bytes);
    cluster_.kernels.threads = arguments_.threads;
  }

  // Shapes and kinds of ops that only ranks of several have: as with a processor that works alone.
  void add_sharded_samples(CalibrationSamples& samples) {
    CalibrationSamples sharded;
    for (const MeasuredCase& one : measured_) {
      if (one.of().is_pair()) add_compute_samples(one.plans(), one.run(), sharded);
    }
    const double speed = cluster_.host.speed.at(2);
    const auto add = [speed](std::vector<simulate::WorkSample>& from,
                             std::vector<simulate::WorkSample>& to) {
      for (simulate::WorkSample& sample : from) {
        sample.seconds *= speed;
        to.push_back(std::move(sample));
      }
    };
    add(sharded.by_flops, samples.by_flops);
    add(sharded.by_bytes, samples.by_bytes);
  }

  // Kinds that were not measured go as all kinds together do; there is no other node.
  void fit_channels() {
    double fastest = 0;
    for (const auto& [kind, curve] : cluster_.transfers.gb_per_s)
      for (const auto& point : curve.points) fastest = std::max(fastest, point.value);
    cluster_.node = {.gb_per_s = fastest > 0 ? fastest : cluster_.device.memory_gb_per_s,
                     .efficiency = {{{1, 1}}},
                     .protocols = {{.base_us = cluster_.transfers.base_us}},
                     .processor_share = 0.9};
    cluster_.network = cluster_.node;
    cluster_.spread_efficiency = {{{1, 1}}};
  }

  // The same kernels with all processors at work, and with one.
  void fit_speed() {
    CalibrationSamples samples;
    for (const MeasuredCase& one : measured_) {
      if (static_cast<double>(one.of().copies) == processors_)
        add_compute_samples(one.plans(), one.run(), samples);
    }
    double alone = 0, together = 0;
    const simulate::Cluster::Kernels& kernels = cluster_.kernels;
    const auto add = [&](const std::vector<simulate::WorkSample>& all,
                         const simulate::RatesByKind& rates) {
      for (const simulate::WorkSample& sample : all) {
        const auto found = rates.find(sample.kind);
        const double work = kernels.work_of(sample.kind, sample.work, sample.nbytes);
        if (found == rates.end() || work == 0) continue;
        alone += sample.tasks * work / (1e9 * found->second.at(work));
        together += sample.tasks * sample.seconds;
      }
    };
    add(samples.by_flops, kernels.gflop_per_s);
    add(samples.by_bytes, kernels.gb_per_s);
    if (together == 0) return;
    cluster_.host.speed = {{{1, 1}, {processors_, std::min(1.0, alone / together)}}};
  }

  // Ranks that do the same wait for each other because their tasks do not take the same time twice:
  // as long as where two of them meet in every layer. The median of such cases, as in the smallest
  // the transfers themselves decide.
  void fit_jitter() {
    std::vector<double> sigmas;
    for (const MeasuredCase& one : measured_) {
      const ParallelConfig& parallel = one.of().config.parallel;
      const auto meeting = parallel.tensor_model_parallel_size * parallel.context_parallel_size;
      if (one.of().is_pair() && meeting > 1) sigmas.push_back(jitter_of(one));
    }
    cluster_.host.jitter = median_of(std::move(sigmas));
  }

  // With which the case waits as long as it did.
  double jitter_of(const MeasuredCase& one) {
    const double measured = one.times().waits_share();
    const StepSimulator simulator(one.of().config, cluster_);  // sees what changes in the cluster
    double low = 0, high = kMostJitter;
    for (int i = 0; i < kJitterHalvings; ++i) {
      cluster_.host.jitter = (low + high) / 2;
      (simulator.run().waits_share() < measured ? low : high) = cluster_.host.jitter;
    }
    return low;
  }

  // Where ranks outnumber processors they also change places, and find the caches full of the
  // others' values: whole steps, as without that, beside what they took.
  void fit_crowded_speed() {
    std::map<std::int64_t, std::pair<double, double>> steps;  // simulated and measured, by ranks
    for (const MeasuredCase& one : measured_) {
      if (static_cast<double>(one.of().copies) <= processors_) continue;
      auto& [simulated, measured] = steps[one.of().copies];
      simulated += simulated_seconds(one);
      measured += one.times().step;
    }
    const double filled = cluster_.host.speed.points.back().value;
    for (const auto& [ranks, seconds] : steps) {
      cluster_.host.speed.points.push_back(
          {static_cast<double>(ranks), filled * std::min(1.0, seconds.first / seconds.second)});
    }
  }

  // What turns that waits end lose goes into seconds in proportion, more without overlap, where
  // there are more of them: the share that comes nearest to the steps with and without (least
  // squares).
  void fit_wait_share() {
    double products = 0, squares = 0;
    for (const MeasuredCase& one : measured_) {
      if (!one.of().is_crowd) continue;
      cluster_.host.wait_share = 0;
      const double if_free = simulated_seconds(one);
      cluster_.host.wait_share = 1;
      const double of_share = simulated_seconds(one) - if_free;
      products += of_share * (one.times().step - if_free);
      squares += of_share * of_share;
    }
    cluster_.host.wait_share = squares > 0 ? std::max(0.0, products / squares) : 0;
  }

  [[nodiscard]] double simulated_seconds(const MeasuredCase& one) const {
    return StepSimulator(one.of().config, cluster_).run().seconds;
  }

  const CalibrateArguments& arguments_;
  const double processors_;  // each serves the threads of one rank
  std::vector<MeasuredCase> measured_;
  Cluster cluster_;
};

Outcome calibrate(const CalibrateArguments& arguments) {
  for (const std::int64_t width : arguments.hidden_sizes) {
    if (width % 64 != 0) {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("--hidden-sizes: expected multiples of 64, found {}", width));
    }
  }
  const std::filesystem::path folder = std::filesystem::absolute(arguments.output).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("--output: expected a file in a directory, found none at {}", folder.string()));
  }
  const auto cores = static_cast<std::int64_t>(available_cores());
  if (arguments.threads > cores) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--threads: expected at most the {} cores of this machine, found {}",
                            cores, arguments.threads));
  }
  return Calibration(arguments).run();
}

}  // namespace

void add_calibrate(Command& app) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  Command command = app.subcommand(
      "calibrate", "measures kernels and transfers of this machine: a cluster file for simulate");
  command.option("--output", arguments->output, "cluster file to write").required();
  command.option("--name", arguments->name, "what the file calls this machine").shows_default();
  command.option("--threads", arguments->threads, "of a rank, as in train.threads_per_rank")
      .positive()
      .shows_default();
  command
      .option("--hidden-sizes", arguments->hidden_sizes,
              "widths of the models whose steps are measured, multiples of 64")
      .separated_by_commas()
      .between(64, 1 << 14)
      .shows_default();
  command.option("--rounds", arguments->rounds, "over all models and layouts")
      .positive()
      .shows_default();
  command.option("--steps", arguments->steps, "measured steps of each of them in a round")
      .positive()
      .shows_default();
  command.option("--seconds", arguments->seconds, "of each repetition of a peak's measurement")
      .positive()
      .shows_default();
  command.does([arguments] { return calibrate(*arguments); });
}

}  // namespace megascale::cli
