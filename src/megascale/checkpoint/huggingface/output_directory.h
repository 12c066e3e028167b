#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_OUTPUT_DIRECTORY_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_OUTPUT_DIRECTORY_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "megascale/checkpoint/storage.h"

// Directories that an export writes. Internal to this folder.
namespace megascale::checkpoint::huggingface {

// Creates the directory `output`, which must not exist or be empty. `write` fills a partial directory
// beside it, which is then renamed: so the output appears complete or not at all. `nbytes` is about what
// it takes on the disk. Throws Error: bad_input, io, and those of `write`.
void write_directory(const std::filesystem::path& output, std::uint64_t nbytes,
                     const std::function<void(const std::filesystem::path&)>& write);

// Writes a small file and syncs it. Throws Error (io).
void write_file(const std::filesystem::path& path, std::string_view text, const Storage& storage);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_OUTPUT_DIRECTORY_H_
