// Best fit decreasing, in time n log L for n documents and samples of L positions: the samples that
// are not full are found by the room that is left in them.
#include "megascale/data/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "megascale/base/error.h"

namespace megascale {
namespace {

// Returns what a sample takes of a document that is longer than it; nothing if the document has no target.
std::optional<DocumentPacking::Part> part_of(
    const TokenRange& document, std::int64_t seq_length,
    const std::function<bool(const DocumentPacking::Part&)>& has_target) {
  const DocumentPacking::Part part{document.begin, std::min(document.size() - 1, seq_length)};
  if (part.positions < 1 || (has_target && !has_target(part))) return std::nullopt;
  return part;
}

}  // namespace

DocumentPacking DocumentPacking::of_pairs(std::span<const TokenRange> documents,
                                          std::int64_t seq_length,
                                          const std::function<bool(const Part&)>& has_target) {
  if (documents.size() % 2 != 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("expected pairs of documents, chosen and rejected, found {} documents",
                            documents.size()));
  }
  DocumentPacking packing;
  packing.starts_.push_back(0);
  for (std::size_t i = 0; i < documents.size(); i += 2) {
    const auto chosen = part_of(documents[i], seq_length, has_target),
               rejected = part_of(documents[i + 1], seq_length, has_target);
    if (!chosen || !rejected) {
      ++packing.left_out_;
      continue;
    }
    const auto add = [&](const Part& part, const TokenRange& document) {
      if (document.size() - 1 > seq_length) ++packing.cut_;
      packing.parts_.push_back(part);
      packing.starts_.push_back(packing.parts_.size());
      packing.positions_ += part.positions;
    };
    add(*chosen, documents[i]);
    add(*rejected, documents[i + 1]);
  }
  return packing;
}

DocumentPacking::DocumentPacking(std::span<const TokenRange> documents, std::int64_t seq_length,
                                 const std::function<bool(const Part&)>& has_target) {
  MEGASCALE_CHECK(seq_length >= 1, "samples with positions");
  std::vector<Part> by_length;
  for (const TokenRange& document : documents) {
    const auto part = part_of(document, seq_length, has_target);
    if (!part) {
      ++left_out_;
      continue;
    }
    if (document.size() - 1 > seq_length) ++cut_;
    by_length.push_back(*part);
    positions_ += part->positions;
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
