// A stand-in for NVIDIA's management library, with the functions that cuda/sensors.h asks for. One
// device knows everything, one has no sensor of power and does not say what limits its clocks.
#include <string_view>

namespace {
constexpr int kNotSupported = 3, kNotFound = 6;  // nvmlReturn_t
int whole = 0, poor = 0;
int users = 0;  // who asks without nvmlInit_v2 is refused
int readings = 0;
}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the library chose the names.
extern "C" {

int nvmlInit_v2() {
  ++users;
  return 0;
}
int nvmlShutdown() {
  --users;
  return 0;
}
const char* nvmlErrorString(int code) { return code == kNotFound ? "Not Found" : "Not Supported"; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* pci_bus_id, void** device) {
  const std::string_view id = pci_bus_id;
  if (users == 0 || (id != "0000:0A:00.0" && id != "0000:0B:00.0")) return kNotFound;
  *device = id == "0000:0A:00.0" ? &whole : &poor;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* mhz) {
  if (clock != 1 && clock != 2) return kNotSupported;
  *mhz = clock == 1 ? 1700U + 10U * static_cast<unsigned>(readings++ % 3) : 2619U;
  return 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = 1980;
  return clock == 1 ? 0 : kNotSupported;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  *celsius = 61;
  return sensor == 0 ? 0 : kNotSupported;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  *milliwatts = 655500;
  return device == &whole ? 0 : kNotSupported;
}
int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* bits) {
  *bits = 0x4;
  return device == &whole ? 0 : kNotSupported;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
