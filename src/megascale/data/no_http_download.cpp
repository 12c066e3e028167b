// Stands in for http_download.cpp in builds without libcurl.
#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/data/http_download.h"

namespace megascale {

bool download(const std::string& address, const std::filesystem::path& /*path*/) {
  throw Error(
      ErrorCode::unsupported,
      fmt::format("{}: this program was built without libcurl: install libcurl4-openssl-dev and "
                  "build again, or copy the files and name the copy",
                  address));
}

}  // namespace megascale
