// The start that benchmarks compare Bootstrap with: for each group of the job, fetch the records of
// the members if this rank is one of them, then pass a barrier of all ranks.
#include "megascale/comm/bootstrap/barrier_per_group.h"

#include <fmt/format.h>

#include <algorithm>

namespace megascale::comm {

BarrierPerGroup::BarrierPerGroup(StoreClient& store, BootstrapOptions options,
                                 std::span<const std::vector<std::uint32_t>> world_groups)
    : store_(store), options_(std::move(options)), world_groups_(world_groups) {
  launch_.records.push_back(options_.self);
  store_.start({{.op = StoreOp::set,
                 .keys = {record_key(options_.self.rank)},
                 .values = {encode(options_.self)}}});
}

bool BarrierPerGroup::poll() {
  while (!over_ && store_.poll()) {
    auto replies = store_.take();
    if (!replies) {
      error_ = replies.error();
      over_ = true;
      break;
    }
    for (const StoreReply& reply : *replies) {
      if (reply.status == StoreStatus::timed_out) {
        error_ =
            Error(ErrorCode::timeout, fmt::format("group {} of {}: not all ranks arrived in time",
                                                  next_, world_groups_.size()));
        over_ = true;
        return true;
      }
      for (const auto& bytes : reply.values) {
        if (auto record = parse_rank_record(bytes.value_or(""))) launch_.records.push_back(*record);
      }
    }
    create_next();
  }
  return over_;
}

void BarrierPerGroup::create_next() {
  over_ = next_ == world_groups_.size();
  if (over_) return;
  const auto& group = world_groups_[next_];
  const std::string barrier = fmt::format("barrier/{}", next_++);
  std::vector<StoreRequest> batch;
  if (std::find(group.begin(), group.end(), options_.self.rank) != group.end() &&
      group.size() > 1) {
    auto& fetch = batch.emplace_back(StoreRequest{.op = StoreOp::get, .timeout = options_.timeout});
    for (const std::uint32_t member : group) {
      if (member != options_.self.rank) fetch.keys.push_back(record_key(member));
    }
  }
  batch.push_back({.op = StoreOp::add, .keys = {barrier}, .number = 1});
  batch.push_back({.op = StoreOp::wait,
                   .keys = {barrier},
                   .number = options_.world_size,
                   .timeout = options_.timeout});
  store_.start(std::move(batch));
}

Result<Launch> BarrierPerGroup::take() {
  MEGASCALE_CHECK(over_, "the start is over");
  if (error_) return tl::unexpected(*error_);
  std::sort(launch_.records.begin(), launch_.records.end(),
            [](const RankRecord& a, const RankRecord& b) { return a.rank < b.rank; });
  return std::move(launch_);
}

}  // namespace megascale::comm
