// Writes the ring of base/record_ring_format.h: a header, then one slot per step with the step's
// number, times and records. A slot is reused after Options::steps steps.
#include "megascale/runtime/record_ring.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::runtime {

RecordRing::RecordRing(const std::filesystem::path& path, const Options& options)
    : nbytes_(outcome_table_offset(options.tasks, options.steps) +
              (options.outcomes == 0 ? 0 : outcome_table_nbytes(options.outcomes))),
      tasks_(options.tasks),
      steps_(options.steps),
      outcomes_(options.outcomes) {
  // Always a new file: a reader that has mapped the old one keeps its content.
  std::filesystem::remove(replaceable_file(path));
  const FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  const auto fail = [&](const char* action) {
    throw Error(ErrorCode::io,
                fmt::format("cannot {} the record ring {} ({} bytes): {}", action, path.string(),
                            nbytes_, std::generic_category().message(errno)));
  };
  if (file.get() < 0) fail("create");
  // Disk space is allocated now. Otherwise a full disk would kill the process with a signal in the
  // middle of a step.
  if (const int error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(nbytes_)); error != 0) {
    errno = error;
    fail("allocate");
  }
  void* address =
      ::mmap(nullptr, nbytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.get(), 0);
  if (address == MAP_FAILED) fail("map");
  bytes_ = static_cast<std::byte*>(address);
  RecordRingHeader header{.tasks = options.tasks,
                          .steps = options.steps,
                          .rank = options.rank,
                          .process_id = static_cast<std::uint32_t>(::getpid())};
  const std::string& digest = options.plan_digest;
  std::memcpy(header.plan_digest, digest.data(),
              std::min(digest.size(), sizeof header.plan_digest));
  // One byte less than the field: gethostname() does not terminate a name that it cuts off.
  (void)::gethostname(header.host_name, sizeof header.host_name - 1);
  new (bytes_) RecordRingHeader(header);
  for (std::uint32_t i = 0; i < steps_; ++i) {
    new (place(i)) RecordRingStep{};
    auto* records = reinterpret_cast<TaskRecord*>(place(i) + sizeof(RecordRingStep));
    std::uninitialized_fill_n(records, tasks_, TaskRecord{});
  }
  if (outcomes_ == 0) return;
  std::byte* const table = bytes_ + outcome_table_offset(tasks_, steps_);
  new (table) OutcomeTableHeader{.outcomes = outcomes_, .groups = options.groups};
  std::uninitialized_fill_n(outcome_entries(), outcomes_, OutcomeTableEntry{});
}

RecordRing::~RecordRing() { ::munmap(bytes_, nbytes_); }

std::byte* RecordRing::place(std::int64_t step) const noexcept {
  return bytes_ + sizeof(RecordRingHeader) +
         static_cast<std::size_t>(step % steps_) * record_ring_step_nbytes(tasks_);
}

void RecordRing::set_clock_offset(std::int64_t offset_ns) noexcept {
  auto& header = *reinterpret_cast<RecordRingHeader*>(bytes_);
  std::atomic_ref(header.clock_offset_ns).store(offset_ns, std::memory_order_relaxed);
}

std::span<TaskRecord> RecordRing::begin_step(std::int64_t step, std::int64_t now_ns) noexcept {
  auto* header = reinterpret_cast<RecordRingStep*>(place(step));
  auto* records = reinterpret_cast<TaskRecord*>(place(step) + sizeof(RecordRingStep));
  // The step number is invalid while the records are cleared. So no reader, not even after a crash
  // in between, takes the records of one step for those of another.
  const std::atomic_ref number(header->step);
  number.store(-1, std::memory_order_release);
  for (std::uint32_t task = 0; task < tasks_; ++task) clear(records[task]);
  std::atomic_ref(header->begin_ns).store(now_ns, std::memory_order_release);
  std::atomic_ref(header->end_ns).store(0, std::memory_order_release);
  number.store(step, std::memory_order_release);
  return {records, tasks_};
}

void RecordRing::end_step(std::int64_t step, std::int64_t now_ns) noexcept {
  auto* header = reinterpret_cast<RecordRingStep*>(place(step));
  std::atomic_ref(header->end_ns).store(now_ns, std::memory_order_release);
}

void RecordRing::put_outcome(const StepOutcome& outcome) noexcept {
  if (outcomes_ == 0) return;
  // Readers are other processes; they notice a half-written entry by its digest.
  outcome_entries()[outcome.step % outcomes_] = {.outcome = outcome, .check = check_of(outcome)};
}

void RecordRing::take_outcomes(const RecordRing& other) noexcept {
  if (other.outcomes_ == outcomes_)
    std::copy_n(other.outcome_entries(), outcomes_, outcome_entries());
}

OutcomeTableEntry* RecordRing::outcome_entries() const noexcept {
  return reinterpret_cast<OutcomeTableEntry*>(bytes_ + outcome_table_offset(tasks_, steps_) +
                                              sizeof(OutcomeTableHeader));
}

}  // namespace megascale::runtime
