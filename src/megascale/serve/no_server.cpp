// Stand-ins in builds without cpp-httplib.
#include "megascale/base/error.h"
#include "megascale/serve/server.h"

namespace megascale::serve {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::unsupported,
              "this binary was built without cpp-httplib, so it cannot serve: install "
              "libcpp-httplib-dev and build again");
}

}  // namespace

bool is_loopback(std::string_view) { return true; }
class Server::Connections {};
Server::Server(const ServerOptions&) { refuse(); }
Server::~Server() = default;
std::uint16_t Server::port() const noexcept { return 0; }
void Server::run() { refuse(); }
void Server::stop() noexcept {}
std::string Server::link() const { refuse(); }
const std::string& Server::token() const noexcept {
  static const std::string none;
  return none;
}

}  // namespace megascale::serve
