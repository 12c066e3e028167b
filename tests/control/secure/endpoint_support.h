#ifndef MEGASCALE_TESTS_CONTROL_SECURE_ENDPOINT_SUPPORT_H_
#define MEGASCALE_TESTS_CONTROL_SECURE_ENDPOINT_SUPPORT_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "control/secure/cluster.h"
#include "control/secure/log_lines.h"
#include "control/secure/raw_client.h"
#include "megascale/control/secure/client.h"
#include "megascale/control/secure/endpoint.h"
#include "support/watchdog.h"

namespace megascale::testing {

// A driver's endpoint with one verb for each right; a reply is "NAME REQUEST".
class EndpointFixture : public ::testing::Test {
 protected:
  [[nodiscard]] secure::EndpointOptions options() const {
    return {.listen = {}, .credentials = cluster_.credentials(secure::Role::driver)};
  }
  void start(secure::EndpointOptions options) {
    options.log = log_.log();
    std::vector<secure::Verb> verbs;
    for (const auto& [name, right] :
         {std::pair{"Hello", secure::Right::belong}, std::pair{"Status", secure::Right::observe},
          std::pair{"Heartbeat", secure::Right::report}, std::pair{"Evict", secure::Right::act},
          std::pair{"Configure", secure::Right::administer}}) {
      verbs.push_back({.name = name,
                       .right = right,
                       .handler = [](const secure::Peer& peer,
                                     std::string_view request) -> Result<std::string> {
                         return peer.member.identity.name + " " + std::string(request);
                       }});
    }
    endpoint_ = std::make_unique<secure::Endpoint>(std::move(options), std::move(verbs));
  }
  [[nodiscard]] std::unique_ptr<secure::Client> client(const secure::Credentials& own) const {
    return std::make_unique<secure::Client>(
        secure::ClientOptions{.server = endpoint_->address(), .credentials = own});
  }
  // The reply, or the message of the error.
  static std::string call(secure::Client& client, const std::string& verb,
                          std::string_view request = "x") {
    const auto reply = client.call(verb, request, std::chrono::seconds(20));
    return reply ? *reply : reply.error().message();
  }
  [[nodiscard]] std::string call_as(const secure::Credentials& own, const std::string& verb) const {
    return call(*client(own), verb);
  }
  [[nodiscard]] secure::Credentials executor(const std::string& name = "node7") const {
    return cluster_.make_member(secure::Role::executor, name);
  }

  TestCluster cluster_;
  LogLines log_;
  std::unique_ptr<secure::Endpoint> endpoint_;

 private:
  Watchdog watchdog_{"an endpoint's test", std::chrono::seconds(100)};
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CONTROL_SECURE_ENDPOINT_SUPPORT_H_
