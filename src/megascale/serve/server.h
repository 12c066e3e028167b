#ifndef MEGASCALE_SERVE_SERVER_H_
#define MEGASCALE_SERVE_SERVER_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace megascale::serve {

// Takes a host out of a job for good. Throws Error if the driver does not do it.
using Evict = std::function<void(const std::string& host, const std::string& why)>;

struct ServerOptions {
  std::vector<std::filesystem::path> run_dirs;
  std::uint16_t port = 0;  // 0: any free one
  std::string token;       // "": a random one
  // An address or a name of this host. Other machines can reach any but a loopback address, so the
  // server then needs TLS.
  std::string address = "127.0.0.1";
  std::filesystem::path tls_certificate, tls_key;  // PEM files; both or none
  Evict
      evict;  // empty: the server only reads. Else there is one run, and pages may evict its hosts
};
// Returns whether only programs of this machine can connect to the address.
[[nodiscard]] bool is_loopback(std::string_view address);

// An HTTP server for the records of runs: the dashboard, a JSON API, a stream of new metrics and
// /metrics. It only reads, unless ServerOptions::evict is given, and answers only who has the token
// (access.h). Requests and streams are bounded in number, so that clients that are stuck take
// nothing from others.
class Server {
 public:
  // Connections that are served at the same time; streams among them.
  static constexpr std::size_t kMostConnections = 64, kMostStreams = 16;
  // A client that neither reads nor writes for so long is left.
  static constexpr int kPatienceSeconds = 5;

  // Opens the port. Throws Error: bad_usage if a run directory does not exist, or if TLS is missing
  // or its files do not fit; io if the port cannot be opened; unsupported in a build without cpp-httplib.
  explicit Server(const ServerOptions& options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();  // stops
  [[nodiscard]] std::uint16_t port() const noexcept;
  // Serves until stop() is called, on this thread and others that it starts.
  void run();
  // Ends run(), and the streams, and waits for that. Any thread may call it but those of requests.
  void stop() noexcept;
  // The address with the token, and the token.
  [[nodiscard]] std::string link() const;
  [[nodiscard]] const std::string& token() const noexcept;

 private:
  class Connections;
  std::unique_ptr<Connections> connections_;
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_SERVER_H_
