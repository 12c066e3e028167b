// NVML is opened at run time, so that one binary runs on hosts with and without it. The numbers of
// its enumerations follow NVML's API reference.
#include "megascale/diagnose/device_check.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"

namespace megascale::diagnose {
namespace {

// nvmlMemoryErrorType_t, nvmlEccCounterType_t, and nvmlReturn_t of a lost device.
constexpr int kUncorrected = 1, kSinceBoot = 0, kDeviceIsLost = 15;

struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, void**) = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*ecc_errors)(void*, int, int, unsigned long long*) = nullptr;
  int (*remapped_rows)(void*, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
  int (*link_width)(void*, unsigned*) = nullptr;
};

// Returns false if the library is not there or lacks the functions without which nothing is known.
bool open_nvml(const char* library, Nvml& nvml) {
  void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return false;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(opened, name));
  };
  find("nvmlInit_v2", nvml.init);
  find("nvmlShutdown", nvml.shutdown);
  find("nvmlDeviceGetCount_v2", nvml.count);
  find("nvmlDeviceGetHandleByIndex_v2", nvml.handle);
  find("nvmlErrorString", nvml.error_string);
  find("nvmlDeviceGetTotalEccErrors", nvml.ecc_errors);
  find("nvmlDeviceGetRemappedRows", nvml.remapped_rows);
  find("nvmlDeviceGetCurrPcieLinkWidth", nvml.link_width);
  return nvml.init != nullptr && nvml.shutdown != nullptr && nvml.count != nullptr &&
         nvml.handle != nullptr && nvml.error_string != nullptr;
}

void judge_device(const Nvml& nvml, unsigned number, CheckReport& report) {
  void* device = nullptr;
  if (const int code = nvml.handle(number, &device); code != 0) {
    return report.fail(fmt::format("device {}: {}{}", number, nvml.error_string(code),
                                   code == kDeviceIsLost ? "; reset it or replace it" : ""));
  }
  unsigned long long errors = 0;
  if (nvml.ecc_errors != nullptr &&
      nvml.ecc_errors(device, kUncorrected, kSinceBoot, &errors) == 0 && errors > 0) {
    report.fail(
        fmt::format("device {}: {} memory errors were not corrected since the driver was "
                    "loaded: expected none; reset it",
                    number, errors));
  }
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (nvml.remapped_rows != nullptr &&
      nvml.remapped_rows(device, &corrected, &uncorrected, &pending, &failed) == 0) {
    if (failed != 0)
      report.fail(fmt::format(
          "device {}: a row of its memory could not be replaced: replace the device", number));
    if (pending != 0)
      report.fail(
          fmt::format("device {}: rows of its memory wait to be replaced: reset it", number));
  }
  unsigned width = 0;
  if (nvml.link_width != nullptr && nvml.link_width(device, &width) == 0)
    report.rates.push_back({fmt::format("device{}.link_width", number), double(width), "lanes", 1});
}

// Copies a block to the device and back several times. Returns the rate of both ways together.
double copy_rate(std::uint32_t device, CheckReport& report) {
  constexpr std::uint64_t kNbytes = std::uint64_t{64} << 20U;
  constexpr int kTimes = 4;
  cuda::use_device(device);
  const cuda::DeviceMemory there(kNbytes);
  const cuda::PinnedMemory here(kNbytes), back(kNbytes);
  auto* const words = reinterpret_cast<std::uint64_t*>(here.bytes().data());
  const PhiloxStream random(/*seed=*/22, "device");
  for (std::size_t i = 0; i < kNbytes / sizeof(std::uint64_t); ++i)
    words[i] = random.bits(i % 4096) + i;
  std::int64_t best_ns = INT64_MAX;
  for (int i = 0; i < kTimes; ++i) {
    const std::int64_t begin_ns = monotonic_ns();
    cuda::copy_to_device(there.bytes().data(), here.bytes());
    cuda::copy_to_host(back.bytes(), there.bytes().data());
    best_ns = std::min(best_ns, std::max<std::int64_t>(monotonic_ns() - begin_ns, 1));
    if (std::memcmp(here.bytes().data(), back.bytes().data(), kNbytes) != 0) {
      report.fail(fmt::format("device {}: other bytes came back than were copied to it", device));
      break;
    }
  }
  return 2.0 * static_cast<double>(kNbytes) / (static_cast<double>(best_ns) * 1e-9);
}

void check_copies(CheckReport& report) {
  // A thread of its own: the device of the calling thread stays.
  std::optional<Error> error;
  std::thread([&] {
    try {
      for (std::uint32_t device = 0; device < cuda::device_count(); ++device) {
        const double rate = copy_rate(device, report);
        report.rates.push_back({fmt::format("device{}.copy", device), rate * 1e-9, "GB/s"});
      }
    } catch (const Error& thrown) {
      error = thrown;
    }
  }).join();
  if (error) throw Error(*error);
}

}  // namespace

void check_devices(CheckReport& report, const char* library) {
  Nvml nvml;
  if (!open_nvml(library, nvml)) {
    report.outcome = CheckOutcome::skipped;
    report.text = "no driver of NVIDIA's devices here";
    return;
  }
  if (const int code = nvml.init(); code != 0)
    return report.fail(fmt::format("the driver does not answer: {}", nvml.error_string(code)));
  unsigned count = 0;
  (void)nvml.count(&count);
  report.text = fmt::format("{} {}", count, count == 1 ? "device" : "devices");
  report.rates.push_back({"devices", static_cast<double>(count), "devices", 1});
  for (unsigned number = 0; number < count; ++number) judge_device(nvml, number, report);
  (void)nvml.shutdown();
  check_copies(report);
}

}  // namespace megascale::diagnose
