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

struct Table {
  const FileHandle& file;
  std::uint64_t offset = 0, size = 0;  // of the entries
  [[nodiscard]] std::vector<OutcomeTableEntry> read(std::uint64_t first,
                                                    std::uint64_t count) const {
    std::vector<OutcomeTableEntry> entries(count);
    if (!read_at(file, offset + first * sizeof(OutcomeTableEntry), entries.data(),
                 count * sizeof(OutcomeTableEntry)))
      entries.clear();
    return entries;
  }
};

// The outcomes that follow a step without a gap. A table has some hundred KB, and a watcher that looks twice a second
// needs the last few entries.
std::vector<StepOutcome> read_next(const Table& table, std::int64_t after) {
  constexpr std::uint64_t kAtOnce = 16;
  std::vector<StepOutcome> steps;
  while (steps.size() < table.size) {
    const std::int64_t next = after + 1 + static_cast<std::int64_t>(steps.size());
    const std::uint64_t first = static_cast<std::uint64_t>(next) % table.size;
    const auto entries = table.read(first, std::min(kAtOnce, table.size - first));
    const std::size_t before = steps.size();
    for (const OutcomeTableEntry& entry : entries) {
      const auto outcome = outcome_of(entry);
      if (!outcome || outcome->step != after + 1 + static_cast<std::int64_t>(steps.size()))
        return steps;
      steps.push_back(*outcome);
    }
    if (steps.size() == before) return steps;  // the file is cut off
  }
  return steps;
}

std::vector<StepOutcome> read_all(const Table& table, std::int64_t after) {
  std::vector<StepOutcome> steps;
  for (const OutcomeTableEntry& entry : table.read(0, table.size)) {
    if (entry.outcome.step <= after) continue;
    if (const auto outcome = outcome_of(entry)) steps.push_back(*outcome);
  }
  std::ranges::sort(steps, {}, &StepOutcome::step);
  return steps;
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
  const Table table{.file = file, .offset = offset + sizeof header, .size = header.outcomes};
  Outcomes outcomes{.process_id = ring.process_id,
                    .plan = digest64(std::as_bytes(std::span(ring.plan_digest))),
                    .groups = header.groups,
                    .steps = {}};
  if (after >= 0) outcomes.steps = read_next(table, after);
  // Nothing is new, or steps are missing in between.
  if (outcomes.steps.empty()) outcomes.steps = read_all(table, after);
  return outcomes;
}

}  // namespace megascale::observe
