// Compares the first simulations of `megascale tune` with the best of all layouts, for 20 jobs:
//
//   build/release/bench/bench_tune [--simulations N] [--no-all] [JOB ...]
//
// It prints a line for every job: the step of the given layout, the best after N simulations
// (default 24), the best of all allowed layouts that fit, and how far the first is from it. Layouts
// whose estimate is more than 1.35 times the best simulated time are not simulated; the last column
// shows that no estimate is that far above its simulation. The bar is 1 %. The exit code is 1 if a job misses it. --no-all leaves out the simulation of all layouts,
// which takes minutes for a job.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "megascale/base/clock.h"
#include "study/search_jobs.h"

namespace megascale {
namespace {

constexpr double kBar = 1.01;

std::string text_of(const study::Layout& l) {
  return fmt::format("t{} c{} p{} v{} {} m{} z{} pieces{} {}", l.tensor, l.context, l.pipeline,
                     l.chunks, l.schedule, l.micro_batch_size, l.zero_stage, l.tensor_pieces,
                     study::name_of(l.recompute));
}

double since(std::int64_t begin) { return static_cast<double>(monotonic_ns() - begin) * 1e-9; }

// Returns false if the search misses the bar.
bool measure(const testing::SearchJob& job, const study::TuneOptions& options, bool all) {
  const std::int64_t begin = monotonic_ns();
  const study::Tuning tuning =
      study::tune(job.config, job.cluster, options, [](const std::string&) {});
  const double tune_seconds = since(begin);
  const auto given = std::find_if(tuning.tried.begin(), tuning.tried.end(),
                                  [](const study::TriedLayout& one) { return one.is_given; });
  const study::TriedLayout& first = tuning.tried.front();
  fmt::print("{:<24} {:>6} allowed {:>5} estimated, tune {:5.1f} s | given {:8.4f} found {:8.4f}",
             job.name, tuning.allowed, tuning.estimated, tune_seconds, given->step.seconds,
             first.step.seconds);
  if (!all) {
    fmt::print("  {}\n", text_of(first.layout));
    return true;
  }
  const std::int64_t begin_all = monotonic_ns();
  const testing::BestLayout best = testing::best_of_all(job, options.reserve);
  const double ratio = first.step.seconds / best.seconds;
  fmt::print(" best {:8.4f} of {:>5} in {:5.0f} s: {:.4f}{} (simulated / estimated >= {:.2f})\n",
             best.seconds, best.simulated, since(begin_all), ratio, ratio <= kBar ? "" : "  MISSED",
             best.lowest_ratio);
  if (ratio > kBar)
    fmt::print("    found {}\n    best  {}\n", text_of(first.layout), text_of(best.layout));
  return ratio <= kBar;
}

}  // namespace
}  // namespace megascale

int main(int argc, char** argv) {
  using namespace megascale;  // NOLINT(google-build-using-namespace)
  study::TuneOptions options;
  std::vector<std::string> names;
  bool all = true, good = true;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--no-all") {
      all = false;
    } else if (word == "--simulations" && i + 1 < argc) {
      options.simulations = std::strtoul(argv[++i], nullptr, 10);
    } else {
      names.push_back(word);
    }
  }
  for (const testing::SearchJob& job : testing::search_jobs()) {
    if (!names.empty() && std::find(names.begin(), names.end(), job.name) == names.end()) continue;
    good = measure(job, options, all) && good;
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}
