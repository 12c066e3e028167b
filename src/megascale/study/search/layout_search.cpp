// Lists the layouts that `megascale tune` may simulate. The search goes through the sizes of the
// axes and the micro-batch first, and lets the configuration's own checks reject the combinations
// that are not allowed. Each of them is then varied in the keys that no such rule reads.
// The estimates are cheap where their layers were simulated before. So layouts are visited in the
// order of their estimate without recomputation and pieces, and the visit ends where none can be
// near the best any more.
#include "megascale/study/search/layout_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "megascale/config/derived.h"
#include "megascale/config/load.h"

namespace megascale::study {
namespace {

// Pieces shorten a step by at most so much, and estimates err by less than the rest. Layouts whose
// estimate without pieces and recomputation exceeds the best one by this factor are left out.
constexpr double kMostGain = 1.5;
// Pieces of a hierarchical reduction: so many keep both lanes busy, and latencies few.
constexpr std::int64_t kReductionPieces = 4;
// Estimates of bytes err by less than this factor.
constexpr double kSlackOfBytes = 1.25;

// Returns the powers of two up to `most`, and `own`.
std::vector<std::int64_t> powers_of_two(std::int64_t most, std::int64_t own) {
  std::set<std::int64_t> sizes{own};
  for (std::int64_t size = 1; size <= most; size *= 2) sizes.insert(size);
  return {sizes.begin(), sizes.end()};
}

// Lists the layouts of one job.
class Search {
 public:
  Search(const Config& job, const simulate::Cluster& cluster)
      : job_(job), cluster_(cluster), own_(layout_of(job)) {}

  std::vector<Layout> run() {
    const std::int64_t ranks = world_size(job_);
    const std::int64_t in_node = std::min(cluster_.devices_per_node, ranks);
    for (const std::int64_t t : powers_of_two(in_node, own_.tensor)) {
      for (const std::int64_t c : powers_of_two(in_node, own_.context)) {
        for (std::int64_t p = 1; p <= std::min(ranks / (t * c), job_.model.num_layers); ++p) {
          if (ranks % (t * c * p) == 0 && job_.model.num_layers % p == 0) chunks(t, c, p);
        }
      }
    }
    return std::move(found_);
  }

 private:
  // Adds the layouts of one tensor, context and pipeline size.
  void chunks(std::int64_t t, std::int64_t c, std::int64_t p) {
    const std::int64_t layers = job_.model.num_layers / p, data = world_size(job_) / (t * c * p),
                       of_replica = job_.train.global_batch_size / data;
    for (std::int64_t v = 1; v <= (p == 1 ? 1 : layers); ++v) {
      if (layers % v != 0) continue;
      for (const std::int64_t micro : powers_of_two(of_replica, own_.micro_batch_size)) {
        for (const std::int64_t experts : expert_ranks(p)) {
          for (const TokenDispatcher dispatcher : dispatchers(experts)) {
            Layout layout{.tensor = t, .context = c, .expert = experts, .pipeline = p, .chunks = v};
            layout.micro_batch_size = micro;
            layout.dispatcher = dispatcher;
            schedules(std::move(layout));
          }
        }
      }
    }
  }

  // Returns the sizes of expert groups to try: inside a node, and the given one. A model without
  // experts has the given one only.
  [[nodiscard]] std::vector<std::int64_t> expert_ranks(std::int64_t stages) const {
    if (job_.model.moe.num_experts == 0) return {own_.expert};
    const std::int64_t of_stage = world_size(job_) / stages;
    return powers_of_two(std::min(cluster_.devices_per_node, of_stage), own_.expert);
  }

  // Returns the ways of dispatch to try: both if the job leaves it open and tokens are sent.
  [[nodiscard]] std::vector<TokenDispatcher> dispatchers(std::int64_t expert_ranks) const {
    if (job_.model.moe.token_dispatcher_type != TokenDispatcher::automatic)
      return {job_.model.moe.token_dispatcher_type};
    if (expert_ranks == 1) return {TokenDispatcher::alltoall};
    return {TokenDispatcher::alltoall, TokenDispatcher::allgather};
  }

  void schedules(Layout layout) {
    const bool own = layout.tensor * layout.context * layout.pipeline * layout.chunks ==
                     own_.tensor * own_.context * own_.pipeline * own_.chunks;
    std::set<std::string> names{layout.chunks > 1 ? "interleaved" : "1f1b"};
    if (layout.pipeline > 1 && layout.chunks == 1) names.insert("zb-h1");
    if (own && layout.pipeline > 1) names.insert(own_.schedule);
    for (const std::string& name : names) {
      layout.schedule = name;
      pieces(layout);
    }
  }

  // Pieces of tensor, context and expert ranks.
  using Pieces = std::array<std::int64_t, 3>;

  // Several kinds at once would multiply the layouts, so that only the job's own are tried together.
  [[nodiscard]] std::set<Pieces> all_pieces(const Layout& layout) const {
    const bool of_tensor = layout.tensor > 1 && job_.overlap.tensor,
               of_context = layout.context > 1 && job_.overlap.tensor,
               of_experts = layout.expert > 1 && job_.model.moe.num_experts > 0;
    // Tokens that are gathered are cut by rank, rows that are sent by expert. validate() knows what divides.
    const std::int64_t most_of_experts = layout.dispatcher == TokenDispatcher::allgather
                                             ? layout.expert
                                             : job_.model.moe.num_experts / layout.expert;
    std::set<Pieces> all{{0, 0, 0},
                         {of_tensor ? own_.tensor_pieces : 0, of_context ? own_.context_pieces : 0,
                          of_experts ? own_.expert_pieces : 0}};
    for (const std::int64_t number : {1, 2, 4}) {
      if (of_tensor) all.insert({number, 0, 0});
      if (of_context) all.insert({0, number, 0});
    }
    for (std::int64_t number = 2; of_experts && number <= most_of_experts; number *= 2)
      all.insert({0, 0, number});
    return all;
  }

  void pieces(Layout layout) {
    for (const auto& [tensor, context, expert] : all_pieces(layout)) {
      layout.tensor_pieces = tensor;
      layout.context_pieces = context;
      layout.expert_pieces = expert;
      layout.zero_stage = own_.zero_stage;
      layout.reduction_pieces = layout.ranks_per_host = 0;
      layout.recompute = RecomputeGranularity::none;
      // Recomputation without a list goes with everything.
      if (validate(with_layout(job_, layout)).empty()) memory_savers(layout);
    }
  }

  void memory_savers(Layout layout) {
    const bool has_copies =
        world_size(job_) > layout.tensor * layout.pipeline;  // data or context ranks
    std::set<std::int64_t> stages{own_.zero_stage};
    // Only shards are exchanged in bfloat16. Stage 3 has no parameters in 8 bits.
    if (has_copies) {
      stages.insert(2);
      if (!job_.parallel.reduce_scatter_with_fp32_accumulation) stages.insert(0);
      if (!job_.model.fp8_param_gather) stages.insert(3);
    }
    for (const std::int64_t stage : stages) {
      layout.zero_stage = stage;
      for (const auto& [number, host] : reductions(layout)) {
        layout.reduction_pieces = number;
        layout.ranks_per_host = host;
        recomputations(layout);
      }
    }
  }

  // Returns pieces and ranks of a host of the reductions to try: all ranks at once, as the job has them,
  // and with ZeRO stage 0 by the nodes of the cluster.
  [[nodiscard]] std::set<std::pair<std::int64_t, std::int64_t>> reductions(
      const Layout& layout) const {
    std::set<std::pair<std::int64_t, std::int64_t>> all{{0, own_.ranks_per_host}};
    if (layout.zero_stage == 3) return all;  // stage 3 reduces over all ranks at once
    const auto divides = [&](std::int64_t host) {
      const std::int64_t stage = world_size(job_) / layout.pipeline;
      return host > layout.tensor && host < stage && (host & (host - 1)) == 0;
    };
    if (divides(own_.ranks_per_host)) all.emplace(own_.reduction_pieces, own_.ranks_per_host);
    if (layout.zero_stage == 0 && divides(cluster_.devices_per_node))
      all.emplace(kReductionPieces, cluster_.devices_per_node);
    return all;
  }

  void recomputations(Layout layout) {
    for (const RecomputeGranularity recompute :
         {RecomputeGranularity::none, RecomputeGranularity::selective,
          RecomputeGranularity::selective_moe, RecomputeGranularity::full}) {
      if (recompute == RecomputeGranularity::selective_moe && job_.model.moe.num_experts == 0)
        continue;
      layout.recompute = recompute;
      found_.push_back(layout);
    }
  }

  const Config& job_;
  const simulate::Cluster& cluster_;
  Layout own_;
  std::vector<Layout> found_;
};

}  // namespace

std::vector<Layout> layouts_of(const Config& job, const simulate::Cluster& cluster) {
  return Search(job, cluster).run();
}

std::vector<Candidate> estimate_layouts(const Config& job, const simulate::Cluster& cluster,
                                        const std::vector<Layout>& layouts,
                                        const simulate::ExpertLoads& loads) {
  const double memory = cluster.device.memory_gib * (1U << 30U);
  StepEstimator estimator(job, cluster, loads);
  // By the estimate without recomputation and pieces, which many layouts share.
  std::vector<std::pair<double, const Layout*>> in_order;
  for (const Layout& layout : layouts) {
    Layout plain = layout;
    plain.tensor_pieces = plain.context_pieces = plain.expert_pieces = 0;
    plain.recompute = RecomputeGranularity::none;
    in_order.emplace_back(estimator.estimate(plain).seconds, &layout);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  double best = std::numeric_limits<double>::infinity();  // of those that fit
  std::vector<Candidate> candidates;
  for (const auto& [plain_seconds, layout] : in_order) {
    if (plain_seconds > kMostGain * best) break;
    const StepEstimate estimate = estimator.estimate(*layout);
    if (estimate.nbytes > kSlackOfBytes * memory) continue;
    if (estimate.nbytes <= memory) best = std::min(best, estimate.seconds);
    candidates.push_back({*layout, estimate});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.estimate.seconds < b.estimate.seconds;
                   });
  return candidates;
}

}  // namespace megascale::study
