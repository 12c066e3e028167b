#ifndef MEGASCALE_DATA_REMOTE_SET_H_
#define MEGASCALE_DATA_REMOTE_SET_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Data sets on a web server or an object storage that speaks HTTP. The prefix https://HOST/FOLDER/NAME stands for the
// files https://HOST/FOLDER/NAME.bin and .idx, and for .info.json and .loss_mask if the server has them. A query behind
// the prefix (?...) belongs to every one of the addresses.
//
// Each host copies the files once, into a folder of its cache, and then reads the copy as any other set. The folder
// gets its name when all files are in it, so a set in the cache is complete. A file that was copied in part is
// continued if the server's file is still the same (its ETag). One process of a host copies; the others wait for it.
// A complete copy is used without asking the server, so a run repeats its data and resumes without a network.
namespace megascale {

[[nodiscard]] bool is_remote(std::string_view prefix) noexcept;

// Returns the folder of the copies: MEGASCALE_CACHE_DIR, else XDG_CACHE_HOME/megascale, else HOME/.cache/megascale.
// Throws Error (bad_usage) if none of these variables is set.
[[nodiscard]] std::string cache_directory();

// Returns those of `prefixes` that are remote and have no complete copy yet. Throws Error as cache_directory().
[[nodiscard]] std::vector<std::string> missing_copies(std::span<const std::string> prefixes);

// Returns the prefix of the copy of a remote set, which is made first if it is missing; `prefix` itself if it is not
// remote. Threads may call it at the same time. Throws Error: bad_input if the server lacks .bin or .idx, io if it
// cannot be reached or the files cannot be written, unsupported in a build without libcurl.
[[nodiscard]] std::string local_prefix(const std::string& prefix);

}  // namespace megascale

#endif  // MEGASCALE_DATA_REMOTE_SET_H_
