// Copies the steps of a record ring out of its file. The file may belong to a running or a crashed
// process, or not be a ring at all. So sizes are checked before anything is read, and read_place()
// drops steps that are overwritten meanwhile. Rings of the previous format, which has a shorter
// header, are read too.
#include "megascale/observe/ring_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/record_ring_format.h"

namespace megascale::observe {
namespace {

void sort_by_step(std::vector<RingStep>& steps) { std::ranges::sort(steps, {}, &RingStep::step); }

}  // namespace

RingFile read_ring(const std::filesystem::path& path, std::int64_t newer_than) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::bad_input, fmt::format("{} is no record ring: {}", path.string(), why));
  };
  RecordRingHeader header;
  std::size_t header_nbytes = RecordRingHeader::kNbytesBefore;
  if (bytes.size() < header_nbytes)
    refuse(fmt::format("it has {} bytes, a header has {}", bytes.size(), header_nbytes));
  std::memcpy(&header, bytes.data(), header_nbytes);
  if (header.magic != RecordRingHeader::kMagic && header.magic != RecordRingHeader::kMagicBefore) {
    refuse(fmt::format("it begins with {:#x}, expected {:#x} or, of older versions, {:#x}",
                       header.magic, RecordRingHeader::kMagic, RecordRingHeader::kMagicBefore));
  }
  const bool names_writer = header.magic == RecordRingHeader::kMagic;
  if (names_writer) {
    header_nbytes = sizeof header;
    if (bytes.size() < header_nbytes)
      refuse(fmt::format("it has {} bytes, a header has {}", bytes.size(), header_nbytes));
    std::memcpy(&header, bytes.data(), header_nbytes);
  }
  const std::uint64_t place = record_ring_step_nbytes(header.tasks);
  if ((bytes.size() - header_nbytes) / place < header.steps) {
    refuse(fmt::format("{} steps of {} tasks do not fit in {} bytes", header.steps, header.tasks,
                       bytes.size()));
  }
  RingFile ring{.plan_digest = std::string(header.plan_digest, sizeof header.plan_digest)};
  if (names_writer) {
    ring.writer = {.rank = header.rank,
                   .process_id = header.process_id,
                   .host_name = std::string(header.host_name,
                                            ::strnlen(header.host_name, sizeof header.host_name)),
                   .clock_offset_ns = header.clock_offset_ns};
  }
  for (std::uint32_t i = 0; i < header.steps; ++i) {
    const std::byte* const from = bytes.data() + header_nbytes + i * place;
    if (read_place(from, 0, nullptr).step <= newer_than) continue;  // or -1: it has no step
    std::vector<TaskRecord> records(header.tasks);
    const RecordRingStep step = read_place(from, header.tasks, records.data());
    if (step.step < 0) continue;
    ring.steps.push_back({.step = step.step,
                          .begin_ns = step.begin_ns,
                          .end_ns = step.end_ns,
                          .records = std::move(records)});
  }
  sort_by_step(ring.steps);
  return ring;
}

RingFile read_records(const RunDirectory& run, std::int64_t rank) {
  return read_records(run, rank, run.kept_steps(rank));
}

RingFile read_records(const RunDirectory& run, std::int64_t rank,
                      std::span<const std::int64_t> kept_steps, std::int64_t newer_than) {
  RingFile records = read_ring(run.ring(rank), newer_than);
  std::set<std::int64_t> known;
  for (const RingStep& step : records.steps) known.insert(step.step);
  for (const std::int64_t number : kept_steps) {
    if (number <= newer_than) continue;
    RingFile kept = read_ring(run.kept_ring(rank, number));
    if (kept.plan_digest != records.plan_digest) continue;
    for (RingStep& step : kept.steps) {
      if (known.insert(step.step).second) records.steps.push_back(std::move(step));
    }
  }
  sort_by_step(records.steps);
  return records;
}

}  // namespace megascale::observe
