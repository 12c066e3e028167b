#ifndef MEGASCALE_CUDA_SENSORS_H_
#define MEGASCALE_CUDA_SENSORS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/error.h"

// Clocks, power and temperature of a device, which a time means little without. They come from
// NVIDIA's management library (NVML), a part of the driver that is opened when it is asked for, in
// builds without CUDA too. Nothing here fails a measurement: what is not known is absent.
namespace megascale::cuda {

// At one moment. Power is a mean over the last second on devices of today.
struct SensorReading {
  std::optional<double> sm_mhz, memory_mhz, celsius, watts;
  // What holds the clocks back, as NVML's bits.
  std::optional<std::uint64_t> limits;
};

// Used by one thread at a time.
class Sensors {
 public:
  // Of the device at a place on the PCI bus (DeviceProperties::pci_bus_id). `library` is NVML.
  explicit Sensors(const std::string& pci_bus_id, const char* library = "libnvidia-ml.so.1");
  Sensors(const Sensors&) = delete;
  Sensors& operator=(const Sensors&) = delete;
  ~Sensors();

  // Why nothing can be read; empty: something can.
  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }
  // The highest clock that the device may have.
  [[nodiscard]] std::optional<double> sm_mhz_max() const noexcept;
  [[nodiscard]] SensorReading read() const noexcept;

 private:
  // NVML's functions, null where a version lacks one. It returns 0 where all is well.
  struct Library {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    const char* (*error_string)(int code) = nullptr;
    int (*handle_by_pci_bus_id)(const char* pci_bus_id, void** device) = nullptr;
    int (*clock_info)(void* device, int clock, unsigned* mhz) = nullptr;
    int (*max_clock_info)(void* device, int clock, unsigned* mhz) = nullptr;
    int (*temperature)(void* device, int sensor, unsigned* celsius) = nullptr;
    int (*power_usage)(void* device, unsigned* milliwatts) = nullptr;
    int (*clock_limits)(void* device, unsigned long long* bits) = nullptr;
  };
  std::string open(const std::string& pci_bus_id, const char* library);

  Library library_;
  void* device_ = nullptr;  // NVML's
  bool initialized_ = false;
  std::string why_not_;
};

// The readings of a measurement: medians, smallest and largest of those that are known; all that
// held the clocks back in any of them.
struct SensorSummary {
  struct Range {
    double median = 0, min = 0, max = 0;
  };
  std::string why_not;  // not empty: nothing is known, and why
  std::size_t readings = 0;
  std::optional<double> sm_mhz_max;
  std::optional<Range> sm_mhz, memory_mhz, celsius, watts;
  std::optional<std::vector<std::string>> limits;  // in words
};
[[nodiscard]] SensorSummary summarize(const Sensors& sensors,
                                      std::span<const SensorReading> readings);
// "SM clock 1755 MHz (1740 to 1770) of at most 1980, memory clock 2619 MHz, ...": one line.
[[nodiscard]] std::string describe(const SensorSummary& summary);
[[nodiscard]] std::vector<std::string> limits_in_words(std::uint64_t bits);

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_SENSORS_H_
