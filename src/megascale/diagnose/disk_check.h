#ifndef MEGASCALE_DIAGNOSE_DISK_CHECK_H_
#define MEGASCALE_DIAGNOSE_DISK_CHECK_H_

#include <cstdint>
#include <filesystem>

#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

// Checks that the disk of `directory` has `least_free_nbytes` free, and that a file can be written,
// brought to the disk, read back with the same content, and removed. If the directory does not
// exist, its nearest parent is checked. Throws Error (io).
void check_disk(const std::filesystem::path& directory, std::uint64_t least_free_nbytes,
                CheckReport& report);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_DISK_CHECK_H_
