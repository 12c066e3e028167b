#ifndef MEGASCALE_CONTROL_DRIVER_SERVICE_H_
#define MEGASCALE_CONTROL_DRIVER_SERVICE_H_

#include <filesystem>
#include <functional>
#include <string>

#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"

namespace megascale::control {

// The process of a driver: reads the job record of the run directory, answers the heartbeats that come over `link`, and
// stores every change before it answers. Returns when the other end of the link is closed. Throws
// Error if the record cannot be read or written; a driver that is started again goes on with what is
// stored.
void serve_driver(const RunDirectory& run, const FileHandle& link,
                  const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DRIVER_SERVICE_H_
