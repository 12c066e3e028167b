// Reads the header, the step number of every place, and the records of the newest place only.
#include "megascale/observe/ring_head.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
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
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  RecordRingHeader header;
  if (file.get() < 0 || !read_to(file.get(), 0, &header)) return std::nullopt;
  if (header.magic != RecordRingHeader::kMagic || header.steps > kMostPlaces ||
      header.tasks > kMostTasks)
    return std::nullopt;
  RingHead head{.process_id = header.process_id};
  const std::uint64_t place_nbytes = record_ring_step_nbytes(header.tasks);
  RecordRingStep newest, ended;
  std::uint64_t newest_offset = 0;
  for (std::uint32_t place = 0; place < header.steps; ++place) {
    RecordRingStep step;
    const std::uint64_t offset = sizeof header + place * place_nbytes;
    if (!read_to(file.get(), offset, &step)) return std::nullopt;
    if (step.step < 0) continue;
    if (step.end_ns != 0 && step.step > ended.step) ended = step;
    if (step.step <= newest.step) continue;
    newest = step;
    newest_offset = offset;
  }
  head.step_ns = std::max<std::int64_t>(ended.end_ns - ended.begin_ns, 0);
  if (newest.step < 0) return head;
  head.in_step = newest.end_ns == 0;
  head.steps_done = newest.step + (head.in_step ? 0 : 1);
  head.last_ns = std::max(newest.begin_ns, newest.end_ns);
  if (!head.in_step) return head;
  std::vector<TaskRecord> records(header.tasks);
  RecordRingStep again;
  if (read_to(file.get(), newest_offset + sizeof newest, records.data(), records.size()) &&
      read_to(file.get(), newest_offset, &again) && again.step == newest.step)
    count_tasks(records, head);
  return head;
}

}  // namespace megascale::observe
