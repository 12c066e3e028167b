#ifndef MEGASCALE_TRAIN_EVENT_FILE_H_
#define MEGASCALE_TRAIN_EVENT_FILE_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/train/metrics.h"

// Event files, which TensorBoard reads. A file is a sequence of records; a record is its length, the
// masked CRC-32C of the length, the bytes, and their masked CRC-32C. The bytes are a protobuf message
// Event (tensorboard/compat/proto/event.proto), of which a few fields are written here by hand.
namespace megascale::train {

// One number of a step. `step` is the place on the horizontal axis.
struct Scalar {
  std::string tag;
  std::int64_t step = 0;
  double value = 0;
};
// Sizes of a job, from which its scalars are computed.
struct ScalarUnits {
  std::int64_t batch_size = 0;  // samples of a step
  double rank_flops = 0;        // of a step, counted as Megatron-LM does, on one rank
};
// Returns the scalars of a step, named as those of Megatron-LM: "lm loss", "learning-rate",
// "batch-size", "grad-norm", "iteration-time" (seconds), "throughput" (TFLOP/s of a rank), "lm loss
// validation" and its "ppl", most of them also "vs samples". And some that it lacks: "tokens-per-second", "mfu",
// "memory-bytes", waits of rank 0. A number that is not finite is written as it is.
[[nodiscard]] std::vector<Scalar> scalars_of(const StepMetrics& metrics, const ScalarUnits& units);

// Writes one event file in a directory. One thread may use it. Throws Error (io).
class EventFile {
 public:
  // Creates the directory and a new file whose name begins with "events.out.tfevents.". The file
  // begins with the version and the start of a session after `steps_done` steps: TensorBoard then hides the numbers of
  // later steps that other files of the directory hold, since the run does these steps again.
  EventFile(const std::filesystem::path& directory, std::int64_t steps_done);
  // Appends the scalars with the present time, in one write.
  void write(std::span<const Scalar> scalars);
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  FileHandle file_;
};

// Returns a record with these bytes.
[[nodiscard]] std::string event_record(std::string_view bytes);
// Returns the CRC-32C of the bytes.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes) noexcept;

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_EVENT_FILE_H_
