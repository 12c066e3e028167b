#ifndef MEGASCALE_SERVE_TLS_SERVER_H_
#define MEGASCALE_SERVE_TLS_SERVER_H_

#include <httplib.h>

#include <filesystem>
#include <memory>

namespace megascale::serve {

// Returns a server that speaks TLS 1.2 or newer, with the certificate (and those that lead to its
// authority) and the key of two PEM files. Throws Error: bad_usage if the key may be read by others, or
// if the files are no certificate and key that belong together; io if a file cannot be read.
[[nodiscard]] std::unique_ptr<httplib::Server> tls_server(const std::filesystem::path& certificate,
                                                          const std::filesystem::path& key);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_TLS_SERVER_H_
