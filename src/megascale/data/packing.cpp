// Best fit decreasing, in time n log L for n documents and samples of L positions: the samples that
// are not full are found by the room that is left in them.
#include "megascale/data/packing.h"

#include <algorithm>
#include <map>

#include "megascale/base/error.h"

namespace megascale {

DocumentPacking::DocumentPacking(std::span<const TokenRange> documents, std::int64_t seq_length,
                                 const std::function<bool(const Part&)>& has_target) {
  MEGASCALE_CHECK(seq_length >= 1, "samples with positions");
  std::vector<Part> by_length;
  for (const TokenRange& document : documents) {
    const std::int64_t wanted = document.size() - 1;
    const Part part{document.begin, std::min(wanted, seq_length)};
    if (wanted < 1 || (has_target && !has_target(part))) {
      ++left_out_;
      continue;
    }
    if (wanted > seq_length) ++cut_;
    by_length.push_back(part);
    positions_ += part.positions;
  }
  std::stable_sort(by_length.begin(), by_length.end(),
                   [](const Part& a, const Part& b) { return a.positions > b.positions; });
  std::vector<std::vector<Part>> samples;
  std::map<std::int64_t, std::vector<std::size_t>> by_room;  // samples that are not full
  for (const Part& part : by_length) {
    std::size_t sample = samples.size();
    std::int64_t room = seq_length;
    if (const auto best = by_room.lower_bound(part.positions); best != by_room.end()) {
      room = best->first;
      sample = best->second.back();
      best->second.pop_back();
      if (best->second.empty()) by_room.erase(best);
    } else {
      samples.emplace_back();
    }
    samples[sample].push_back(part);
    room -= part.positions;
    if (room > 0) by_room[room].push_back(sample);
  }
  const auto comes_first = [](const Part& a, const Part& b) { return a.begin < b.begin; };
  for (std::vector<Part>& parts : samples) std::sort(parts.begin(), parts.end(), comes_first);
  std::sort(samples.begin(), samples.end(),
            [&](const auto& a, const auto& b) { return comes_first(a.front(), b.front()); });
  parts_.reserve(by_length.size());
  for (const std::vector<Part>& parts : samples) {
    starts_.push_back(parts_.size());
    parts_.insert(parts_.end(), parts.begin(), parts.end());
  }
  starts_.push_back(parts_.size());
}

}  // namespace megascale
