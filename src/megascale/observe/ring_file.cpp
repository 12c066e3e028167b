#include "megascale/observe/ring_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/record_ring_format.h"

namespace megascale::observe {

RingFile read_ring(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::bad_input, fmt::format("{} is no record ring: {}", path.string(), why));
  };
  RecordRingHeader header;
  if (bytes.size() < sizeof header)
    refuse(fmt::format("it has {} bytes, a header has {}", bytes.size(), sizeof header));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != RecordRingHeader::kMagic)
    refuse(fmt::format("it begins with {:#x}", header.magic));
  const std::uint64_t place = record_ring_step_nbytes(header.tasks);
  if ((bytes.size() - sizeof header) / place < header.steps) {
    refuse(fmt::format("{} steps of {} tasks do not fit in {} bytes", header.steps, header.tasks,
                       bytes.size()));
  }
  RingFile ring{.plan_digest = std::string(header.plan_digest, sizeof header.plan_digest)};
  for (std::uint32_t i = 0; i < header.steps; ++i) {
    const std::byte* from = bytes.data() + sizeof header + i * place;
    RecordRingStep step;
    std::memcpy(&step, from, sizeof step);
    if (step.step < 0) continue;
    RingStep copy{.step = step.step, .begin_ns = step.begin_ns, .end_ns = step.end_ns};
    copy.records.resize(header.tasks);
    std::memcpy(copy.records.data(), from + sizeof step, header.tasks * sizeof(TaskRecord));
    ring.steps.push_back(std::move(copy));
  }
  std::sort(ring.steps.begin(), ring.steps.end(),
            [](const RingStep& a, const RingStep& b) { return a.step < b.step; });
  return ring;
}

}  // namespace megascale::observe
