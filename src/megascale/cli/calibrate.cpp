#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/cli/calibration_cases.h"
#include "megascale/cli/calibration_samples.h"
#include "megascale/cli/command.h"
#include "megascale/cli/simulated_step.h"
#include "megascale/cli/step_measurement.h"
#include "megascale/cli/temporary_directory.h"
#include "megascale/engine/engine.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/observe/comparison.h"

namespace megascale::cli {
namespace {

using simulate::Cluster;

constexpr std::int64_t kWarmup = 2;  // steps, left out: threads find their cores, pages their place
constexpr std::size_t kTriadNbytes = std::size_t{256} << 20U;
constexpr std::size_t kGemmSize = 2048;

struct CalibrateArguments {
  std::filesystem::path output;
  std::string name = "this machine";
  std::vector<std::int64_t> hidden_sizes{64, 128, 256, 512, 768};
  std::int64_t rounds = 3, steps = 2, threads = 1;
  double seconds = 0.2;
};

struct MeasuredCase {
  CalibrationCase of;
  std::vector<plan::VerifiedPlan> plans;
  std::vector<std::shared_ptr<const plan::StepPlan>> plan_of;  // by rank
  observe::RunRecords run;
};

double median_of(std::vector<double> values) {
  return values.empty() ? 0.0 : spread_of(std::move(values)).median;
}

class Calibration {
 public:
  explicit Calibration(const CalibrateArguments& arguments)
      : arguments_(arguments),
        processors_(static_cast<double>(engine::available_cores()) /
                    static_cast<double>(arguments.threads)) {}

  Outcome run() {
    measure_device();
    measure_cases();
    fit();
    write_text_atomically(
        arguments_.output,
        fmt::format("# Written by megascale calibrate: {} cores, {} kernels, {} "
                    "threads a rank.\n",
                    engine::available_cores(), kernels::cpu::vector_target(), arguments_.threads) +
            to_toml(cluster_));
    // What is said about the file is said by the file.
    cluster_ = simulate::load_cluster(arguments_.output);
    Outcome outcome{.json = {{"output", arguments_.output.string()}}};
    print_cluster(outcome.json);
    print_residuals(outcome.json);
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
  }

  // The cases take turns: a neighbour that is busy for a while spoils no case's medians.
  void measure_cases() {
    for (CalibrationCase& one : calibration_cases(arguments_.hidden_sizes, arguments_.threads,
                                                  static_cast<std::int64_t>(processors_))) {
      MeasuredCase measured{.of = std::move(one), .plans = {}, .plan_of = {}, .run = {}};
      measured.plans = plans_of(engine::plan_job(measured.of.config));
      for (const plan::VerifiedPlan& plan : measured.plans)
        measured.plan_of.push_back(plan.shared_plan());
      measured_.push_back(std::move(measured));
    }
    for (std::int64_t round = 1; round <= arguments_.rounds; ++round) {
      for (MeasuredCase& one : measured_) {
        say(fmt::format("round {} of {}: {}", round, arguments_.rounds, one.of.name));
        measure(one);
      }
    }
  }

  void measure(MeasuredCase& one) const {
    const TemporaryDirectory scratch;
    (void)measure_steps(one.of.config,
                        {.steps = arguments_.steps,
                         .warmup = kWarmup,
                         .run_dir = scratch.path(),
                         .peak = 1},  // nobody looks at the utilisation
                        nullptr);
    observe::RunRecords run = observe::read_run(scratch.path(), one.plan_of);
    one.run.ranks = run.ranks;
    one.run.steps.resize(run.ranks.size());
    for (std::size_t r = 0; r < run.ranks.size(); ++r) {
      std::move(run.steps[r].begin() + kWarmup, run.steps[r].end(),
                std::back_inserter(one.run.steps[r]));
    }
  }

  void fit() {
    CalibrationSamples samples;
    for (const MeasuredCase& one : measured_) {
      if (one.of.is_alone()) {
        add_compute_samples(one.plans, one.run, samples);
      } else if (one.of.copies == 0) {
        add_transfer_samples(one.plans, one.run, samples);
      }
    }
    cluster_.device.launch_us = 1e6 * median_of(samples.launch_seconds);
    cluster_.kernels = simulate::fit_kernels(samples.by_flops, samples.by_bytes);
    cluster_.kernels.threads = arguments_.threads;
    // The two members of a transfer share what processors there are.
    const double share = std::min(1.0, processors_ / 2);
    for (simulate::WorkSample& sample : samples.transfers) sample.seconds *= share;
    cluster_.transfers = simulate::fit_transfers(samples.transfers);
    cluster_.transfers.base_us += 1e6 * median_of(samples.wake_seconds);
    fit_channels();
    fit_speed();
    fit_crowded_speed();
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

  // The same kernels with all processors at work, and with one: medians of tasks on both sides, so
  // that a task which a neighbour interrupted does not count.
  void fit_speed() {
    CalibrationSamples samples;
    for (const MeasuredCase& one : measured_) {
      if (one.of.copies == processors_) add_compute_samples(one.plans, one.run, samples);
    }
    double alone = 0, together = 0;
    const auto add = [&](const std::vector<simulate::WorkSample>& all,
                         const simulate::RatesByKind& rates) {
      for (const simulate::WorkSample& sample : all) {
        const auto found = rates.find(sample.kind);
        const double work = sample.work + cluster_.kernels.flops_per_byte * sample.packed_nbytes;
        if (found == rates.end() || work == 0) continue;
        alone += sample.tasks * work / (1e9 * found->second.at(work));
        together += sample.tasks * sample.seconds;
      }
    };
    add(samples.by_flops, cluster_.kernels.gflop_per_s);
    add(samples.by_bytes, cluster_.kernels.gb_per_s);
    if (together == 0) return;
    cluster_.host.speed = {{{1, 1}, {processors_, std::min(1.0, alone / together)}}};
  }

  // Where ranks outnumber processors they also change places, and find the caches full of the
  // others' values: whole steps, as without that, beside what they took.
  void fit_crowded_speed() {
    std::map<std::int64_t, std::pair<double, double>> steps;  // simulated and measured, by ranks
    for (const MeasuredCase& one : measured_) {
      if (static_cast<double>(one.of.copies) <= processors_) continue;
      auto& [simulated, measured] = steps[one.of.copies];
      simulated += StepSimulator(one.of.config, cluster_).run().seconds;
      measured += measured_times(one).step;
    }
    const double filled = cluster_.host.speed.points.back().value;
    for (const auto& [ranks, seconds] : steps) {
      cluster_.host.speed.points.push_back(
          {static_cast<double>(ranks), filled * std::min(1.0, seconds.first / seconds.second)});
    }
  }

  [[nodiscard]] static observe::StepTimes measured_times(const MeasuredCase& one) {
    return observe::measured_times(one.run, one.plan_of);
  }

  void print_cluster(nlohmann::ordered_json& json) const {
    const Cluster::Device& device = cluster_.device;
    fmt::print(
        "a rank     {} threads, {:.1f} GFLOP/s float32 FMA peak, {:.1f} GB/s, launch {:.2f} "
        "us\n",
        arguments_.threads, 1e3 * device.float32_tflops, device.memory_gb_per_s, device.launch_us);
    const double all = cluster_.host.speed.at(processors_),
                 crowded = cluster_.host.speed.points.back().value;
    fmt::print(
        "host       {:g} processors, speed {:.3f} with all at work, {:.3f} with {:g} ranks\n",
        processors_, all, crowded, cluster_.host.speed.points.back().size);
    json["speed_crowded"] = crowded;
    fmt::print("transfers  base {:.1f} us, at most {:.2f} GB/s read and written\n",
               cluster_.transfers.base_us, cluster_.node.gb_per_s);
    json["processors"] = processors_;
    json["speed_with_all_at_work"] = all;
    json["launch_us"] = device.launch_us;
    json["transfer_base_us"] = cluster_.transfers.base_us;
    fmt::print("products   {:g} FLOPs for each byte of their operands\n",
               cluster_.kernels.flops_per_byte);
    json["flops_per_byte"] = cluster_.kernels.flops_per_byte;
    print_rates("GFLOP/s by FLOPs", cluster_.kernels.gflop_per_s);
    print_rates("GB/s by bytes", cluster_.kernels.gb_per_s);
    print_rates("transfers, GB/s by bytes", cluster_.transfers.gb_per_s);
  }

  static void print_rates(std::string_view title, const simulate::RatesByKind& rates) {
    fmt::print("\n{:<28} {:>7} {:>10} {:>10} {:>10} {:>10}\n", title, "points", "from", "to",
               "slowest", "fastest");
    for (const auto& [kind, curve] : rates) {
      const auto [slowest, fastest] =
          std::minmax_element(curve.points.begin(), curve.points.end(),
                              [](const auto& a, const auto& b) { return a.value < b.value; });
      fmt::print("{:<28} {:>7} {:>10.3g} {:>10.3g} {:>10.2f} {:>10.2f}\n", kind,
                 curve.points.size(), curve.points.front().size, curve.points.back().size,
                 slowest->value, fastest->value);
    }
  }

  // The steps that it was made of, simulated with it.
  void print_residuals(nlohmann::ordered_json& json) const {
    fmt::print("\n{:<40} {:>10} {:>10} {:>8} {:>10}\n", "own samples", "measured s", "predicted s",
               "error", "of compute");
    double sum = 0, worst = 0;
    for (const MeasuredCase& one : measured_) {
      const observe::StepTimes measured = measured_times(one);
      const SimulatedStep step = StepSimulator(one.of.config, cluster_).run();
      double compute = 0;
      for (const SimulatedRanks& ranks : step.ranks)
        compute += ranks.busy_seconds / static_cast<double>(step.ranks.size());
      const double error = step.seconds / measured.step - 1;
      sum += std::abs(error);
      worst = std::max(worst, std::abs(error));
      fmt::print("{:<40} {:>10.5f} {:>10.5f} {:>+7.1f}% {:>+9.1f}%\n", one.of.name, measured.step,
                 step.seconds, 100 * error, 100 * (compute / measured.compute - 1));
      json["cases"].push_back({{"name", one.of.name},
                               {"measured", measured.step},
                               {"predicted", step.seconds},
                               {"error", error},
                               {"compute_error", compute / measured.compute - 1}});
    }
    const double mean = sum / static_cast<double>(measured_.size());
    fmt::print("mean of |error| {:.1f} %, worst {:.1f} %\n{}\n", 100 * mean, 100 * worst,
               arguments_.output.string());
    json["mean_error"] = mean;
    json["worst_error"] = worst;
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
  const auto cores = static_cast<std::int64_t>(engine::available_cores());
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
