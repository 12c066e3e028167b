#ifndef MEGASCALE_RUNTIME_RECORD_RING_H_
#define MEGASCALE_RUNTIME_RECORD_RING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "megascale/base/clock.h"
#include "megascale/base/outcome_table_format.h"
#include "megascale/base/record_ring_format.h"

namespace megascale::runtime {

// A memory-mapped file with the task records of the last steps. The file outlives the process:
// after a crash or a hang it shows which tasks of the unfinished step were done.
//
// Threads: one rank writes it; the thread of each lane writes the records of its tasks. Any thread
// or process may read it at the same time (base/record_ring_format.h) and must expect the newest
// step to be unfinished.
class RecordRing {
 public:
  struct Options {
    std::uint32_t tasks = 0;  // per step
    std::uint32_t steps = 1;  // steps that the ring holds
    std::string plan_digest;
    std::uint32_t rank = 0;
    std::uint32_t outcomes = 0;                          // steps whose outcomes the ring holds
    std::array<std::uint64_t, kReplicaGroups> groups{};  // see OutcomeTableHeader
  };
  // Creates or replaces the file. Its header also names this host and process. Throws Error (io).
  RecordRing(const std::filesystem::path& path, const Options& options);
  RecordRing(const RecordRing&) = delete;
  RecordRing& operator=(const RecordRing&) = delete;
  ~RecordRing();

  // Stores the nanoseconds to add to this rank's times to get times of rank 0's clock. Any thread
  // may call it.
  void set_clock_offset(std::int64_t offset_ns) noexcept;
  // Returns the whole content, for readers in this process.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {bytes_, nbytes_}; }
  // begin_step() clears the place of a step, which held an earlier step, and returns its records.
  // Write them with publish(). end_step() marks the step as finished. `step` is at least 0,
  // `now_ns` a time of monotonic_ns().
  std::span<TaskRecord> begin_step(std::int64_t step,
                                   std::int64_t now_ns = monotonic_ns()) noexcept;
  void end_step(std::int64_t step, std::int64_t now_ns = monotonic_ns()) noexcept;
  // Stores the outcome of a step that has ended. Does nothing if Options::outcomes is 0.
  void put_outcome(const StepOutcome& outcome) noexcept;
  // Stores the outcomes that another ring with the same Options::outcomes holds.
  void take_outcomes(const RecordRing& other) noexcept;

 private:
  [[nodiscard]] std::byte* place(std::int64_t step) const noexcept;
  [[nodiscard]] OutcomeTableEntry* outcome_entries() const noexcept;
  std::byte* bytes_ = nullptr;
  std::size_t nbytes_ = 0;
  std::uint32_t tasks_ = 0, steps_ = 0, outcomes_ = 0;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_RECORD_RING_H_
