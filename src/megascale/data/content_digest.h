#ifndef MEGASCALE_DATA_CONTENT_DIGEST_H_
#define MEGASCALE_DATA_CONTENT_DIGEST_H_

#include <span>
#include <string>

namespace megascale {

// Returns a digest of the content of indexed datasets, in this order, as 32 hexadecimal digits. The
// paths do not count, so a corpus may be moved or copied. Files up to 64 MiB are read completely.
// Of a larger file the size and 256 blocks of 4 KiB count, spread evenly from its first to its last
// byte: a start must not read terabytes. `prefixes` are paths without .bin and .idx. Throws Error
// (io) naming the file.
[[nodiscard]] std::string content_digest(std::span<const std::string> prefixes);

}  // namespace megascale

#endif  // MEGASCALE_DATA_CONTENT_DIGEST_H_
