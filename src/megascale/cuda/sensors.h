#ifndef MEGASCALE_CUDA_SENSORS_H_
#define MEGASCALE_CUDA_SENSORS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/error.h"

// Clocks, power and temperature of a device. A measured time can be judged only together with them,
// since a device lowers its clocks under heat or a power cap. The values come from NVIDIA's
// management library (NVML), a part of the driver. It is loaded at run time, also in builds without
// CUDA. No function here throws for a missing library, device or value, so a measurement never
// fails because of its sensors: a value that is not known is absent.
namespace megascale::cuda {

// The sensors' values at one moment. On current devices the power is a mean over the last second.
struct SensorReading {
  std::optional<double> sm_mhz, memory_mhz, celsius, watts;
  // The reasons that hold the clocks below their maximum, as NVML's bits.
  std::optional<std::uint64_t> limits;
};

// The sensors of one device. One thread at a time may use it.
class Sensors {
 public:
  // `pci_bus_id` selects the device (DeviceProperties::pci_bus_id). `library` is the file name of
  // NVML.
  explicit Sensors(const std::string& pci_bus_id, const char* library = "libnvidia-ml.so.1");
  Sensors(const Sensors&) = delete;
  Sensors& operator=(const Sensors&) = delete;
  ~Sensors();

  // Returns the reason why nothing can be read. Empty if the sensors can be read.
  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }
  // Returns the highest SM clock that the device allows, in MHz.
  [[nodiscard]] std::optional<double> sm_mhz_max() const noexcept;
  // Returns the current values.
  [[nodiscard]] SensorReading read() const noexcept;

 private:
  // NVML's functions; null if this version of NVML lacks one. They return 0 on success.
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
  // Loads NVML and finds the device. Returns why_not().
  std::string open(const std::string& pci_bus_id, const char* library);

  Library library_;
  void* device_ = nullptr;  // NVML's handle of the device
  bool initialized_ = false;
  std::string why_not_;
};

// The readings of a measurement in short: for each value the median, minimum and maximum of the
// readings that have it, and all reasons that limited the clocks in any reading.
struct SensorSummary {
  struct Range {
    double median = 0, min = 0, max = 0;
  };
  std::string why_not;  // not empty: nothing could be read, for this reason
  std::size_t readings = 0;
  std::optional<double> sm_mhz_max;
  std::optional<Range> sm_mhz, memory_mhz, celsius, watts;
  std::optional<std::vector<std::string>> limits;  // as limits_in_words() returns them
};
// Returns the summary of `readings`, which `sensors` has made.
[[nodiscard]] SensorSummary summarize(const Sensors& sensors,
                                      std::span<const SensorReading> readings);
// Returns one line of text: "SM clock 1755 MHz (1740 to 1770) of at most 1980, memory clock 2619
// MHz, ...".
[[nodiscard]] std::string describe(const SensorSummary& summary);
// Returns a name for each reason in SensorReading::limits, such as "power cap".
[[nodiscard]] std::vector<std::string> limits_in_words(std::uint64_t bits);

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_SENSORS_H_
