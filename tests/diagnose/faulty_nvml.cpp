// A stand-in for NVIDIA's management library with two devices. The second one has the fault that
// the environment variable MEGASCALE_FAKE_FAULT names.
#include <cstdlib>
#include <string_view>

namespace {
int first_device = 0, second_device = 1;

bool has_fault(void* device, std::string_view fault) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the test has one thread here
  const char* const set = std::getenv("MEGASCALE_FAKE_FAULT");
  return device == &second_device && set != nullptr && fault == set;
}
}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the library chose the names.
extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int) { return "GPU is lost"; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = index == 0 ? &first_device : &second_device;
  return has_fault(*device, "lost") ? 15 : 0;
}
int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter, unsigned long long* errors) {
  if (type != 1 || counter != 0) return 3;
  *errors = has_fault(device, "ecc") ? 7 : 0;
  return 0;
}
int nvmlDeviceGetRemappedRows(void* device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
  *corrected = *uncorrected = 0;
  *pending = has_fault(device, "pending") ? 1 : 0;
  *failed = has_fault(device, "row") ? 1 : 0;
  return 0;
}
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* width) {
  *width = has_fault(device, "width") ? 4 : 16;
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
