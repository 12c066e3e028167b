// Reads the files with pread() and not through the mapping of a data set, so that a failing disk is
// an error and not a signal.
#include "megascale/data/content_digest.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "megascale/base/digest.h"
#include "megascale/checkpoint/storage.h"
#include "megascale/data/indexed_dataset.h"
#include "megascale/data/remote_set.h"

namespace megascale {
namespace {

constexpr std::uint64_t kReadWhole = std::uint64_t{64} << 20;  // bytes; 50 ms from the page cache
constexpr std::uint64_t kSampledBlocks = 256, kSampledNbytes = 4096;
constexpr std::uint64_t kReadNbytes = std::uint64_t{1} << 20;

void add_file(DigestStream& digest, const std::filesystem::path& path) {
  const checkpoint::ReadFile file(path);
  const std::uint64_t size = file.nbytes();
  digest.update(std::as_bytes(std::span(&size, 1)));
  std::vector<std::byte> block(kReadNbytes);
  const auto add = [&](std::uint64_t offset, std::uint64_t nbytes) {
    const auto part = std::span(block).first(nbytes);
    file.read(offset, part);
    digest.update(part);
  };
  if (size <= kReadWhole) {
    for (std::uint64_t at = 0; at < size; at += kReadNbytes)
      add(at, std::min(kReadNbytes, size - at));
    return;
  }
  const std::uint64_t last = size - kSampledNbytes;
  for (std::uint64_t i = 0; i < kSampledBlocks; ++i) {
    // last * i would overflow for files above 2^56 bytes.
    add(last / (kSampledBlocks - 1) * i + last % (kSampledBlocks - 1) * i / (kSampledBlocks - 1),
        kSampledNbytes);
  }
}

}  // namespace

std::string content_digest(std::span<const std::string> prefixes) {
  DigestStream digest;
  for (const std::string& named : prefixes) {
    const std::string prefix = local_prefix(named);
    add_file(digest, idx_path(prefix));
    add_file(digest, bin_path(prefix));
    std::error_code ignored;
    const auto loss_mask = loss_mask_path(prefix);
    if (std::filesystem::exists(loss_mask, ignored)) add_file(digest, loss_mask);
  }
  return digest.finish();
}

}  // namespace megascale
