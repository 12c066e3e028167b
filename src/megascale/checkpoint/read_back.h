#ifndef MEGASCALE_CHECKPOINT_READ_BACK_H_
#define MEGASCALE_CHECKPOINT_READ_BACK_H_

#include <filesystem>
#include <span>

#include "megascale/checkpoint/manifest.h"
#include "megascale/checkpoint/write_pace.h"

namespace megascale::checkpoint {

// Reads the pieces of shards in `directory` and compares their digests. The bytes come from the disk
// where the file system can read past its cache (O_DIRECT). `pace` may be null. Throws Error: io,
// corrupt_data, or the pace's.
void read_back(const std::filesystem::path& directory, std::span<const ShardFile> shards,
               WritePace* pace);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_READ_BACK_H_
