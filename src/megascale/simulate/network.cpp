// Simulates transfers between islands. When a transfer starts or ends, the rates of others that
// share its links change, and so do their ends. Instead of removing an end from the queue, its
// group's version is raised and a new end is queued; an end with an old version is dropped when it
// comes to the top.
#include "megascale/simulate/network.h"

#include <algorithm>
#include <limits>

namespace megascale::simulate {
namespace {

std::vector<std::uint32_t> member_counts(const Job& job) {
  std::vector<std::uint32_t> counts;
  for (const auto& members : job.groups)
    counts.push_back(static_cast<std::uint32_t>(members.size()));
  return counts;
}

}  // namespace

Network::Network(const Job& job)
    : groups_(job.groups.size()), transfers_(job.ranks.size(), member_counts(job)) {}

void Network::join(const RemoteJoin& join) {
  Group& group = groups_[join.group];
  group.joined = std::max(group.joined, join.time);
  if (!transfers_.join(join.group, {.rank = join.rank, .lane = join.lane, .cost = join.cost}))
    return;
  const double start = group.joined + transfers_.latency_seconds(join.group);
  events_.push({start, Event::Kind::bytes_flow, join.group, 0});
}

double Network::next() const noexcept {
  return events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().time;
}

void Network::drop_overtaken() noexcept {
  while (!events_.empty() && events_.top().kind == Event::Kind::transfer_done &&
         events_.top().version != groups_[events_.top().group].version) {
    events_.pop();
  }
}

void Network::run(double horizon, const Deliver& deliver) {
  for (drop_overtaken(); !events_.empty() && events_.top().time < horizon; drop_overtaken()) {
    const Event event = events_.top();
    events_.pop();
    if (event.kind == Event::Kind::bytes_flow) {
      start_flow(event.group, event.time, deliver);
    } else {
      finish_transfer(event.group, event.time, deliver);
    }
  }
}

void Network::reschedule(std::span<const std::uint32_t> groups) {
  for (const std::uint32_t group : groups) {
    const std::uint32_t version = ++groups_[group].version;
    events_.push({transfers_.end_of(group), Event::Kind::transfer_done, group, version});
  }
}

void Network::start_flow(std::uint32_t group, double now, const Deliver& deliver) {
  reschedule(transfers_.begin(group, transfers_.seconds(group), now));
  for (const Transfers::Part& part : transfers_.parts(group)) {
    const ProcessorParts parts = processor_parts(*part.cost);
    if (parts != 0) deliver(part.rank, {.time = now, .taken = parts});
  }
}

void Network::finish_transfer(std::uint32_t group, double now, const Deliver& deliver) {
  reschedule(transfers_.finish(group, now));
  for (const Transfers::Part& part : transfers_.take_parts(group)) {
    deliver(part.rank, {.time = now,
                        .lane = part.lane,
                        .taken = -processor_parts(*part.cost),
                        .matched = groups_[group].joined});
  }
}

}  // namespace megascale::simulate
