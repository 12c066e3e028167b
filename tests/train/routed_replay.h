#ifndef MEGASCALE_TESTS_TRAIN_ROUTED_REPLAY_H_
#define MEGASCALE_TESTS_TRAIN_ROUTED_REPLAY_H_

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "megascale/config/derived.h"
#include "megascale/engine/route_file.h"
#include "train/routed_model.h"

// Runs whose choices are recorded or replayed, and recorded choices beside each other.
namespace megascale::testing {

inline Settings operator+(Settings all, const Settings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
inline Settings recorded(const std::filesystem::path& directory) {
  return {"moe.routing_replay=record", "moe.routing_replay_dir=" + directory.string()};
}
inline Settings replayed(const std::filesystem::path& directory) {
  return {"moe.routing_replay=replay", "moe.routing_replay_dir=" + directory.string()};
}

inline engine::RouteShape routes_of(const Config& config) {
  return {.layers = layers_with_experts(config.model),
          .tokens = config.train.global_batch_size * config.model.seq_length,
          .top_k = config.model.moe.router_topk,
          .experts = config.model.moe.num_experts};
}

inline std::vector<std::filesystem::path> route_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Choices of the same place in two folders of routes.
struct RouteDifferences {
  std::int64_t choices = 0, differing = 0;
  double worst_gap = 0;    // of the scores of choices that differ
  double worst_score = 0;  // |a - b| of all scores
};
inline RouteDifferences compare_routes(const std::filesystem::path& got,
                                       const std::filesystem::path& want,
                                       const engine::RouteShape& shape) {
  RouteDifferences result;
  const auto count = static_cast<std::size_t>(shape.tokens * shape.top_k);
  for (const std::filesystem::path& path : route_files(want)) {
    const auto a = engine::RouteFile::to_read(got / path.filename(), shape),
               b = engine::RouteFile::to_read(path, shape);
    std::vector<std::int32_t> chosen_a(count), chosen_b(count);
    std::vector<float> score_a(count), score_b(count);
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      a.read(layer, 0, chosen_a);
      b.read(layer, 0, chosen_b);
      a.read_scores(layer, 0, score_a);
      b.read_scores(layer, 0, score_b);
      for (std::size_t i = 0; i < count; ++i) {
        const double gap = std::abs(double{score_a[i]} - double{score_b[i]});
        result.worst_score = std::max(result.worst_score, gap);
        ++result.choices;
        if (chosen_a[i] == chosen_b[i]) continue;
        ++result.differing;
        result.worst_gap = std::max(result.worst_gap, gap);
      }
    }
  }
  return result;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_ROUTED_REPLAY_H_
