#ifndef MEGASCALE_RUNTIME_RECORD_RING_H_
#define MEGASCALE_RUNTIME_RECORD_RING_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "megascale/base/task_record.h"

namespace megascale::runtime {

// The records of the last steps in a memory-mapped file, which outlives the process that wrote it: after a crash or a hang
// it says what every task of the unfinished step had come to. One writer; readers may map it at any time and must expect
// the newest step to be unfinished.
class RecordRing {
 public:
  struct Header {
    static constexpr std::uint64_t kMagic = 0x3147'4e49'5253'4d00;  // "\0MSRING1"
    std::uint64_t magic = kMagic;
    std::uint32_t tasks = 0;  // of a step
    std::uint32_t steps = 0;  // that the ring holds
    char plan_digest[32] = {};
  };
  struct StepHeader {
    std::int64_t step = -1;
    std::int64_t begin_ns = 0, end_ns = 0;  // end_ns 0: not finished
  };

  // Creates or replaces the file. Throws Error (io).
  RecordRing(const std::filesystem::path& path, std::uint32_t tasks, std::uint32_t steps, const std::string& plan_digest);
  RecordRing(const RecordRing&) = delete;
  RecordRing& operator=(const RecordRing&) = delete;
  ~RecordRing();

  // The place for the records of a step, cleared; then the same step finished.
  std::span<TaskRecord> begin_step(std::int64_t step) noexcept;
  void end_step(std::int64_t step) noexcept;

  // Bytes of one step: its header and its records.
  static std::size_t step_nbytes(std::uint32_t tasks) noexcept { return sizeof(StepHeader) + tasks * sizeof(TaskRecord); }

 private:
  [[nodiscard]] std::byte* place(std::int64_t step) const noexcept;
  std::byte* bytes_ = nullptr;
  std::size_t nbytes_ = 0;
  std::uint32_t tasks_ = 0, steps_ = 0;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_RECORD_RING_H_
