#ifndef MEGASCALE_CONTROL_STALL_READER_H_
#define MEGASCALE_CONTROL_STALL_READER_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace megascale::control {

// Adds up the time that the steps of an attempt waited for checkpoints, from the lines that rank 0
// appends to the metrics of its run (`checkpoint_stall_seconds`). One thread may use it.
class StallReader {
 public:
  explicit StallReader(std::filesystem::path metrics) : metrics_(std::move(metrics)) {}
  // An attempt has loaded its state: the lines that the file has now are of earlier ones.
  void begin();
  // Returns the seconds of the attempt so far. A file that cannot be read adds nothing.
  double read();

 private:
  void take(const std::string& line);
  std::filesystem::path metrics_;
  std::uint64_t offset_ = 0;  // of the first byte that was not taken
  std::string rest_;          // the begin of a line whose end is not written yet
  double seconds_ = 0;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_STALL_READER_H_
