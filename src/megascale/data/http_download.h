#ifndef MEGASCALE_DATA_HTTP_DOWNLOAD_H_
#define MEGASCALE_DATA_HTTP_DOWNLOAD_H_

#include <filesystem>
#include <string>

namespace megascale {

// Copies what `address` (http or https) names into the file `path`. Returns false if the server says that there is nothing
// (status 403, 404 or 410: object storages answer 403 for what may not be listed). The bytes first go to PATH.part. If that is
// there already, only the rest is asked for, under the condition that the ETag in PATH.etag is still that of the server;
// else it begins anew. Redirections, proxies (https_proxy, no_proxy) and ~/.netrc are those of libcurl. Throws Error: io if there is no answer, no byte for a minute, another status,
// or fewer bytes than announced.
[[nodiscard]] bool download(const std::string& address, const std::filesystem::path& path);

}  // namespace megascale

#endif  // MEGASCALE_DATA_HTTP_DOWNLOAD_H_
