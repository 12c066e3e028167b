#ifndef MEGASCALE_DIAGNOSE_DEVICE_CHECK_H_
#define MEGASCALE_DIAGNOSE_DEVICE_CHECK_H_

#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

// Checks NVIDIA's devices of this host: asks NVML, by the file name `library`, for memory errors
// that were not corrected, for rows that wait to be replaced, and for the width of the link. With
// CUDA also copies data to every device and back, compares it, and measures the rate. Skipped on a
// host without NVIDIA's driver. Throws Error.
void check_devices(CheckReport& report, const char* library = "libnvidia-ml.so.1");

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_DEVICE_CHECK_H_
