#include "megascale/serve/peers_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/plan/communication_volume.h"
#include "megascale/serve/rank_json.h"

namespace megascale::serve {
namespace {

using Json = nlohmann::ordered_json;

Json axes_json(graph::AxisSet axes) {
  Json names = Json::array();
  for (std::size_t a = 0; a < graph::kAxisCount; ++a) {
    const auto axis = static_cast<graph::Axis>(a);
    if (axes.contains(axis)) names.push_back(graph::to_string(axis));
  }
  return names;
}

const char* direction_of(const plan::GroupVolume& volume) {
  if (volume.sent > 0) return volume.received > 0 ? "both" : "sends";
  return volume.received > 0 ? "receives" : "none";
}

// The rank itself if it has numbers of a step. Else, the first rank with the same plan that has: a
// simulation records one rank of each class. Else nothing.
const std::pair<const std::uint32_t, RankEntry>* recorded_like(const RankHistory& history,
                                                               std::uint32_t rank) {
  const auto& ranks = history.ranks();
  const JobWorks& works = history.works();
  const auto own = ranks.find(rank);
  if (own != ranks.end() && !own->second.steps.empty()) return &*own;
  const auto like = std::find_if(ranks.begin(), ranks.end(), [&](const auto& other) {
    return !other.second.steps.empty() && works.work_of(other.first) == works.work_of(rank);
  });
  return like == ranks.end() ? nullptr : &*like;
}

}  // namespace

Json rank_peers(const RankHistory& history, std::uint32_t rank) {
  const std::uint32_t world = history.job().grid.world_size();
  if (rank >= world) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("parameter rank: expected a rank from 0 to {}, found {}", world - 1, rank));
  }
  const plan::VerifiedPlan verified = history.job().plan_of(rank, history.job().train_verification);
  const std::vector<plan::GroupVolume> volumes = plan::count_by_communicator(verified.plan());
  const auto* recorded = recorded_like(history, rank);
  Json json{{"rank", rank},
            {"at", coordinates_json(verified.binding().coordinates)},
            {"groups", Json::array()}};
  if (recorded != nullptr) json["times_of"] = recorded->first;
  for (std::size_t c = 0; c < volumes.size(); ++c) {
    const plan::Communicator& communicator = verified.plan().communicators()[c];
    const plan::CommunicatorBinding& binding = verified.binding().communicators[c];
    if (volumes[c].transfers == 0 || binding.members.size() < 2) continue;
    Json group{{"key", binding.key},
               {"name", communicator.name},
               {"axes", axes_json(communicator.axes)},
               {"lane", graph::to_string(communicator.lane)},
               {"direction", direction_of(volumes[c])},
               {"size", binding.members.size()},
               {"transfers", volumes[c].transfers},
               {"sent_bytes", volumes[c].sent},
               {"received_bytes", volumes[c].received}};
    if (binding.members.size() <= kMostListedMembers) group["members"] = binding.members;
    if (recorded != nullptr)
      group["moving_seconds"] = recorded->second.steps.rbegin()->second.moving[c];
    json["groups"].push_back(std::move(group));
  }
  return json;
}

}  // namespace megascale::serve
