// Copies one place of each ring to a ring of one place.
#include "megascale/observe/keep_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/record_ring_format.h"
#include "megascale/base/run_directory.h"
#include "megascale/observe/ring_file.h"

namespace megascale::observe {
namespace {

void append(std::string& bytes, std::span<const std::byte> more) {
  bytes.append(reinterpret_cast<const char*>(more.data()), more.size());
}

// Returns the bytes of the ring file of one step; nothing if the ring does not hold the whole step.
std::optional<std::string> ring_of(const RingFile& ring, std::int64_t number) {
  const auto step = std::ranges::find(ring.steps, number, &RingStep::step);
  if (step == ring.steps.end() || step->end_ns == 0 || !ring.writer) return std::nullopt;
  RecordRingHeader header{.tasks = static_cast<std::uint32_t>(step->records.size()), .steps = 1};
  ring.plan_digest.copy(header.plan_digest, sizeof header.plan_digest);
  header.clock_offset_ns = ring.writer->clock_offset_ns;
  header.rank = ring.writer->rank;
  header.process_id = ring.writer->process_id;
  ring.writer->host_name.copy(header.host_name, sizeof header.host_name - 1);
  const RecordRingStep place{
      .step = step->step, .begin_ns = step->begin_ns, .end_ns = step->end_ns};
  std::string bytes;
  append(bytes, std::as_bytes(std::span(&header, 1)));
  append(bytes, std::as_bytes(std::span(&place, 1)));
  append(bytes, std::as_bytes(std::span(step->records)));
  return bytes;
}

}  // namespace

std::vector<std::uint32_t> keep_step(const std::filesystem::path& run_dir, std::int64_t step) {
  const RunDirectory run(run_dir);
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t rank : run.ranks_with_rings()) {
    if (!std::filesystem::exists(run.kept_ring(rank, step))) {
      const auto bytes = ring_of(read_ring(run.ring(rank)), step);
      if (!bytes) continue;
      write_text_atomically(run.kept_ring(rank, step), *bytes);
    }
    kept.push_back(rank);
  }
  if (kept.empty()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected a ring that holds the whole step {} (counted from 0), found "
                    "none; a ring holds the last observe.ring_steps steps",
                    run.events().string(), step));
  }
  return kept;
}

}  // namespace megascale::observe
