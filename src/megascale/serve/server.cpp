// The server of runs, plain or with TLS. cpp-httplib gives each connection a thread of a pool for as
// long as it lasts. A stream keeps its connection, so streams are counted and may take only some of
// the threads. Silent clients lose theirs after kPatienceSeconds.
#include "megascale/serve/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/comm/store/secret.h"
#include "megascale/serve/access.h"
#include "megascale/serve/api.h"
#include "megascale/serve/evict_request.h"
#include "megascale/serve/pages.h"
#include "megascale/serve/stream.h"
#include "megascale/serve/tls_server.h"

namespace megascale::serve {
namespace {

std::string own_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

bool is_any_address(std::string_view address) { return address == "0.0.0.0" || address == "::"; }

std::string header(const httplib::Request& request, const char* name) {
  return request.get_header_value(name);
}

// Answers with a body, which is sent as it is. cpp-httplib compresses any other body that a browser takes so, with
// the highest effort of brotli: a second for 350 KB, in which a network would have sent them many times.
void set(httplib::Response& response, int status, const std::string& type, std::string body) {
  response.status = status;
  const auto kept = std::make_shared<const std::string>(std::move(body));
  response.set_content_provider(
      kept->size(), type, [kept](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(kept->data() + offset, length);
      });
}
void set(httplib::Response& response, Answer answer) {
  set(response, answer.status, answer.type, std::move(answer.body));
}

// What every answer says to the browser: this page loads from nowhere else, is framed by nobody, and
// tells nobody its address.
httplib::Headers safe_headers() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

}  // namespace

class Server::Connections {
 public:
  explicit Connections(const ServerOptions& options) {
    for (const auto& directory : options.run_dirs) {
      if (!std::filesystem::is_directory(directory)) {
        throw Error(
            ErrorCode::bad_usage,
            fmt::format("{}: expected the directory of a run, found none", directory.string()));
      }
      runs_.push_back(std::make_unique<RunView>(directory));
    }
    name_apart();
    if (options.tls_certificate.empty() != options.tls_key.empty() ||
        (options.tls_certificate.empty() && !is_loopback(options.address))) {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("other machines can reach {}, so the server needs TLS: expected "
                              "--tls-cert FILE and --tls-key FILE",
                              options.address));
    }
    rules_.tls = !options.tls_certificate.empty();
    server_ = rules_.tls ? tls_server(options.tls_certificate, options.tls_key)
                         : std::make_unique<httplib::Server>();
    evict_ = options.evict;
    rules_.can_evict = static_cast<bool>(evict_);
    if (rules_.can_evict) runs_.front()->allow_evicting();
    name_ = is_any_address(options.address) ? own_name() : options.address;
    if (name_.find(':') != std::string::npos) name_ = "[" + name_ + "]";  // of IPv6
    rules_.names = {name_, own_name()};
    rules_.token =
        options.token.empty() ? std::string(comm::JobSecret::random().text()) : options.token;
    rules_.cookie = comm::JobSecret::random().text();
    configure();
    const int port = options.port == 0 ? server_->bind_to_any_port(options.address.c_str())
                     : server_->bind_to_port(options.address.c_str(), options.port) ? options.port
                                                                                    : -1;
    if (port <= 0) {
      throw Error(
          ErrorCode::io,
          fmt::format(
              "cannot open port {} of {}: another program may use it, or the address is not "
              "of this host; choose another with --port, or 0 for any free one",
              options.port, options.address));
    }
    rules_.port = static_cast<std::uint16_t>(port);
  }

  [[nodiscard]] const AccessRules& rules() const noexcept { return rules_; }
  [[nodiscard]] std::string link() const {
    return fmt::format("http{}://{}:{}/?token={}", rules_.tls ? "s" : "", name_, rules_.port,
                       rules_.token);
  }
  void run() {
    // Records of many ranks take seconds to read. Who opens the link finds them read, or nearly.
    const std::jthread reads([this] {
      for (const auto& run : runs_)
        if (!stops_.requested()) run->begin();
    });
    entered_.store(true);
    // Either this sees the request, or stop() sees that the server was entered.
    const bool served = stops_.requested() || server_->listen_after_bind() || stops_.requested();
    left_.store(true);
    if (!served) throw Error(ErrorCode::io, "the server cannot accept connections any more");
  }
  void stop() noexcept {
    stops_.request();
    // Before the first accept() cpp-httplib takes no notice, so it is told until run() has ended.
    while (entered_.load() && !left_.load()) {
      server_->stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  // Runs of equal names are called by their paths.
  void name_apart() {
    std::map<std::string, std::size_t> count;
    for (const auto& run : runs_) ++count[run->name()];
    for (const auto& run : runs_)
      if (count.at(run->name()) > 1) run->use_path_as_name();
  }

  void configure() {
    server_->new_task_queue = [] { return new httplib::ThreadPool(kMostConnections); };
    server_->set_read_timeout(kPatienceSeconds);
    server_->set_write_timeout(kPatienceSeconds);
    // While a connection is idle, cpp-httplib looks at it 100 times a second, on a core that a rank may need. A new
    // connection costs less, except for one with TLS.
    if (rules_.tls) {
      server_->set_keep_alive_timeout(kPatienceSeconds);
    } else {
      server_->set_keep_alive_max_count(1);
    }
    // A request line or header is at most 8 KiB long in cpp-httplib.
    server_->set_payload_max_length(rules_.can_evict ? kMostEvictBytes : 1);
    server_->set_tcp_nodelay(true);
    // cpp-httplib would let several servers share a port, and answer by chance.
    server_->set_socket_options([](int socket) {
      const int yes = 1;
      (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_->set_default_headers(safe_headers());
    server_->set_expect_100_continue_handler(
        [](const httplib::Request&, httplib::Response&) { return 417; });
    // Every request is answered here, before cpp-httplib looks at handlers, folders or bodies. Only
    // one to evict a host, which may come in, goes on: its body is still to be read.
    server_->set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          return handle(request, response) ? httplib::Server::HandlerResponse::Handled
                                           : httplib::Server::HandlerResponse::Unhandled;
        });
    server_->Post(R"(/api/runs/0/evict)",
                  [this](const httplib::Request& request, httplib::Response& response) {
                    set(response, evict_host(request.body));
                  });
  }

  Answer evict_host(const std::string& body) {
    try {
      const EvictRequest request = parse_evict_request(body);
      evict_(request.host, request.why);
      return {.status = 200,
              .type = "application/json",
              .body = Json{{"host", request.host}, {"evicted", true}}.dump()};
    } catch (const Error& error) {
      // 502: the driver, or the way to it, has failed.
      return error_answer(error.code() == ErrorCode::bad_input ? 400 : 502, error.message());
    }
  }

  // Returns whether the request is answered.
  bool handle(const httplib::Request& request, httplib::Response& response) {
    const std::string host = header(request, "Host"), origin = header(request, "Origin"),
                      site = header(request, "Sec-Fetch-Site"),
                      authorization = header(request, "Authorization"),
                      cookies = header(request, "Cookie"), token = request.get_param_value("token");
    switch (judge(rules_, {.method = request.method,
                           .path = request.path,
                           .host = host,
                           .origin = origin,
                           .fetch_site = site,
                           .authorization = authorization,
                           .cookies = cookies,
                           .token = token})) {
      case Access::allowed:
        if (request.method == "POST") return false;
        show(request, response);
        break;
      case Access::give_cookie:
        response.set_header("Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}",
                                                      rules_.cookie_name(), rules_.cookie,
                                                      rules_.tls ? "; Secure" : ""));
        response.set_redirect("/");
        break;
      case Access::no_token:
        response.set_header("WWW-Authenticate", "Bearer");
        set(response, error_answer(401,
                                   "expected the token: open the link that megascale serve shows, "
                                   "or send \"Authorization: Bearer TOKEN\""));
        break;
      case Access::wrong_host:
        set(response,
            error_answer(421, fmt::format("expected the host {}:{}", name_, rules_.port)));
        break;
      case Access::other_site:
        set(response, error_answer(403, "requests of other sites are refused"));
        break;
      case Access::not_read_only:
        response.set_header("Allow", "GET, HEAD");
        set(response, error_answer(405, "this path can only be read: expected GET or HEAD"));
        break;
    }
    return true;
  }

  void show(const httplib::Request& request, httplib::Response& response) {
    if (const auto page = find_page(request.path)) {
      return set(response, 200, std::string(page->type), std::string(page->body));
    }
    const auto path = parse_run_path(request.path);
    if (path && path->what == "stream" && path->run < runs_.size() && request.method == "GET")
      return start_stream(*runs_[path->run], request, response);
    set(response, answer(runs_, request.path, request.params));
  }

  void start_stream(RunView& run, const httplib::Request& request, httplib::Response& response) {
    std::int64_t after = 0;
    try {
      after = Query(request.params, {"after"})
                  .integer("after", 0, std::numeric_limits<std::int64_t>::max(), 0);
    } catch (const Error& error) {
      return set(response, error_answer(400, error.message()));
    }
    auto place = std::make_shared<StreamPlace>(streams_, kMostStreams);
    if (!place->taken()) {
      response.set_header("Retry-After", "5");
      return set(response,
                 error_answer(503, fmt::format("{} streams are open, as many as are served: close "
                                               "some pages",
                                               kMostStreams)));
    }
    auto stream = std::make_shared<MetricsStream>(run, after, stops_);
    response.status = 200;
    response.set_chunked_content_provider("text/event-stream",
                                          [place, stream](std::size_t, httplib::DataSink& sink) {
                                            const std::string text = stream->next();
                                            if (text.empty()) return false;  // the server stops
                                            sink.write(text.data(), text.size());
                                            return true;
                                          });
  }

  std::vector<std::unique_ptr<RunView>> runs_;
  AccessRules rules_;
  std::string name_;  // in the link
  Evict evict_;
  std::atomic<std::size_t> streams_{0};
  StopFlag stops_;
  std::atomic<bool> entered_{false}, left_{false};  // run()
  std::unique_ptr<httplib::Server> server_;
};

bool is_loopback(std::string_view address) {
  in_addr ignored{};
  const bool is_v4 = ::inet_pton(AF_INET, std::string(address).c_str(), &ignored) == 1;
  return (is_v4 && address.starts_with("127.")) || address == "localhost" || address == "::1";
}

Server::Server(const ServerOptions& options)
    : connections_(std::make_unique<Connections>(options)) {}
Server::~Server() { stop(); }
std::uint16_t Server::port() const noexcept { return connections_->rules().port; }
void Server::run() { connections_->run(); }
void Server::stop() noexcept { connections_->stop(); }
std::string Server::link() const { return connections_->link(); }
const std::string& Server::token() const noexcept { return connections_->rules().token; }

}  // namespace megascale::serve
