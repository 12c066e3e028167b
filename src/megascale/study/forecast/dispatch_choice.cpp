#include "megascale/study/forecast/dispatch_choice.h"

#include <fmt/format.h>

#include <vector>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/config/rules.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/study/forecast/group_transfers.h"

namespace megascale::study {

double dispatched_row_nbytes(const ModelConfig& model) noexcept {
  const std::int64_t width = model.hidden_size;
  return static_cast<double>(model.moe.fp8_communication
                                 ? width + static_cast<std::int64_t>(sizeof(float))
                                 : width * static_cast<std::int64_t>(itemsize(model.dtype)));
}

DispatchTimes dispatch_times(const Config& config, const simulate::Cluster& cluster) {
  const MoeConfig& moe = config.model.moe;
  const auto stride = static_cast<std::uint32_t>(expert_tensor_parallel_size(config)),
             ranks = static_cast<std::uint32_t>(config.parallel.expert_model_parallel_size);
  const double choices = static_cast<double>(expert_rows(config).sent),
               tokens = choices / static_cast<double>(moe.router_topk);
  const double row_nbytes = dispatched_row_nbytes(config.model);
  GroupTransfers transfers(cluster);
  const auto seconds = [&](const graph::OpDef& def, double nbytes) {
    return transfers.seconds(def, nbytes, stride, ranks);
  };
  const double counts = static_cast<double>(moe.num_experts) * sizeof(std::int64_t);
  const double gathered = static_cast<double>(ranks) * tokens * row_nbytes;
  // Rows of 8 bits are exchanged and then added (plan/passes/float8_transfers.h).
  const auto& back = moe.fp8_communication
                         ? static_cast<const graph::OpDef&>(graph::all_to_all_op())
                         : static_cast<const graph::OpDef&>(graph::reduce_scatter_op());
  return {.alltoall = seconds(graph::all_to_all_op(), counts) +
                      2 * seconds(graph::all_to_all_v_op(), choices * row_nbytes),
          .allgather = seconds(graph::all_gather_op(), gathered) + seconds(back, gathered)};
}

std::string choose_dispatch(Config& config) {
  MoeConfig& moe = config.model.moe;
  if (moe.num_experts == 0 || moe.token_dispatcher_type != TokenDispatcher::automatic ||
      moe.token_dispatcher_rates.empty() || config.parallel.expert_model_parallel_size == 1)
    return {};
  const DispatchTimes times =
      dispatch_times(config, simulate::load_cluster(moe.token_dispatcher_rates));
  moe.token_dispatcher_type =
      times.gathers() ? TokenDispatcher::allgather : TokenDispatcher::alltoall;
  std::string said = fmt::format(
      "tokens go to their experts by {}: in a layer and micro-batch, there and back, alltoall "
      "takes "
      "{:.3f} ms and allgather {:.3f} ms at the rates of {}",
      times.gathers() ? "allgather" : "alltoall", 1e3 * times.alltoall, 1e3 * times.allgather,
      moe.token_dispatcher_rates);
  const std::vector<Violation> broken = find_violations(config);
  if (!broken.empty()) {
    throw Error(ErrorCode::bad_usage, fmt::format("{}: {}, since {}", broken.front().keys.front(),
                                                  broken.front().message, said));
  }
  return said;
}

}  // namespace megascale::study
