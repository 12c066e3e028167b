#include "megascale/engine/batch_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "megascale/config/derived.h"
#include "megascale/data/dataset.h"

namespace megascale::engine {

using graph::Axis;
using graph::BatchField;

BatchRoutes::BatchRoutes(const Config& config, const graph::Coordinates& place,
                         plan::BatchLayout layout)
    : config_(config),
      layout_(std::move(layout)),
      shape_{.layers = layers_with_experts(config.model),
             .tokens = config.train.global_batch_size * config.model.seq_length,
             .top_k = config.model.moe.router_topk,
             .experts = config.model.moe.num_experts},
      data_rank_(place[static_cast<std::size_t>(Axis::data)]),
      rows_(config, place[static_cast<std::size_t>(Axis::context)],
            place[static_cast<std::size_t>(Axis::tensor)]) {}

std::filesystem::path BatchRoutes::of_step(std::int64_t step) const {
  return routing_directory(config_) / fmt::format("step-{:08}.routes", step);
}

std::filesystem::path BatchRoutes::of_evaluation(std::int64_t steps, std::int64_t batch) const {
  return routing_directory(config_) /
         fmt::format("evaluation-{:08}-batch-{:05}.routes", steps, batch);
}

template <class Visit>
void BatchRoutes::for_each_run(std::uint32_t micro_batch, const Visit& visit) const {
  const std::int64_t sample = first_sample(
      config_, {.step = 0, .data_rank = data_rank_, .micro_batch = std::int64_t{micro_batch}});
  rows_.for_each_run(
      [&](std::int64_t row, std::int64_t count, std::int64_t sequence, std::int64_t position) {
        visit(row, count, (sample + sequence) * config_.model.seq_length + position);
      });
}

const plan::BatchLayout::Field* BatchRoutes::field(BatchField kind, std::int64_t layer) const {
  const auto found =
      std::find_if(layout_.fields.begin(), layout_.fields.end(),
                   [&](const auto& one) { return one.field == kind && one.number == layer; });
  return found == layout_.fields.end() ? nullptr : &*found;
}

namespace {

template <class T>
std::span<T> values_of(std::byte* part, const plan::BatchLayout::Field& field, std::int64_t first,
                       std::int64_t count) {
  return std::span(reinterpret_cast<T*>(part + field.offset), field.nbytes / sizeof(T))
      .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace

void BatchRoutes::load(std::byte* batch, const std::filesystem::path& path) const {
  std::optional<RouteFile> file;
  if (std::filesystem::exists(path)) file.emplace(RouteFile::to_read(path, shape_));
  const std::int64_t k = shape_.top_k;
  for (std::uint32_t m = 0; m < layout_.micro_batches; ++m) {
    std::byte* part = batch + plan::BatchLayout::kHeader + m * layout_.micro_batch_nbytes;
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
      const auto* routes = field(BatchField::routes, layer);
      if (routes == nullptr) continue;  // of another stage
      for_each_run(m, [&](std::int64_t row, std::int64_t count, std::int64_t token) {
        const auto choices = values_of<std::int32_t>(part, *routes, row * k, count * k);
        if (file) {
          file->read(layer, token, choices);
        } else {
          std::fill(choices.begin(), choices.end(), RouteFile::kUnknown);
        }
      });
    }
  }
}

void BatchRoutes::save(std::span<std::byte> batch, const std::filesystem::path& path) const {
  const std::int64_t k = shape_.top_k;
  std::optional<RouteFile> file;  // a stage without experts writes none
  for (std::uint32_t m = 0; m < layout_.micro_batches; ++m) {
    std::byte* part = batch.data() + plan::BatchLayout::kHeader + m * layout_.micro_batch_nbytes;
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
      const auto *routes = field(BatchField::routes, layer),
                 *scores = field(BatchField::route_scores, layer);
      if (routes == nullptr) continue;
      if (!file) {
        make_directories(path.parent_path());
        file.emplace(RouteFile::to_write(path, shape_));
      }
      for_each_run(m, [&](std::int64_t row, std::int64_t count, std::int64_t token) {
        file->write(layer, token, values_of<std::int32_t>(part, *routes, row * k, count * k),
                    values_of<float>(part, *scores, row * k, count * k));
      });
    }
  }
}

}  // namespace megascale::engine
