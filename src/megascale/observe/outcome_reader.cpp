// Reads with pread(), as ring_head.cpp. Entries that are being written are left out.
#include "megascale/observe/outcome_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "megascale/base/digest.h"
#include "megascale/base/files.h"
#include "megascale/base/outcome_table_format.h"

namespace megascale::observe {
namespace {

constexpr std::uint64_t kMostOutcomes = 1 << 16;

bool read_at(const FileHandle& file, std::uint64_t offset, void* to, std::size_t nbytes) {
  return ::pread(file.get(), to, nbytes, static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(nbytes);
}

}  // namespace

Outcomes read_outcomes(const std::filesystem::path& path, std::int64_t after) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  RecordRingHeader ring;
  OutcomeTableHeader header;
  if (file.get() < 0 || !read_at(file, 0, &ring, sizeof ring) ||
      ring.magic != RecordRingHeader::kMagic)
    return {};
  const std::uint64_t offset = outcome_table_offset(ring.tasks, ring.steps);
  if (!read_at(file, offset, &header, sizeof header) ||
      header.magic != OutcomeTableHeader::kMagic || header.outcomes > kMostOutcomes)
    return {};
  std::vector<OutcomeTableEntry> entries(header.outcomes);
  if (!read_at(file, offset + sizeof header, entries.data(),
               entries.size() * sizeof(OutcomeTableEntry)))
    return {};
  Outcomes outcomes{.process_id = ring.process_id,
                    .plan = digest64(std::as_bytes(std::span(ring.plan_digest))),
                    .groups = header.groups,
                    .steps = {}};
  for (const OutcomeTableEntry& entry : entries) {
    if (entry.outcome.step <= after) continue;
    if (const auto outcome = outcome_of(entry)) outcomes.steps.push_back(*outcome);
  }
  std::ranges::sort(outcomes.steps, {}, &StepOutcome::step);
  return outcomes;
}

}  // namespace megascale::observe
