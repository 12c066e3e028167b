// The list of small jobs that a calibration measures. Each kind of job isolates one effect: kernels
// alone, transfers between two ranks, processors that are all busy, processors that several ranks
// share.
#include "megascale/study/calibrate/calibration_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/config/load.h"

namespace megascale::study {
namespace {

// Returns the TOML text of a small model.
// - There are enough layers that the cost per layer has converged. The data of a few small layers
//   stays in caches, where matrix products are faster.
// - A step has two micro-batches, because the first writes the main gradients and the second adds
//   to them.
// - The vocabulary grows with the width, so that the product of the head is the largest one.
std::string model_of(const std::string& type, std::int64_t hidden_size,
                     std::int64_t micro_batch_size) {
  const std::int64_t heads = std::max<std::int64_t>(2, hidden_size / 64);
  const std::int64_t layers = hidden_size <= 256 ? 8 : 2;
  std::string text = fmt::format(
      "[model]\ntype = \"{}\"\nnum_layers = {}\nhidden_size = {}\nnum_attention_heads = {}\n"
      "seq_length = {}\nvocab_size = {}\n",
      type, layers, hidden_size, heads, std::clamp<std::int64_t>(hidden_size, 64, 256),
      8 * hidden_size);
  if (type == "llama") text += fmt::format("num_query_groups = {}\n", heads / 2);
  return text + fmt::format("[train]\nmicro_batch_size = {}\n", micro_batch_size);
}

// The hidden sizes of crowded cases. In a narrower model a core's caches hold the data of several
// ranks, so a switch between ranks costs less. In a wider model that cost is too small beside the
// variation of the step time.
constexpr std::int64_t kNarrowestCrowd = 128, kWidestCrowd = 256;

// A layout of a case, as settings of the configuration.
struct Layout {
  const char* name;
  std::int64_t data;  // data-parallel size
  std::vector<std::string> settings;
};

const std::vector<Layout>& two_rank_layouts() {
  static const std::vector<Layout> layouts{
      {"tensor 2", 1, {"parallel.tensor_model_parallel_size=2"}},
      {"tensor 2 in pieces",
       1,
       {"parallel.tensor_model_parallel_size=2", "overlap.tensor_pieces=2"}},
      {"context 2", 1, {"parallel.context_parallel_size=2"}},
      {"pipeline 2", 1, {"parallel.pipeline_model_parallel_size=2"}},
      {"data 2, ZeRO 1", 2, {"parallel.zero_stage=1"}},
      {"data 2, ZeRO 2", 2, {"parallel.zero_stage=2"}}};
  return layouts;
}

// Experts on two ranks, in both ways of dispatch: the rows of four experts, of which a token meets two.
std::vector<Layout> expert_layouts(std::int64_t hidden_size) {
  const auto of = [&](const char* name, const char* dispatcher) {
    return Layout{name,
                  2,
                  {"moe.num_experts=4", fmt::format("moe.ffn_hidden_size={}", 2 * hidden_size),
                   fmt::format("moe.token_dispatcher_type={}", dispatcher),
                   "parallel.expert_model_parallel_size=2", "overlap.data=false",
                   "overlap.layer_order=false"}};
  };
  return {of("experts 2 by alltoall", "alltoall"), of("experts 2 by allgather", "allgather")};
}

}  // namespace

std::vector<CalibrationCase> calibration_cases(const std::vector<std::int64_t>& hidden_sizes,
                                               std::int64_t threads, std::int64_t processors) {
  std::vector<CalibrationCase> cases;
  const auto add = [&](const std::string& name, const std::string& model, std::int64_t hidden_size,
                       std::int64_t micro_batch_size, const Layout& layout, std::int64_t ranks) {
    std::vector<std::string> settings{
        fmt::format("train.threads_per_rank={}", threads),
        fmt::format("parallel.world_size={}", ranks),
        fmt::format("train.global_batch_size={}", 2 * micro_batch_size * layout.data)};
    settings.insert(settings.end(), layout.settings.begin(), layout.settings.end());
    cases.push_back({name, parse_config(model_of(model, hidden_size, micro_batch_size),
                                        "calibration", settings)});
  };
  for (const std::int64_t width : hidden_sizes) {
    for (const char* model : {"gpt2", "llama"}) {
      for (const std::int64_t batch : {1, 4}) {
        add(fmt::format("{} {} wide, micro-batch {}", model, width, batch), model, width, batch,
            {"", 1, {}}, 1);
      }
    }
    for (Layout layout : two_rank_layouts()) {
      layout.settings.insert(layout.settings.end(), {"overlap.tensor=false", "overlap.data=false",
                                                     "overlap.pipeline=false"});
      add(fmt::format("gpt2 {} wide, {}", width, layout.name), "gpt2", width, 2, layout, 2);
    }
    for (const Layout& layout : expert_layouts(width))
      add(fmt::format("llama {} wide, {}", width, layout.name), "llama", width, 2, layout, 2);
    if (processors == 1) continue;
    for (const std::int64_t of_each : {1, 2, 4}) {
      const std::int64_t ranks = of_each * processors;
      add(fmt::format("gpt2 {} wide, data {}", width, ranks), "gpt2", width, 4 / of_each,
          {"", ranks, {}}, ranks);
      cases.back().copies = ranks;
    }
    if (width < kNarrowestCrowd || width > kWidestCrowd) continue;
    for (const std::int64_t of_each : {2, 4}) {
      for (const bool overlaps : {false, true}) {
        const std::int64_t data = processors * of_each / 2;
        const Layout layout{
            "",
            data,
            {"parallel.tensor_model_parallel_size=2", fmt::format("overlap.tensor={}", overlaps)}};
        add(fmt::format("gpt2 {} wide, tensor 2 x data {}{}", width, data,
                        overlaps ? ", overlap" : ""),
            "gpt2", width, 1, layout, 2 * data);
        cases.back().is_crowd = true;
      }
    }
  }
  return cases;
}

}  // namespace megascale::study
