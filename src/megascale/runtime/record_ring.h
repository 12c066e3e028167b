#ifndef MEGASCALE_RUNTIME_RECORD_RING_H_
#define MEGASCALE_RUNTIME_RECORD_RING_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "megascale/base/clock.h"
#include "megascale/base/record_ring_format.h"

namespace megascale::runtime {

// The records of the last steps in a memory-mapped file, which outlives the process that wrote it:
// after a crash or a hang it says what every task of the unfinished step had come to. One writer;
// readers may map it at any time and must expect the newest step to be unfinished.
class RecordRing {
 public:
  // Creates or replaces the file. Throws Error (io).
  RecordRing(const std::filesystem::path& path, std::uint32_t tasks, std::uint32_t steps,
             const std::string& plan_digest);
  RecordRing(const RecordRing&) = delete;
  RecordRing& operator=(const RecordRing&) = delete;
  ~RecordRing();

  // The place for the records of a step, cleared; then the same step finished.
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
