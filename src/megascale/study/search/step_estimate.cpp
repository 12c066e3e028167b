// Adds up a step. In the comments, p is the number of stages, m of micro-batches, v of chunks of a
// stage, t the time of a stage for one micro-batch and s that of a send.
#include "megascale/study/search/step_estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "megascale/config/derived.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::study {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

// Shares of the forward and of the weight gradients in a micro-batch.
constexpr double kForward = 1.0 / 3, kWeightGradients = 1.0 / 3;

bool is_zero_bubble(const Layout& layout) { return layout.schedule == "zb-h1"; }

// A group whose ranks are `stride` apart, by hosts of `host` ranks, `inside` of the group on each.
struct Hosts {
  std::uint32_t stride, host, inside, count;
};
// Returns nothing if the layout does not go by hosts, or the group lies on one, or has one rank on each.
std::optional<Hosts> hosts_of(const Layout& layout, std::uint32_t copies) {
  const auto stride = static_cast<std::uint32_t>(layout.tensor),
             host = static_cast<std::uint32_t>(layout.ranks_per_host), inside = host / stride;
  if (layout.reduction_pieces == 0 || inside <= 1 || copies <= inside) return std::nullopt;
  return Hosts{stride, host, inside, copies / inside};
}

// Seconds of steps inside hosts and between them, on two lanes. The one that takes longer is busy
// throughout; the other begins or ends with one of `pieces`.
double on_two_lanes(double near, double far, double pieces) {
  return std::max(near, far) + std::min(near, far) / pieces;
}

}  // namespace

StepEstimate StepEstimator::estimate(const Layout& layout) {
  const Sizes sizes = sizes_of(layout);
  const LayerCosts& costs = meter_.costs_of(layout);
  return {.seconds = schedule_seconds(layout, sizes, costs) + update_seconds(layout, sizes, costs),
          .nbytes = nbytes(layout, sizes, costs)};
}

StepEstimator::Sizes StepEstimator::sizes_of(const Layout& layout) const {
  const std::int64_t world = world_size(job_),
                     data = world / (layout.tensor * layout.context * layout.pipeline);
  return {.stages = real(layout.pipeline),
          .chunks = real(layout.chunks),
          .micro_batches = real(job_.train.global_batch_size / (layout.micro_batch_size * data)),
          .layers = real(job_.model.num_layers) / real(layout.pipeline),
          .copies = static_cast<std::uint32_t>(layout.context * data)};
}

StepEstimator::Parameters StepEstimator::parameters_of(const Sizes& sizes, const LayerCosts& costs,
                                                       double of_rest) const {
  const auto of_stage = [&](double LayerCosts::Part::*of) {
    return sizes.layers * (costs.layer.*of) + of_rest * (costs.rest.*of);
  };
  Parameters found{.elements = of_stage(&LayerCosts::Part::elements),
                   .float8_elements = of_stage(&LayerCosts::Part::float8_elements)};
  const auto itemsize_of_model = static_cast<double>(itemsize(job_.model.dtype));
  found.nbytes = (found.elements - found.float8_elements) * itemsize_of_model +
                 found.float8_elements * static_cast<double>(itemsize(DType::float8_e4m3));
  found.frozen_nbytes = of_stage(&LayerCosts::Part::frozen_elements) * itemsize_of_model;
  return found;
}

double StepEstimator::boundary_nbytes(const Layout& layout) const {
  return real(layout.micro_batch_size * job_.model.seq_length * job_.model.hidden_size) *
         static_cast<double>(itemsize(job_.model.dtype)) / real(layout.tensor * layout.context);
}

double StepEstimator::schedule_seconds(const Layout& layout, const Sizes& sizes,
                                       const LayerCosts& costs) {
  const double p = sizes.stages, v = sizes.chunks, m = sizes.micro_batches;
  const double t = sizes.layers * costs.layer.seconds;
  const double last = t + costs.rest.seconds;  // the last stage has the head
  if (p == 1) return m * last;
  const auto stage_ranks = static_cast<std::uint32_t>(world_size(job_) / layout.pipeline);
  const double s = transfers_.seconds(graph::send_op(), boundary_nbytes(layout), stage_ranks, 2);
  // Without overlap every chunk of a micro-batch is received and sent, forward and backward, while
  // the stage stands still.
  const double serial = job_.overlap.pipeline ? 0 : 4 * v * s;
  // A micro-batch passes all stages and comes back. With n micro-batches in flight on the first
  // stage, a stage can take one every 1/n of that time.
  const double round_trip = p * t + costs.rest.seconds + 2 * (p * v - 1) * s;
  double in_flight = p, bubble = (p - 1) / v * t;
  if (v > 1) in_flight = ((v + 1) * p - 1) / v;
  if (is_zero_bubble(layout)) {
    in_flight = p / (1 - kWeightGradients);
    bubble *= kWeightGradients;
  }
  const double period = std::max(last, round_trip / in_flight) + serial;
  return m * period + bubble + 2 * (p - 1) * s;
}

double StepEstimator::update_seconds(const Layout& layout, const Sizes& sizes,
                                     const LayerCosts& costs) {
  const bool sharded = layout.zero_stage > 0 && sizes.copies > 1;
  const double share = sharded ? 1.0 / sizes.copies : 1.0;
  // With a pipeline, the first and the last stage have about half of the rest each.
  const double of_rest = sizes.stages > 1 ? 0.5 : 1.0;
  double seconds =
      share * (sizes.layers * costs.layer.update_seconds + of_rest * costs.rest.update_seconds);
  if (sizes.copies == 1) return seconds;
  const Parameters parameters = parameters_of(sizes, costs, of_rest);
  const double buckets =
      std::min(real(data_parallel_buckets(job_, layout.zero_stage)), std::max(sizes.layers, 1.0));
  const bool scatters = layout.zero_stage >= 2;
  const double of_bucket = parameters.elements / buckets * sizeof(float);
  const double reduce = scatters ? scatter_seconds(layout, sizes.copies, of_bucket, buckets)
                                 : all_reduce_seconds(layout, sizes.copies, of_bucket);
  // Only stage 3 divides what is frozen.
  const double gathered =
      parameters.nbytes + (layout.zero_stage == 3 ? parameters.frozen_nbytes : 0.0);
  const double gather =
      sharded ? gather_seconds(layout, sizes.copies, gathered / buckets, buckets) : 0.0;
  if (layout.zero_stage == 3)
    return seconds +
           divided_seconds(sizes, costs, {.count = buckets, .gather = gather, .reduce = reduce});
  if (!job_.overlap.data) return seconds + buckets * (reduce + gather);
  // The first gather and the last reduction cannot be hidden; the others run beside the forward of
  // the first micro-batch and the backward of the last one.
  const double beside = sizes.layers * costs.layer.seconds / sizes.chunks * (1 - 1 / buckets);
  seconds += std::max(gather, buckets * gather - kForward * beside);
  seconds += std::max(reduce, buckets * reduce - (1 - kForward) * beside);
  return seconds;
}

// Each micro-batch gathers all buckets twice, but for the two that are still there when the pass turns, and
// reduces them. The transfers of a bucket run while another one is computed.
double StepEstimator::divided_seconds(const Sizes& sizes, const LayerCosts& costs,
                                      const BucketTransfers& of) const {
  const double m = sizes.micro_batches, gathers = std::max(of.count - 2, 0.0);
  if (!job_.overlap.data)
    return (std::min(of.count, 2.0) + 2 * m * gathers) * of.gather + m * of.count * of.reduce;
  const double beside = sizes.layers * costs.layer.seconds / of.count;  // one bucket's layers
  const double forward = gathers * std::max(of.gather - kForward * beside, 0.0);
  const double backward = std::max(
      gathers * of.gather + of.count * of.reduce - of.count * (1 - kForward) * beside, 0.0);
  return of.gather + of.reduce + m * (forward + backward);
}

double StepEstimator::gather_seconds(const Layout& layout, std::uint32_t copies, double nbytes,
                                     double buckets) {
  const graph::OpDef& gather = graph::all_gather_op();
  const auto hosts = hosts_of(layout, copies);
  if (!hosts)
    return transfers_.seconds(gather, nbytes, static_cast<std::uint32_t>(layout.tensor), copies);
  return on_two_lanes(hosts->count * transfers_.seconds(gather, nbytes / hosts->count,
                                                        hosts->stride, hosts->inside),
                      transfers_.seconds(gather, nbytes / hosts->inside, hosts->host, hosts->count),
                      buckets);
}

double StepEstimator::scatter_seconds(const Layout& layout, std::uint32_t copies, double nbytes,
                                      double buckets) {
  const auto among = [&](double exchanged, std::uint32_t stride, std::uint32_t ranks) {
    return job_.parallel.reduce_scatter_with_fp32_accumulation
               ? transfers_.seconds(graph::all_to_all_op(), exchanged / 2, stride, ranks)
               : transfers_.seconds(graph::reduce_scatter_op(), exchanged, stride, ranks);
  };
  const auto hosts = hosts_of(layout, copies);
  if (!hosts) return among(nbytes, static_cast<std::uint32_t>(layout.tensor), copies);
  return on_two_lanes(
      hosts->count * transfers_.seconds(graph::reduce_scatter_op(), nbytes / hosts->count,
                                        hosts->stride, hosts->inside),
      among(nbytes / hosts->inside, hosts->host, hosts->count), buckets);
}

// Inside hosts the bytes are scattered and gathered again, and between them a rank sends its share.
double StepEstimator::all_reduce_seconds(const Layout& layout, std::uint32_t copies,
                                         double nbytes) {
  const auto hosts = hosts_of(layout, copies);
  if (!hosts) {
    return transfers_.seconds(graph::all_reduce_op(), nbytes,
                              static_cast<std::uint32_t>(layout.tensor), copies);
  }
  const double pieces = real(layout.reduction_pieces), of_piece = nbytes / pieces;
  const auto inside = [&](const graph::OpDef& kind) {
    return transfers_.seconds(kind, of_piece, hosts->stride, hosts->inside);
  };
  return on_two_lanes(
      pieces * (inside(graph::reduce_scatter_op()) + inside(graph::all_gather_op())),
      pieces * transfers_.seconds(graph::all_reduce_op(), of_piece / hosts->inside, hosts->host,
                                  hosts->count),
      pieces);
}

double StepEstimator::nbytes(const Layout& layout, const Sizes& sizes,
                             const LayerCosts& costs) const {
  const bool half = job_.model.dtype == DType::bfloat16;
  const bool tied = !job_.model.untie_embeddings_and_output_weights;
  const double p = sizes.stages, v = sizes.chunks, m = sizes.micro_batches;
  const Parameters parameters = parameters_of(sizes, costs, p > 1 && !tied ? 0.5 : 1.0);
  // Parameters and float32 main gradients; two moments, and masters of what is not float32, which ZeRO
  // shards.
  const double shards = layout.zero_stage > 0 ? sizes.copies : 1.0;
  const double with_masters = half ? parameters.elements : parameters.float8_elements;
  const auto whole = [](const Parameters& of) {
    return of.frozen_nbytes + of.nbytes + 4 * of.elements;
  };
  double of_state = whole(parameters) + (8 * parameters.elements + 4 * with_masters) / shards;
  if (layout.zero_stage == 3 && sizes.copies > 1) {
    // A rank keeps its share of the first two as well. Two buckets are whole at a time. The embedding, the last
    // norm and the head count as a layer each; embedding and head have half of the rest each. Experts count as
    // divided over all copies, though fewer ranks have the same ones.
    const double of_bucket =
        std::max((sizes.layers + 3) / real(data_parallel_buckets(job_, layout.zero_stage)), 1.0);
    const double of_layers = whole(parameters_of(sizes, costs, 0));
    const double of_end = (whole(parameters) - of_layers) / 2;
    double at_a_time = 0;
    for (const double layers : {std::ceil(of_bucket), std::max(std::floor(of_bucket), 1.0)}) {
      at_a_time += std::max(layers * of_layers / sizes.layers,
                            (layers - 1) * of_layers / sizes.layers + of_end);
    }
    of_state += whole(parameters) / shards + std::min(at_a_time - whole(parameters), 0.0);
  }
  // Micro-batches of one chunk in flight on the first stage, which has the most.
  double in_flight = std::min(m, p);
  if (v > 1) in_flight = std::min(v * m, (v + 1) * p - 1);
  const double of_slot = sizes.layers / v * costs.layer.retained_nbytes;
  // The input of a chunk lies in a slot of its own.
  const double boundary = p > 1 ? boundary_nbytes(layout) : 0;
  const double first = of_slot * in_flight + boundary * (in_flight + 4);
  const double of_last = of_slot + costs.rest.retained_nbytes;
  const double last_in_flight =
      v > 1 ? std::min(v * m, (v - 1) * p + 1) : std::min(m, is_zero_bubble(layout) ? p : 1.0);
  const double last = of_last * last_in_flight + boundary * (last_in_flight + 4);
  return of_state + std::max(first, last) + costs.transient_nbytes;
}

}  // namespace megascale::study
