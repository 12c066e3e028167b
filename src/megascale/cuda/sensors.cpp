// Reads the sensors through NVML, which dlopen() loads at run time: a binary then also runs on
// machines without NVIDIA's driver. The functions and their constants follow NVML's API reference.
// Values that a device or a version of NVML does not provide are absent.
#include "megascale/cuda/sensors.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace megascale::cuda {
namespace {

// Values of NVML's nvmlClockType_t and nvmlTemperatureSensors_t.
constexpr int kSmClock = 1, kMemoryClock = 2, kOnTheDie = 0;

// Stores the address of a function of the library, or null if the library does not have it.
template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

// Returns the value that an NVML function reports, or nothing if it is missing or fails.
template <class Get, class... Which>
std::optional<double> value_of(Get get, void* device, Which... which) {
  unsigned value = 0;
  if (get == nullptr || get(device, which..., &value) != 0) return std::nullopt;
  return value;
}

std::optional<SensorSummary::Range> range_of(std::span<const SensorReading> readings,
                                             std::optional<double> SensorReading::*member) {
  std::vector<double> known;
  for (const SensorReading& reading : readings) {
    if (const auto& value = reading.*member) known.push_back(*value);
  }
  if (known.empty()) return std::nullopt;
  std::sort(known.begin(), known.end());
  return SensorSummary::Range{known[known.size() / 2], known.front(), known.back()};
}

std::string describe_range(std::string_view name, const std::optional<SensorSummary::Range>& range,
                           std::string_view unit) {
  if (!range) return fmt::format("{} not known", name);
  if (range->min == range->max) return fmt::format("{} {:.0f} {}", name, range->median, unit);
  return fmt::format("{} {:.0f} {} ({:.0f} to {:.0f})", name, range->median, unit, range->min,
                     range->max);
}

}  // namespace

Sensors::Sensors(const std::string& pci_bus_id, const char* library)
    : why_not_(open(pci_bus_id, library)) {}

Sensors::~Sensors() {
  if (initialized_ && library_.shutdown != nullptr) (void)library_.shutdown();
}

std::string Sensors::open(const std::string& pci_bus_id, const char* library) {
  // The library stays open, since other code of this process may use it.
  void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return ::dlerror();  // NOLINT(concurrency-mt-unsafe): it is per thread
  find(opened, "nvmlInit_v2", library_.init);
  find(opened, "nvmlShutdown", library_.shutdown);
  find(opened, "nvmlErrorString", library_.error_string);
  find(opened, "nvmlDeviceGetHandleByPciBusId_v2", library_.handle_by_pci_bus_id);
  find(opened, "nvmlDeviceGetClockInfo", library_.clock_info);
  find(opened, "nvmlDeviceGetMaxClockInfo", library_.max_clock_info);
  find(opened, "nvmlDeviceGetTemperature", library_.temperature);
  find(opened, "nvmlDeviceGetPowerUsage", library_.power_usage);
  find(opened, "nvmlDeviceGetCurrentClocksEventReasons", library_.clock_limits);
  if (library_.clock_limits == nullptr)  // the older name of the function
    find(opened, "nvmlDeviceGetCurrentClocksThrottleReasons", library_.clock_limits);
  if (library_.init == nullptr || library_.error_string == nullptr ||
      library_.handle_by_pci_bus_id == nullptr)
    return fmt::format("{} does not have the functions of NVML", library);
  if (const int code = library_.init(); code != 0)
    return fmt::format("NVML: {}", library_.error_string(code));
  initialized_ = true;
  if (const int code = library_.handle_by_pci_bus_id(pci_bus_id.c_str(), &device_); code != 0)
    return fmt::format("NVML: device {}: {}", pci_bus_id, library_.error_string(code));
  return {};
}

std::optional<double> Sensors::sm_mhz_max() const noexcept {
  if (!why_not_.empty()) return std::nullopt;
  return value_of(library_.max_clock_info, device_, kSmClock);
}

SensorReading Sensors::read() const noexcept {
  if (!why_not_.empty()) return {};
  SensorReading reading{.sm_mhz = value_of(library_.clock_info, device_, kSmClock),
                        .memory_mhz = value_of(library_.clock_info, device_, kMemoryClock),
                        .celsius = value_of(library_.temperature, device_, kOnTheDie),
                        .watts = value_of(library_.power_usage, device_)};
  if (reading.watts) *reading.watts *= 1e-3;
  unsigned long long bits = 0;
  if (library_.clock_limits != nullptr && library_.clock_limits(device_, &bits) == 0)
    reading.limits = bits;
  return reading;
}

SensorSummary summarize(const Sensors& sensors, std::span<const SensorReading> readings) {
  SensorSummary summary{.why_not = sensors.why_not(),
                        .readings = readings.size(),
                        .sm_mhz_max = sensors.sm_mhz_max(),
                        .sm_mhz = range_of(readings, &SensorReading::sm_mhz),
                        .memory_mhz = range_of(readings, &SensorReading::memory_mhz),
                        .celsius = range_of(readings, &SensorReading::celsius),
                        .watts = range_of(readings, &SensorReading::watts)};
  std::optional<std::uint64_t> limits;
  for (const SensorReading& reading : readings) {
    if (reading.limits) limits = limits.value_or(0) | *reading.limits;
  }
  if (limits) summary.limits = limits_in_words(*limits);
  return summary;
}

std::string describe(const SensorSummary& summary) {
  if (!summary.why_not.empty())
    return fmt::format("clocks, power and temperature not known: {}", summary.why_not);
  std::string text = describe_range("SM clock", summary.sm_mhz, "MHz");
  if (summary.sm_mhz_max) text += fmt::format(" of at most {:.0f}", *summary.sm_mhz_max);
  text += ", " + describe_range("memory clock", summary.memory_mhz, "MHz");
  text += ", " + describe_range("power", summary.watts, "W");
  text += ", " + describe_range("temperature", summary.celsius, "C");
  if (!summary.limits) return text + "; limits of the clocks not known";
  if (summary.limits->empty()) return text + "; nothing limits the clocks";
  text += "; clocks limited by: ";
  for (std::size_t i = 0; i < summary.limits->size(); ++i)
    text += (i == 0 ? "" : ", ") + (*summary.limits)[i];
  return text;
}

std::vector<std::string> limits_in_words(std::uint64_t bits) {
  // The bits of nvmlClocksEventReasons in NVML's API reference, from the lowest.
  constexpr std::array<std::string_view, 9> kWords{"idle device",
                                                   "application clocks setting",
                                                   "power cap",
                                                   "hardware slowdown",
                                                   "sync boost group",
                                                   "thermal slowdown (software)",
                                                   "thermal slowdown (hardware)",
                                                   "power brake",
                                                   "display clock setting"};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < 64; ++i) {
    if ((bits >> i & 1U) == 0) continue;
    words.push_back(i < kWords.size() ? std::string(kWords[i])
                                      : fmt::format("NVML reason bit {}", i));
  }
  return words;
}

}  // namespace megascale::cuda
