// Translates between a rank's flat buffers and boxes of logical tensors. A rank's part of a tensor
// depends on the axes that cut its dimensions, on the sections of a dimension (query, key and value
// heads are cut one by one), on padding rows, and on the rank's shard of the bucket. The code cuts
// in this order: dimensions into runs, runs into boxes that are contiguous in the flat buffer, and
// boxes at the borders of the shard.
#include "megascale/engine/state_tensors.h"

#include <algorithm>
#include <map>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "megascale/engine/wide_weights.h"

namespace megascale::engine {
namespace {

using graph::Axis;

// Consecutive elements of a rank's part of a parameter that form a box of the global tensor.
struct Section {
  std::uint64_t begin = 0, count = 0;       // elements, from the start of the rank's part
  std::vector<std::int64_t> offset, shape;  // the box
};

// Consecutive indices of a dimension of the rank's part, and the global index of the first.
struct IndexRun {
  std::int64_t local = 0, count = 0, global = 0;
};

// Returns, for each dimension, the indices that the rank holds, as runs that are consecutive both
// in the rank's part and in the global tensor. There is one run, or one per section if the
// dimension is cut in sections. Padding rows are left out.
std::vector<std::vector<IndexRun>> index_runs(const plan::ParameterPlace& place,
                                              const graph::AxisSizes& axes,
                                              const graph::Coordinates& coordinates) {
  std::vector<std::vector<IndexRun>> runs;
  for (const graph::Dim& dim : place.shape) runs.push_back({{0, dim.size, 0}});
  for (const graph::Sharding& sharding : place.parameter.shardings) {
    const std::int64_t ranks = sharding.over.group_size(axes);
    const std::int64_t me = sharding.over.group_index(axes, coordinates);
    auto& of_dimension = runs[sharding.dimension];
    of_dimension.clear();
    std::int64_t local = 0, global = 0;
    for (const std::int64_t extent : sharding.sections) {
      const std::int64_t share = extent / ranks;
      of_dimension.push_back({local, share, global + me * share});
      local += share;
      global += extent;
    }
  }
  if (const std::int64_t rows = place.parameter.logical_rows; rows != 0) {
    for (IndexRun& run : runs[0]) run.count = std::min(run.count, rows - run.global);
    std::erase_if(runs[0], [](const IndexRun& run) { return run.count <= 0; });
  }
  return runs;
}

// Divides the rank's part into boxes whose elements are consecutive in it. `inner` is the last
// dimension that has several runs or lacks indices (padding). All dimensions after it are whole. Of
// each dimension before it, a box has a single index.
std::vector<Section> sections_of(const plan::ParameterPlace& place, const graph::AxisSizes& axes,
                                 const graph::Coordinates& coordinates) {
  const auto runs = index_runs(place, axes, coordinates);
  std::size_t inner = 0;  // dimensions before this one are walked index by index
  for (std::size_t d = 0; d < runs.size(); ++d) {
    if (runs[d].size() != 1 || runs[d][0].count != place.shape[d].size) inner = d;
  }
  std::vector<Section> sections{{.begin = 0, .count = 1, .offset = {}, .shape = {}}};
  for (std::size_t d = 0; d < runs.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(place.shape[d].size);
    std::vector<Section> longer;
    const auto extend = [&](const Section& outer, std::int64_t local, std::int64_t count,
                            std::int64_t global) {
      Section section = outer;
      section.begin = outer.begin * extent + static_cast<std::uint64_t>(local);
      section.count = outer.count * static_cast<std::uint64_t>(count);
      section.offset.push_back(global);
      section.shape.push_back(count);
      longer.push_back(std::move(section));
    };
    for (const Section& outer : sections) {
      for (const IndexRun& run : runs[d]) {
        if (d >= inner) {
          extend(outer, run.local, run.count, run.global);
          continue;
        }
        for (std::int64_t i = 0; i < run.count; ++i)
          extend(outer, run.local + i, 1, run.global + i);
      }
    }
    sections = std::move(longer);
  }
  return sections;
}

constexpr std::uint64_t kBfloat16Bytes = 2;

// Returns true if this rank saves the part. Among the ranks that hold the same elements, it is the
// first one.
bool saves(const plan::ParameterPlace& place, const plan::FlatBucket& bucket,
           const graph::AxisSizes& axes, const graph::Coordinates& coordinates) {
  const graph::AxisSet cut =
      place.parameter.sharded_over() | (bucket.shards > 1 ? bucket.summed_over : graph::AxisSet{});
  const graph::AxisSet alike =
      (place.parameter.is_of_experts() ? graph::kExpertAxes : graph::kDenseAxes).without(cut);
  if (alike.group_index(axes, coordinates) != 0) return false;
  return !place.parameter.tied || axes[Axis::pipeline] == 1 ||
         coordinates[static_cast<std::size_t>(Axis::pipeline)] == 0;
}

}  // namespace

std::vector<StatePlace> state_places(const plan::ModelState& state, const graph::AxisSizes& axes,
                                     const graph::Coordinates& coordinates) {
  const WideWeights wide(state);
  std::vector<StatePlace> places;
  for (const plan::ParameterPlace& place : state.parameters) {
    const plan::FlatBucket& bucket = state.buckets[place.bucket];
    const bool cut = bucket.shards > 1;
    const std::uint64_t shard_begin =
        cut ? bucket.shard_numel() * bucket.summed_over.group_index(axes, coordinates) : 0;
    const std::uint64_t shard_end = shard_begin + bucket.shard_numel();
    // Parameters hold the whole bucket unless it is divided. Those in float32 are their own masters; other
    // masters, and moments, hold the shard.
    const std::uint64_t kept_begin = bucket.divided ? shard_begin : 0;
    const std::uint64_t masters_begin =
        bucket.masters == bucket.parameters ? kept_begin : shard_begin;
    const auto offset_of = [&](plan::BufferId id, std::uint64_t begin, std::uint64_t flat) {
      return state.buffers[plan::index(id)].offset + (flat - begin) * sizeof(float);
    };
    for (const Section& section : sections_of(place, axes, coordinates)) {
      const std::uint64_t flat = place.begin + section.begin;
      const std::uint64_t first = std::max(flat, shard_begin);
      const std::uint64_t last = std::min(flat + section.count, shard_end);
      if (first >= last) continue;
      std::uint64_t weight = offset_of(bucket.masters, masters_begin, first);
      std::optional<std::uint64_t> narrow;
      if (const auto image = wide.offset(place.bucket)) {
        narrow = state.buffers[plan::index(bucket.parameters)].offset +
                 (first - kept_begin) * kBfloat16Bytes;
        weight = *image + (first - kept_begin) * sizeof(float);
      }
      StatePlace found{.part = {.name = place.parameter.name,
                                .global_shape = plan::global_shape(place),
                                .offset = section.offset,
                                .shape = section.shape,
                                .begin = first - flat,
                                .saved = saves(place, bucket, axes, coordinates)},
                       .numel = last - first,
                       .weight = weight,
                       .narrow_weight = narrow,
                       .has_moments = state.training && bucket.is_trained()};
      if (found.has_moments) {
        found.first_moment = offset_of(bucket.first_moment, shard_begin, first);
        found.second_moment = offset_of(bucket.second_moment, shard_begin, first);
      }
      places.push_back(std::move(found));
    }
  }
  return places;
}

std::vector<StatePart> state_parts(std::byte* arena, const plan::ModelState& state,
                                   const graph::AxisSizes& axes,
                                   const graph::Coordinates& coordinates) {
  std::vector<StatePart> parts;
  for (const StatePlace& place : state_places(state, axes, coordinates))
    parts.push_back(place.at([arena](std::uint64_t offset) { return arena + offset; }));
  return parts;
}

namespace {

// Converts the number of an element in a part's box to its number in the global tensor, both
// counted in row-major order.
class GlobalElements {
 public:
  explicit GlobalElements(const StatePart& part) : part_(&part), strides_(part.shape.size(), 1) {
    for (std::size_t d = part.shape.size(); d-- > 1;) {
      strides_[d - 1] = strides_[d] * static_cast<std::uint64_t>(part.global_shape[d]);
    }
    // The trailing dimensions that are whole, and the one before them, are contiguous in the global
    // tensor.
    std::size_t d = part.shape.size();
    do {
      --d;
      contiguous_ *= static_cast<std::uint64_t>(part.shape[d]);
    } while (d > 0 && part.shape[d] == part.global_shape[d]);
  }
  // Returns the number of elements, from `element` of the box on, that are consecutive in the
  // global tensor too.
  [[nodiscard]] std::uint64_t run_from(std::uint64_t element) const {
    return contiguous_ - element % contiguous_;
  }
  [[nodiscard]] std::uint64_t of(std::uint64_t element) const {
    std::uint64_t global = 0;
    for (std::size_t d = part_->shape.size(); d-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(part_->shape[d]);
      global += (static_cast<std::uint64_t>(part_->offset[d]) + element % extent) * strides_[d];
      element /= extent;
    }
    return global;
  }

 private:
  const StatePart* part_;
  std::vector<std::uint64_t> strides_;  // of the global tensor
  std::uint64_t contiguous_ = 1;
};

// Draws elements [first, last) of the part's box.
void draw(const StatePart& part, const GlobalElements& elements, const PhiloxStream& random,
          const graph::Initializer& initializer, std::uint64_t first, std::uint64_t last) {
  while (first < last) {
    const std::uint64_t count = std::min(last - first, elements.run_from(first));
    const std::span<float> values = part.weight.subspan(first - part.begin, count);
    const std::uint64_t global = elements.of(first);
    if (initializer.kind == graph::Initializer::Kind::normal) {
      random.fill_normal(values, global, 0.0, initializer.scale);
    } else {
      for (std::uint64_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(initializer.scale * (2 * random.uniform(global + i) - 1));
    }
    first += count;
  }
}

}  // namespace

void initialize(std::span<const StatePart> parts, const plan::ModelState& state,
                std::int64_t seed) {
  constexpr std::uint64_t kRun = 1U << 16U;  // elements that a thread draws at a time
  std::map<std::string, graph::Initializer, std::less<>> initializers;
  for (const plan::ParameterPlace& place : state.parameters) {
    initializers[place.parameter.name] = place.parameter.initializer;
  }
  for (const StatePart& part : parts) {
    const graph::Initializer& initializer = initializers.at(part.name);
    const bool ones = initializer.kind == graph::Initializer::Kind::ones;
    if (ones || initializer.kind == graph::Initializer::Kind::zeros) {
      std::fill(part.weight.begin(), part.weight.end(), ones ? 1.0F : 0.0F);
      continue;
    }
    const PhiloxStream random(static_cast<std::uint64_t>(seed), part.name);
    const GlobalElements elements(part);
    const std::uint64_t end = part.begin + part.weight.size();
#pragma omp parallel for schedule(dynamic) default(none) \
    shared(part, initializer, random, elements, end)
    for (std::uint64_t r = part.begin / kRun; r < (end + kRun - 1) / kRun; ++r) {
      draw(part, elements, random, initializer, std::max(r * kRun, part.begin),
           std::min(r * kRun + kRun, end));
    }
  }
}

}  // namespace megascale::engine
