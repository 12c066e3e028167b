// Describes this machine as a cluster file. The peak rates are measured directly. Everything else
// is fitted to the task records of small training jobs (calibration_cases.h), in this order:
//   kernels     rates of ops, from jobs of one rank
//   transfers   rates and latency, from jobs of two ranks
//   speed       slowdown while all processors work, from one rank on each processor
//   jitter      from the waiting of two ranks for each other
//   crowd       slowdown if ranks outnumber processors
//   wait_share  cost of a time slice that a wait ends early
// Each fit simulates with the values that were fitted before it, so the order matters.
#include "megascale/study/calibrate/calibration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "megascale/base/core_binding.h"
#include "megascale/base/time_slice.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/study/calibrate/calibration_cases.h"
#include "megascale/study/calibrate/calibration_samples.h"
#include "megascale/study/calibrate/fits.h"
#include "megascale/study/forecast/simulated_step.h"
#include "megascale/study/statistics.h"

namespace megascale::study {
namespace {

using simulate::Cluster;

constexpr std::size_t kTriadNbytes = std::size_t{256} << 20U;
constexpr std::size_t kGemmSize = 2048;
constexpr std::chrono::milliseconds kSliceMeasurement{500};
// Crowded cases are measured this many times in a round. Their effect is about a hundredth of a
// step, so they need more steps.
constexpr std::int64_t kCrowdTurns = 4;

// One run of `megascale calibrate`; the comment at the top of this file describes the method.
class Calibrator {
 public:
  Calibrator(const CalibrationOptions& options,
             const std::function<void(const std::string&)>& on_message)
      : options_(options),
        on_message_(on_message),
        processors_(static_cast<double>(available_cores()) / static_cast<double>(options.threads)) {
  }

  Calibration run() {
    measure_device();
    measure_cases();
    fit();
    return {.cluster = std::move(cluster_), .cases = std::move(measured_)};
  }

 private:
  void measure_device() {
    const auto threads = static_cast<std::size_t>(options_.threads);
    const kernels::cpu::PeakOptions options{.seconds = options_.seconds, .repetitions = 3};
    const double peak = kernels::cpu::fma_peak(threads, options).best;
    const double gemm = kernels::cpu::gemm_peak(threads, kGemmSize, options).best;
    const double memory = kernels::cpu::triad_bandwidth(threads, kTriadNbytes, options).best;
    cluster_.name = options_.name;
    cluster_.devices_per_node = 1024;                    // every job fits on one node
    cluster_.device = {.bfloat16_tflops = 1e-12 * peak,  // not measured
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

  // Every round measures all cases once. If another process is busy for a while, it disturbs a few
  // steps of each case, and the medians stay.
  void measure_cases() {
    for (CalibrationCase& one : calibration_cases(options_.hidden_sizes, options_.threads,
                                                  static_cast<std::int64_t>(processors_)))
      measured_.emplace_back(std::move(one));
    for (std::int64_t round = 1; round <= options_.rounds; ++round) {
      for (MeasuredCase& one : measured_) {
        on_message_(fmt::format("round {} of {}: {}", round, options_.rounds, one.of().name));
        one.measure(options_.steps);
      }
      for (std::int64_t turn = 1; turn < kCrowdTurns; ++turn) {
        for (MeasuredCase& one : measured_)
          if (one.of().is_crowd) one.measure(options_.steps);
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
    cluster_.device.launch_us = 1e6 * median_or_zero(samples.launch_seconds);
    fit_kernels(samples);
    // On a single processor the two members of a transfer share it and take twice as long.
    const double share = std::min(1.0, processors_ / 2);
    for (simulate::WorkSample& sample : samples.transfers) sample.seconds *= share;
    cluster_.transfers = simulate::fit_transfers(samples.transfers);
    cluster_.transfers.base_us += 1e6 * median_or_zero(samples.wake_seconds);
    set_channels(cluster_);
    fit_speed();
    add_sharded_samples(samples);
    fit_kernels(samples);
    fit_host_jitter();
    fit_crowd();
    fit_waits();
  }

  void fit_kernels(const CalibrationSamples& samples) {
    cluster_.kernels = simulate::fit_kernels(samples.by_flops, samples.by_bytes);
    cluster_.kernels.threads = options_.threads;
  }

  // Adds samples of the ops that occur only in jobs of several ranks, because of their kind or
  // shape. In those jobs several processors work at once. The times are therefore scaled to a
  // processor that works alone.
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

  // Fits host.speed for a host whose processors all work, from jobs with one rank on each
  // processor.
  void fit_speed() {
    CalibrationSamples samples;
    for (const MeasuredCase& one : measured_) {
      if (static_cast<double>(one.of().copies) == processors_)
        add_compute_samples(one.plans(), one.run(), samples);
    }
    if (const auto speed = fit_speed_together(samples, cluster_.kernels))
      cluster_.host.speed = {{{1, 1}, {processors_, *speed}}};
  }

  // Fits host.jitter. Ranks with equal work wait for each other, because a task takes a different
  // time whenever it runs. Cases in which two ranks exchange data in every layer show this waiting.
  // The median over these cases is used, since in the smallest ones the transfers dominate.
  void fit_host_jitter() {
    std::vector<double> sigmas;
    for (const MeasuredCase& one : measured_) {
      const ParallelConfig& parallel = one.of().config.parallel;
      const auto meeting = parallel.tensor_model_parallel_size * parallel.context_parallel_size;
      if (one.of().is_pair() && meeting > 1) sigmas.push_back(jitter_of(one));
    }
    cluster_.host.jitter = median_or_zero(std::move(sigmas));
  }

  double jitter_of(const MeasuredCase& one) {
    const StepSimulator simulator(one.of().config, cluster_);  // refers to cluster_: sees changes
    return fit_jitter(one.times().waits_share(), [&](double sigma) {
      cluster_.host.jitter = sigma;
      return simulator.run().waits_share();
    });
  }

  // Fits host.speed for more ranks than processors: compares measured steps with steps that are
  // simulated without the loss from sharing a processor.
  void fit_crowd() {
    std::map<std::int64_t, StepPair> steps;
    for (const MeasuredCase& one : measured_) {
      if (static_cast<double>(one.of().copies) <= processors_) continue;
      auto& [simulated, measured] = steps[one.of().copies];
      simulated += simulated_seconds(one);
      measured += one.times().step;
    }
    auto& points = cluster_.host.speed.points;
    const auto crowded = fit_crowded_speed(steps, points.back().value);
    points.insert(points.end(), crowded.begin(), crowded.end());
  }

  // Fits host.wait_share from the crowded cases. The step time is linear in it, so each case is
  // simulated at 0 and at 1.
  void fit_waits() {
    std::vector<WaitShareSample> samples;
    for (const MeasuredCase& one : measured_) {
      if (!one.of().is_crowd) continue;
      cluster_.host.wait_share = 0;
      const double if_free = simulated_seconds(one);
      cluster_.host.wait_share = 1;
      samples.push_back({if_free, simulated_seconds(one), one.times().step});
    }
    cluster_.host.wait_share = fit_wait_share(samples);
  }

  [[nodiscard]] double simulated_seconds(const MeasuredCase& one) const {
    return StepSimulator(one.of().config, cluster_).run().seconds;
  }

  const CalibrationOptions& options_;
  const std::function<void(const std::string&)>& on_message_;
  const double processors_;  // each serves the threads of one rank
  std::vector<MeasuredCase> measured_;
  Cluster cluster_;
};

}  // namespace

Calibration calibrate(const CalibrationOptions& options,
                      const std::function<void(const std::string&)>& on_message) {
  return Calibrator(options, on_message).run();
}

}  // namespace megascale::study
