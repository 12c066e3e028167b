// The port and the clock of a driver; job_desk.h answers.
#include "megascale/control/remote/driver_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/run_directory.h"
#include "megascale/control/port_watch.h"
#include "megascale/control/remote/driver_fence.h"
#include "megascale/control/remote/job_desk.h"
#include "megascale/control/secure/authority.h"
#include "megascale/control/secure/endpoint.h"
#include "megascale/control/secure/renewal.h"
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

constexpr std::chrono::milliseconds kBetweenTicks{100};
constexpr std::chrono::minutes kBetweenLooks{10};  // for own certificates that are due

// That of a refusal: a supervisor must not start this driver again.
constexpr std::int32_t kReplaced = 2;

}  // namespace

class DriverServer::Service {
 public:
  explicit Service(DriverServerOptions options)
      : options_(std::move(options)),
        run_(std::filesystem::absolute(options_.run_dir)),
        fence_(run_, options_.takes_over),
        desk_(run_,
              {.term = fence_.term(),
               .takes_over = options_.takes_over,
               .session_key = options_.session_key},
              options_.on_message),
        ports_(run_.path(), kPortsOfDriver, launch::own_host_name()) {
    secure::EndpointOptions endpoint{.listen = options_.listen, .credentials = {}};
    endpoint.insecure = options_.insecure;
    endpoint.log = options_.on_message;
    std::vector<secure::Verb> verbs = desk_.verbs();
    if (options_.credentials) {
      endpoint.credentials = secure::load_credentials(*options_.credentials, secure::Role::driver);
      // A driver that has been moved to another host may lack the authority.
      if (std::filesystem::exists(*options_.credentials / secure::kAuthorityKeyFile)) {
        authority_.emplace(secure::Authority::open(*options_.credentials));
        verbs.push_back(secure::renew_verb(*authority_));
      }
    }
    endpoint_.emplace(std::move(endpoint), std::move(verbs));
  }

  [[nodiscard]] secure::HostPort address() const { return endpoint_->address(); }

  DriverEnd run(const std::atomic<bool>& stop) try {
    while (!stop.load()) {
      fence_.require();
      renew_own();
      ports_.look({{.process = ::getpid(), .purpose = "control"}}, monotonic_ns());
      desk_.tick();
      if (const auto why = desk_.replaced()) return give_way(*why);
      if (const auto end = desk_.end()) return {.exit_code = end->exit_code, .error = end->text};
      std::this_thread::sleep_for(kBetweenTicks);
    }
    return {.exit_code = 1,
            .error =
                "the driver was told to end; the ranks go on, and the same command goes on "
                "with the job",
            .has_ended = false};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::failed) throw;
    return give_way(error.message());  // of the fence, or of the record
  }

 private:
  static DriverEnd give_way(const std::string& why) {
    return {.exit_code = kReplaced,
            .error = "this driver ends, since another one has taken the job over: " + why,
            .has_ended = false};
  }
  void renew_own() {
    const auto now = std::chrono::steady_clock::now();
    if (!authority_ || now < look_not_before_) return;
    look_not_before_ = now + kBetweenLooks;
    for (const auto& member : authority_->renew_own(/*all=*/false)) {
      options_.on_message(fmt::format("renewed the certificate of {}, valid to {}",
                                      to_string(member.identity),
                                      secure::to_utc(member.validity.to)));
    }
  }

  DriverServerOptions options_;
  RunDirectory run_;
  DriverFence fence_;
  JobDesk desk_;
  PortWatch ports_;
  std::optional<secure::Authority> authority_;
  std::optional<secure::Endpoint> endpoint_;  // ends before what its verbs use
  std::chrono::steady_clock::time_point look_not_before_{};
};

DriverServer::DriverServer(DriverServerOptions options)
    : service_(std::make_unique<Service>(std::move(options))) {}

DriverServer::~DriverServer() = default;

secure::HostPort DriverServer::address() const { return service_->address(); }

DriverEnd DriverServer::run(const std::atomic<bool>& stop) { return service_->run(stop); }

}  // namespace megascale::control
