#include "megascale/engine/state_tensors.h"

#include <algorithm>
#include <map>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"

namespace megascale::engine {
namespace {

using graph::Axis;

// A run of elements of a rank's part of a parameter, and the box of the global tensor that it is.
struct Section {
  std::uint64_t begin = 0, count = 0;  // elements of the rank's part
  std::vector<std::int64_t> offset, shape;
};

std::int64_t columns(const graph::Shape& shape) {
  std::int64_t product = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) product *= shape[i].size;
  return product;
}

std::vector<std::int64_t> global_shape(const plan::ParameterPlace& place) {
  std::vector<std::int64_t> shape;
  for (const graph::Dim& dim : place.shape) shape.push_back(dim.size);
  const graph::Parameter& parameter = place.parameter;
  if (!parameter.sharded_over.empty()) {
    std::int64_t& extent = shape[parameter.sharding.dimension];
    extent = 0;
    for (const std::int64_t section : parameter.sharding.sections) extent += section;
  }
  if (parameter.logical_rows != 0) shape[0] = parameter.logical_rows;
  return shape;
}

std::vector<Section> sections_of(const plan::ParameterPlace& place, const graph::AxisSizes& axes,
                                 const graph::Coordinates& coordinates) {
  const graph::Parameter& parameter = place.parameter;
  const std::vector<std::int64_t> global = global_shape(place);
  std::vector<std::int64_t> local;
  for (const graph::Dim& dim : place.shape) local.push_back(dim.size);
  const std::vector<std::int64_t> origin(local.size(), 0);
  const std::int64_t rows_limit = global[0];
  std::vector<Section> sections;
  // Rows [first, first + count) of the rank's part are global rows from `offset` on.
  const auto add_rows = [&](std::int64_t first, std::int64_t count, std::int64_t offset) {
    count = std::min(count, rows_limit - offset);  // what follows is padding
    if (count <= 0) return;
    const std::int64_t width = columns(place.shape);
    Section section{.begin = static_cast<std::uint64_t>(first * width),
                    .count = static_cast<std::uint64_t>(count * width),
                    .offset = origin,
                    .shape = local};
    section.offset[0] = offset;
    section.shape[0] = count;
    sections.push_back(std::move(section));
  };
  if (parameter.sharded_over.empty()) {
    add_rows(0, local[0], 0);
    return sections;
  }
  const std::int64_t ranks = parameter.sharded_over.group_size(axes);
  const std::int64_t me = parameter.sharded_over.group_index(axes, coordinates);
  const auto& extents = parameter.sharding.sections;
  if (parameter.sharding.dimension == 0) {
    std::int64_t local_begin = 0, global_begin = 0;
    for (const std::int64_t extent : extents) {
      const std::int64_t share = extent / ranks;
      add_rows(local_begin, share, global_begin + me * share);
      local_begin += share;
      global_begin += extent;
    }
    return sections;
  }
  MEGASCALE_CHECK(extents.size() == 1, "columns are cut in one section");
  Section section{.begin = 0, .count = place.count, .offset = origin, .shape = local};
  section.offset[parameter.sharding.dimension] = me * extents[0] / ranks;
  sections.push_back(std::move(section));
  return sections;
}

// Whether this rank is the one of all that hold the same elements that saves them.
bool saves(const plan::ParameterPlace& place, const plan::FlatBucket& bucket,
           const graph::AxisSizes& axes, const graph::Coordinates& coordinates) {
  for (const Axis axis : {Axis::tensor, Axis::context, Axis::data}) {
    const bool cut = place.parameter.sharded_over.contains(axis) ||
                     (bucket.shards > 1 && bucket.summed_over.contains(axis));
    if (!cut && coordinates[static_cast<std::size_t>(axis)] != 0) return false;
  }
  return !place.parameter.tied || axes[Axis::pipeline] == 1 ||
         coordinates[static_cast<std::size_t>(Axis::pipeline)] == 0;
}

}  // namespace

std::vector<StatePart> state_parts(std::byte* arena, const plan::ModelState& state,
                                   const graph::AxisSizes& axes,
                                   const graph::Coordinates& coordinates) {
  std::vector<StatePart> parts;
  for (const plan::ParameterPlace& place : state.parameters) {
    const plan::FlatBucket& bucket = state.buckets[place.bucket];
    const bool cut = bucket.shards > 1;
    const std::uint64_t shard_begin =
        cut ? bucket.shard_numel() * bucket.summed_over.group_index(axes, coordinates) : 0;
    const std::uint64_t shard_end = shard_begin + bucket.shard_numel();
    // Masters of float32 models are the parameters, which lie there whole.
    const bool whole_masters = bucket.masters == bucket.parameters;
    const auto values = [&](plan::BufferId id, bool whole, std::uint64_t flat, std::uint64_t n) {
      auto* base = reinterpret_cast<float*>(arena + state.buffers[plan::index(id)].offset);
      return std::span(base + flat - (whole ? 0 : shard_begin), n);
    };
    for (const Section& section : sections_of(place, axes, coordinates)) {
      const std::uint64_t flat = place.begin + section.begin;
      const std::uint64_t first = std::max(flat, shard_begin);
      const std::uint64_t last = std::min(flat + section.count, shard_end);
      if (first >= last) continue;
      StatePart part{.name = place.parameter.name,
                     .global_shape = global_shape(place),
                     .offset = section.offset,
                     .shape = section.shape,
                     .begin = first - flat,
                     .weight = values(bucket.masters, whole_masters, first, last - first),
                     .saved = saves(place, bucket, axes, coordinates)};
      if (state.training) {
        part.first_moment = values(bucket.first_moment, false, first, last - first);
        part.second_moment = values(bucket.second_moment, false, first, last - first);
      }
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

void initialize(std::span<const StatePart> parts, const plan::ModelState& state,
                std::int64_t seed) {
  constexpr std::uint64_t kRun = 1U << 16U;  // elements that a thread draws at a time
  std::map<std::string, graph::Initializer, std::less<>> initializers;
  for (const plan::ParameterPlace& place : state.parameters) {
    initializers[place.parameter.name] = place.parameter.initializer;
  }
  for (const StatePart& part : parts) {
    const graph::Initializer& initializer = initializers.at(part.name);
    const PhiloxStream random(static_cast<std::uint64_t>(seed), part.name);
    if (initializer.kind != graph::Initializer::Kind::normal) {
      std::fill(part.weight.begin(), part.weight.end(),
                initializer.kind == graph::Initializer::Kind::ones ? 1.0F : 0.0F);
      continue;
    }
    // A box is contiguous in the global tensor row by row; whole rows follow each other.
    const bool two = part.shape.size() == 2;
    const auto box_width = static_cast<std::uint64_t>(two ? part.shape[1] : part.shape[0]);
    const auto width = static_cast<std::uint64_t>(two ? part.global_shape[1] : part.shape[0]);
    const std::uint64_t run = box_width == width ? kRun : box_width;
    const auto origin = static_cast<std::uint64_t>(
        two ? part.offset[0] * part.global_shape[1] + part.offset[1] : part.offset[0]);
    const std::uint64_t end = part.begin + part.weight.size();
#pragma omp parallel for schedule(dynamic) default(none) \
    shared(part, initializer, random, run, end, origin, width, box_width)
    for (std::uint64_t r = part.begin / run; r < (end + run - 1) / run; ++r) {
      const std::uint64_t first = std::max(r * run, part.begin),
                          last = std::min(r * run + run, end);
      const std::uint64_t global = origin + first / box_width * width + first % box_width;
      random.fill_normal(part.weight.subspan(first - part.begin, last - first), global, 0.0,
                         initializer.stddev);
    }
  }
}

}  // namespace megascale::engine
