#ifndef MEGASCALE_RUNTIME_RECORD_RING_H_
#define MEGASCALE_RUNTIME_RECORD_RING_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "megascale/base/clock.h"
#include "megascale/base/record_ring_format.h"

namespace megascale::runtime {

// The records of the last steps in a memory-mapped file, which outlives the process that wrote it:
// after a crash or a hang it says what every task of the unfinished step had come to. One rank
// writes it, each lane's thread the records of its tasks; any thread or process may read it
// meanwhile (base/record_ring_format.h) and must expect the newest step to be unfinished.
class RecordRing {
 public:
  struct Options {
    std::uint32_t tasks = 0;  // of a step
    std::uint32_t steps = 1;  // that it holds
    std::string plan_digest;
    std::uint32_t rank = 0;
  };
  // Creates or replaces the file. The header also names this host and process. Throws Error (io).
  RecordRing(const std::filesystem::path& path, const Options& options);
  RecordRing(const RecordRing&) = delete;
  RecordRing& operator=(const RecordRing&) = delete;
  ~RecordRing();

  // What is added to this rank's times to get those of rank 0's clock. Any thread.
  void set_clock_offset(std::int64_t offset_ns) noexcept;
  // All of it, for readers in this process.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {bytes_, nbytes_}; }
  // The place for the records of a step, cleared; then the same step finished. Records are put in
  // with publish().
  std::span<TaskRecord> begin_step(std::int64_t step,
                                   std::int64_t now_ns = monotonic_ns()) noexcept;
  void end_step(std::int64_t step, std::int64_t now_ns = monotonic_ns()) noexcept;

 private:
  [[nodiscard]] std::byte* place(std::int64_t step) const noexcept;
  std::byte* bytes_ = nullptr;
  std::size_t nbytes_ = 0;
  std::uint32_t tasks_ = 0, steps_ = 0;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_RECORD_RING_H_
