#ifndef MEGASCALE_TESTS_STUDY_SEARCH_JOBS_H_
#define MEGASCALE_TESTS_STUDY_SEARCH_JOBS_H_

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/study/search/tuning.h"

// Jobs on described clusters whose best layout is found by simulating all of them. The search for a
// layout is held against it: by a test for the quick ones, by bench/tune for all.
namespace megascale::testing {

inline simulate::Cluster cluster_named(const std::string& name) {
  return simulate::load_cluster(std::string(MEGASCALE_SOURCE_DIR "/clusters/") + name + ".toml");
}

inline simulate::Cluster cluster_of(std::int64_t devices_per_node) {
  simulate::Cluster cluster = cluster_named("a100-selene");
  cluster.devices_per_node = devices_per_node;
  return cluster;
}

inline Config small_job(std::int64_t ranks, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{"model.num_layers=4",
                                    "model.hidden_size=256",
                                    "model.num_attention_heads=4",
                                    "model.seq_length=128",
                                    "model.dtype=bfloat16",
                                    "train.global_batch_size=8",
                                    "parallel.world_size=" + std::to_string(ranks)};
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_config("", "test", settings);
}

struct SearchJob {
  std::string name;
  Config config;
  simulate::Cluster cluster;
  bool is_quick = false;
};

// Twenty jobs: models of 0.3 to 8 thousand columns, GPT-2 and Llama style, on 4 to 64 devices, on
// slow and fast networks, with much and little memory, with overlap and without.
inline std::vector<SearchJob> search_jobs() {
  std::vector<SearchJob> jobs;
  const auto add = [&](const std::string& name, const std::string& cluster, std::int64_t layers,
                       std::int64_t hidden, std::int64_t length, std::int64_t batch,
                       std::int64_t ranks, std::vector<std::string> more, double memory_gib = 0,
                       bool is_quick = false) {
    std::vector<std::string> settings{
        "model.num_layers=" + std::to_string(layers),
        "model.hidden_size=" + std::to_string(hidden),
        "model.num_attention_heads=" + std::to_string(std::max<std::int64_t>(hidden / 128, 8)),
        "model.seq_length=" + std::to_string(length),
        "model.vocab_size=32000",
        "model.dtype=bfloat16",
        "train.global_batch_size=" + std::to_string(batch),
        "parallel.world_size=" + std::to_string(ranks)};
    settings.insert(settings.end(), more.begin(), more.end());
    SearchJob job{name, parse_config("", name, settings), cluster_named(cluster), is_quick};
    if (memory_gib > 0) job.cluster.device.memory_gib = memory_gib;
    jobs.push_back(std::move(job));
  };
  const std::string llama = "model.type=llama", a100 = "a100-selene", h100 = "h100-dgx",
                    four = "parallel.tensor_model_parallel_size=4";  // fewer sequences than ranks
  add("narrow-4", a100, 4, 1024, 1024, 16, 4, {}, 0, true);
  add("narrow-16", a100, 4, 1024, 1024, 32, 16, {llama}, 0, true);
  add("narrow-small-memory", a100, 8, 1024, 2048, 16, 8, {}, 4);
  add("narrow-64", h100, 8, 1024, 1024, 64, 64, {});
  add("middle-8", h100, 8, 2048, 2048, 16, 8, {llama});
  add("middle-16", h100, 8, 2048, 2048, 32, 16, {});
  add("middle-16-no-overlap", h100, 8, 2048, 2048, 32, 16,
      {"overlap.tensor=false", "overlap.pipeline=false", "overlap.data=false"});
  add("middle-16-zero0", a100, 8, 2048, 2048, 32, 16, {"parallel.zero_stage=0"}, 16);
  add("middle-32", a100, 12, 2048, 2048, 64, 32, {llama});
  add("middle-32-few-sequences", a100, 8, 2048, 4096, 16, 32, {four});
  add("middle-long", h100, 8, 2048, 16384, 4, 16, {llama, four});
  add("wide-8", a100, 8, 4096, 2048, 16, 8, {});
  add("wide-16", h100, 8, 4096, 2048, 32, 16, {llama});
  add("wide-16-small-memory", h100, 8, 4096, 4096, 16, 16, {}, 24);
  add("wide-32", h100, 8, 4096, 2048, 32, 32, {"model.parallel_block=true"});
  add("wide-64-lamb", "a100-megascale", 8, 4096, 2048, 64, 64, {"optimizer.name=lamb"});
  add("wide-no-data-overlap", a100, 8, 4096, 2048, 32, 32, {"overlap.data=false"});
  add("huge-16", h100, 8, 8192, 2048, 16, 16, {llama});
  add("huge-32", "a100-megascale", 8, 8192, 2048, 32, 32, {});
  add("huge-64", "h800", 8, 8192, 4096, 32, 64, {llama, four, "model.num_query_groups=8"});
  return jobs;
}

struct BestLayout {
  double seconds = std::numeric_limits<double>::infinity();
  study::Layout layout;
  std::size_t simulated = 0;
  double lowest_ratio = std::numeric_limits<double>::infinity();  // simulated over estimated time
};

// Simulates every layout that leaves the reserve free, in the order of the estimates, until those
// are `slack` times the best simulated time. BestLayout::lowest_ratio tells whether a slower estimate
// could have been the best: no simulation may be faster than 1 / slack of its estimate.
inline BestLayout best_of_all(const SearchJob& job, double reserve, double slack = 1.35) {
  BestLayout best;
  const double usable = (1 - reserve) * job.cluster.device.memory_gib * (1U << 30U);
  study::StepEstimator estimator(job.config, job.cluster);
  std::vector<std::pair<double, study::Layout>> by_estimate;
  for (const study::Layout& layout : study::layouts_of(job.config, job.cluster))
    by_estimate.emplace_back(estimator.estimate(layout).seconds, layout);
  std::stable_sort(by_estimate.begin(), by_estimate.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [estimate, layout] : by_estimate) {
    if (estimate > slack * best.seconds) break;
    const Config config = study::with_layout(job.config, layout);
    const study::StepSimulator simulator(config, job.cluster);
    if (static_cast<double>(simulator.needed_nbytes()) > usable) continue;
    const double seconds = simulator.run({.steps = 2}).seconds;
    ++best.simulated;
    best.lowest_ratio = std::min(best.lowest_ratio, seconds / estimate);
    if (seconds < best.seconds) {
      best.seconds = seconds;
      best.layout = layout;
    }
  }
  return best;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_STUDY_SEARCH_JOBS_H_
