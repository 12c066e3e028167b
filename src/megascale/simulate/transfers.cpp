// Shares links among transfers. A change of load or speed can change only the rates of transfers on
// the same links, so only those are computed again; callers get those whose end has changed.
#include "megascale/simulate/transfers.h"

#include <algorithm>

namespace megascale::simulate {

Transfers::Transfers(std::size_t ranks, std::vector<std::uint32_t> members)
    : groups_(members.size()), flows_(ranks), speed_(ranks, 1.0) {
  for (std::size_t g = 0; g < members.size(); ++g) groups_[g].members = members[g];
}

bool Transfers::join(std::uint32_t group, const Part& part) {
  Group& g = groups_[group];
  g.parts.push_back(part);
  return g.parts.size() == g.members;
}

double Transfers::latency_seconds(std::uint32_t group) const noexcept {
  double latency = 0;
  for (const Part& part : groups_[group].parts)
    latency = std::max(latency, part.cost->latency_seconds);
  return latency;
}

double Transfers::seconds(std::uint32_t group) const noexcept {
  double seconds = 0;
  for (const Part& part : groups_[group].parts) seconds = std::max(seconds, part.cost->seconds);
  return seconds;
}

std::span<const std::uint32_t> Transfers::begin(std::uint32_t group, double seconds, double now) {
  Group& g = groups_[group];
  g.flow = {.left = seconds, .rate = 0, .since = now};
  affected_.assign(1, group);
  change_load(group, [&](std::vector<std::uint32_t>& flows) { flows.push_back(group); });
  std::erase_if(affected_, [&](std::uint32_t other) { return !set_rate(other, now); });
  return affected_;
}

std::span<const std::uint32_t> Transfers::finish(std::uint32_t group, double now) {
  affected_.clear();
  change_load(group, [&](std::vector<std::uint32_t>& flows) { std::erase(flows, group); });
  std::erase_if(affected_, [&](std::uint32_t other) { return !set_rate(other, now); });
  return affected_;
}

std::span<const std::uint32_t> Transfers::set_speed(std::uint32_t rank, double speed, double now) {
  speed_[rank] = speed;
  affected_.clear();
  for (const std::vector<std::uint32_t>& flows : flows_[rank])
    affected_.insert(affected_.end(), flows.begin(), flows.end());
  std::sort(affected_.begin(), affected_.end());
  affected_.erase(std::unique(affected_.begin(), affected_.end()), affected_.end());
  std::erase_if(affected_, [&](std::uint32_t group) { return !set_rate(group, now); });
  return affected_;
}

// `change` adds the group to the flows of a link, or removes it. Applies it to all links that the
// group loads, and adds all other groups on these links to affected_.
template <class Change>
void Transfers::change_load(std::uint32_t group, Change change) {
  const std::size_t alone = affected_.size();
  for (const Part& part : groups_[group].parts) {
    for (std::size_t link = 0; link < kLinkCount; ++link) {
      if ((part.cost->links >> link & 1U) == 0) continue;
      std::vector<std::uint32_t>& flows = flows_[part.rank][link];
      change(flows);
      for (const std::uint32_t other : flows) {
        if (other != group) affected_.push_back(other);
      }
    }
  }
  if (affected_.size() == alone) return;
  std::sort(affected_.begin(), affected_.end());
  affected_.erase(std::unique(affected_.begin(), affected_.end()), affected_.end());
}

bool Transfers::set_rate(std::uint32_t group, double now) noexcept {
  Group& g = groups_[group];
  std::size_t most = 1;
  double slowest = 1;
  for (const Part& part : g.parts) {
    if (part.cost->processor_share > 0) slowest = std::min(slowest, speed_[part.rank]);
    for (std::size_t link = 0; link < kLinkCount; ++link) {
      if ((part.cost->links >> link & 1U) != 0)
        most = std::max(most, flows_[part.rank][link].size());
    }
  }
  const double rate = slowest / static_cast<double>(most);
  if (rate == g.flow.rate) return false;
  g.flow.set_rate(rate, now);
  return true;
}

}  // namespace megascale::simulate
