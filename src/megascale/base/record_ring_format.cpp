// The reader's side of the record ring's sequence locks, and the writer's side of one record.
//
// There are no memory fences, since the thread sanitizer does not know them. Instead each word is
// stored with release order and loaded with acquire order, which costs nothing on x86. If a reader
// sees a word of a newer step, it therefore also sees, when it reads the step number again, that
// the step has changed.
#include "megascale/base/record_ring_format.h"

namespace megascale {
namespace {

template <class T>
T load(const T& word) noexcept {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}
template <class T>
void store(T& word, T value) noexcept {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

TaskRecord read_record(const TaskRecord& place) noexcept {
  TaskRecord record{.done_ns = load(place.done_ns)};
  record.start_ns = load(place.start_ns);
  record.matched_ns = load(place.matched_ns);
  if (record.done_ns == 0) return record;
  record.head_ns = load(place.head_ns);
  record.last_wait = load(place.last_wait);
  record.cpu_us = load(place.cpu_us);
  return record;
}

}  // namespace

void publish(TaskRecord& place, const TaskRecord& record) noexcept {
  store(place.head_ns, record.head_ns);
  store(place.start_ns, record.start_ns);
  store(place.matched_ns, record.matched_ns);
  store(place.last_wait, record.last_wait);
  store(place.cpu_us, record.cpu_us);
  store(place.done_ns, record.done_ns);
}

void publish_start(TaskRecord& place, std::int64_t start_ns) noexcept {
  store(place.start_ns, start_ns);
}

void publish_match(TaskRecord& place, std::int64_t matched_ns) noexcept {
  store(place.matched_ns, matched_ns);
}

void clear(TaskRecord& place) noexcept {
  store(place.done_ns, std::int64_t{0});
  store(place.start_ns, std::int64_t{0});
  store(place.matched_ns, std::int64_t{0});
}

RecordRingStep read_place(const std::byte* place, std::uint32_t tasks,
                          TaskRecord* records) noexcept {
  const auto& header = *reinterpret_cast<const RecordRingStep*>(place);
  const auto* from = reinterpret_cast<const TaskRecord*>(place + sizeof header);
  RecordRingStep step{.step = load(header.step)};
  if (step.step < 0) return {};
  step.begin_ns = load(header.begin_ns);
  step.end_ns = load(header.end_ns);
  for (std::uint32_t task = 0; task < tasks; ++task) records[task] = read_record(from[task]);
  if (load(header.step) != step.step) return {};
  return step;
}

}  // namespace megascale
