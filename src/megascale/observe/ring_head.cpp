// Reads the header, the step number of every place, and the records of the newest place only.
#include "megascale/observe/ring_head.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/base/record_ring_format.h"

namespace megascale::observe {
namespace {

constexpr std::uint32_t kMostPlaces = 1 << 16;  // as observe.ring_steps
constexpr std::uint32_t kMostTasks = 1 << 26;

template <class T>
bool read_to(int fd, std::uint64_t offset, T* to, std::size_t count = 1) noexcept {
  const auto nbytes = static_cast<ssize_t>(count * sizeof(T));
  return ::pread(fd, to, count * sizeof(T), static_cast<off_t>(offset)) == nbytes;
}

// What a ring says about the newest step.
struct Newest {
  RecordRingHeader header;
  RecordRingStep newest, ended;  // the newest step, and the newest one that has ended
  std::vector<RecordRingStep> all_ended;
  std::vector<TaskRecord> records;  // of the newest step, if it has not ended
};

std::optional<Newest> read_newest(const std::filesystem::path& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  Newest ring;
  const RecordRingHeader& header = ring.header;
  if (file.get() < 0 || !read_to(file.get(), 0, &ring.header)) return std::nullopt;
  if (header.magic != RecordRingHeader::kMagic || header.steps > kMostPlaces ||
      header.tasks > kMostTasks)
    return std::nullopt;
  const std::uint64_t place_nbytes = record_ring_step_nbytes(header.tasks);
  std::uint64_t newest_offset = 0;
  for (std::uint32_t place = 0; place < header.steps; ++place) {
    RecordRingStep step;
    const std::uint64_t offset = sizeof header + place * place_nbytes;
    if (!read_to(file.get(), offset, &step)) return std::nullopt;
    if (step.step < 0) continue;
    if (step.end_ns != 0) ring.all_ended.push_back(step);
    if (step.end_ns != 0 && step.step > ring.ended.step) ring.ended = step;
    if (step.step <= ring.newest.step) continue;
    ring.newest = step;
    newest_offset = offset;
  }
  if (ring.newest.step < 0 || ring.newest.end_ns != 0) return ring;
  ring.records.resize(header.tasks);
  RecordRingStep again;
  if (!read_to(file.get(), newest_offset + sizeof again, ring.records.data(), header.tasks) ||
      !read_to(file.get(), newest_offset, &again) || again.step != ring.newest.step)
    ring.records.clear();
  return ring;
}

// Adds what the records of the newest place say.
void count_tasks(std::span<const TaskRecord> records, RingHead& head) noexcept {
  for (const TaskRecord& record : records) {
    if (record.done_ns == 0) continue;
    ++head.tasks_done;
    head.last_ns = std::max(head.last_ns, record.done_ns);
  }
}

}  // namespace

std::optional<RingHead> read_ring_head(const std::filesystem::path& path) noexcept {
  const auto ring = read_newest(path);
  if (!ring) return std::nullopt;
  RingHead head{.process_id = ring->header.process_id};
  head.step_ns = std::max<std::int64_t>(ring->ended.end_ns - ring->ended.begin_ns, 0);
  if (ring->newest.step < 0) return head;
  head.in_step = ring->newest.end_ns == 0;
  head.steps_done = ring->newest.step + (head.in_step ? 0 : 1);
  head.last_ns = std::max(ring->newest.begin_ns, ring->newest.end_ns);
  count_tasks(ring->records, head);
  return head;
}

std::string read_plan_digest(const std::filesystem::path& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  RecordRingHeader header;
  if (file.get() < 0 || !read_to(file.get(), 0, &header) ||
      header.magic != RecordRingHeader::kMagic)
    return "";
  return {header.plan_digest, sizeof header.plan_digest};
}

std::optional<RankPosition> read_rank_position(const std::filesystem::path& path) {
  const auto ring = read_newest(path);
  if (!ring) return std::nullopt;
  const char* digest = ring->header.plan_digest;
  RankPosition position{.plan_digest = std::string(digest, sizeof ring->header.plan_digest),
                        .tasks = ring->header.tasks,
                        .step = ring->newest.step,
                        .ended = ring->newest.end_ns != 0,
                        .last_ns = std::max(ring->newest.begin_ns, ring->newest.end_ns)};
  // The records of a step that has ended do not count, and are not read.
  if (position.step >= 0 && !position.ended) {
    if (ring->records.empty()) return std::nullopt;  // they were replaced meanwhile
    set_records(position, ring->records);
    for (const TaskRecord& record : ring->records)
      position.last_ns = std::max(position.last_ns, record.done_ns);
  } else if (position.ended) {
    position.done = {0};
  }
  position.last_ns = std::max<std::int64_t>(position.last_ns + ring->header.clock_offset_ns, 0);
  return position;
}

std::vector<RecordRingStep> read_ended_steps(const std::filesystem::path& path) {
  auto ring = read_newest(path);
  return ring ? std::move(ring->all_ended) : std::vector<RecordRingStep>();
}

}  // namespace megascale::observe
