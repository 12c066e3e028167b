#ifndef MEGASCALE_TESTS_CONTROL_FAKE_HOSTS_H_
#define MEGASCALE_TESTS_CONTROL_FAKE_HOSTS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/sights.h"
#include "megascale/control/driver.h"
#include "megascale/control/invariants.h"
#include "megascale/control/message_text.h"

// A driver and hosts that exist only here: they send heartbeats and carry out orders.
namespace megascale::testing {

using namespace megascale::control;

// An executor without processes.
struct FakeHost {
  std::string name;
  std::int64_t incarnation = 1, sequence = 0;
  OrderGate gate;
  std::vector<RankReport> ranks;
  std::vector<Finding> findings;
  Rendezvous rendezvous;
  std::vector<std::string> carried_out;
  std::optional<Order> start, released;
  // What the self-checks of this host find, and the result that was told.
  CheckResult fitness{.passed = true, .text = {}, .kind = "AVX3", .digest = "11"}, check;
  Reply reply;

  [[nodiscard]] Heartbeat heartbeat() {
    Heartbeat heartbeat = heartbeat_of(++sequence, gate.epoch(), ranks);
    heartbeat.host = name;
    heartbeat.incarnation = incarnation;
    heartbeat.acknowledged = gate.acknowledged();
    heartbeat.address = "10.0.0." + name;
    heartbeat.rendezvous = rendezvous;
    heartbeat.findings = findings;
    heartbeat.check = check;
    return heartbeat;
  }
  void carry_out(const Order& order) {
    if (!gate.admits(order)) return gate.done(order);
    gate.done(order);
    carried_out.push_back(std::string(to_string(order.kind)) + " " + std::to_string(order.epoch));
    if (order.kind == OrderKind::release) released = order;
    if (order.kind == OrderKind::check) {
      check = fitness;
      check.order = order.number;
    }
    if (order.kind == OrderKind::start) {
      start = order;
      ranks.clear();
      findings.clear();
      for (std::uint32_t i = 0; i < order.ranks; ++i) {
        ranks.push_back(running_rank(order.first_rank + i));
        ranks.back().resumed_step = ranks.back().steps_done = -1;
      }
      rendezvous = {};
      if (order.rendezvous.store.empty())
        rendezvous = {.store = order.listen + ":7", .secret = "secret of " + name};
    }
    if (order.kind == OrderKind::stop) end_ranks(15);
  }
  void end_ranks(int signal, int exit_code = 0) {
    for (RankReport& rank : ranks) {
      if (rank.state != RankState::ended) rank = ended_rank(rank.rank, exit_code, signal, 1);
    }
  }
  void train(std::int64_t resumed, std::int64_t done) {
    for (RankReport& rank : ranks) {
      rank.resumed_step = resumed;
      rank.steps_done = done;
    }
  }
  // Another executor of the same host, without ranks.
  void restart() { *this = FakeHost{.name = name, .incarnation = incarnation + 1}; }
};

// A job of four ranks on two hosts.
class HostsTest : public ::testing::Test {
 protected:
  HostsTest() {
    settings.world_size = 4;
    settings.hosts = 2;
    settings.wait_seconds = 100;
    start_driver(1);
  }
  void start_driver(std::int64_t session) {
    std::optional<DriverState> before;
    if (driver) before = parse_driver_state(to_text(driver->state()));
    driver.emplace("j", session, settings, before);
    take(driver->begin(now));
  }
  Reply take(Driver::Step step) {
    for (LogEntry& entry : step.change.entries) {
      entry.number = static_cast<std::int64_t>(log.size()) + 1;
      log.push_back(std::move(entry));
    }
    for (const Incident& incident : step.change.incidents) incidents[incident.number] = incident;
    for (std::string& message : step.messages) messages.push_back(std::move(message));
    return std::move(step.reply);
  }
  void beat(FakeHost& host) {
    host.reply = take(driver->heartbeat(host.heartbeat(), now));
    for (const Order& order : host.reply.orders) host.carry_out(order);
  }
  // Each host sends some heartbeats, so that orders reach all of them.
  void settle(const std::vector<FakeHost*>& hosts) {
    for (int i = 0; i < 4; ++i) {
      for (FakeHost* host : hosts) beat(*host);
    }
  }
  void pass(double seconds, const std::vector<FakeHost*>& hosts) {
    for (double passed = 0; passed < seconds; passed += 1) {
      now += kSecond;
      take(driver->tick(now));
      for (FakeHost* host : hosts) beat(*host);
    }
  }
  // a and b train from step 0 to step 37, with a checkpoint of step 30.
  void reach_step_37() {
    settle({&a, &b});
    for (FakeHost* host : {&a, &b}) host->train(0, 0);
    settle({&a, &b});
    for (FakeHost* host : {&a, &b}) host->train(0, 37);
    settle({&a, &b});
    ASSERT_EQ(driver->state().phase, Phase::training);
  }
  void resume(const std::vector<FakeHost*>& hosts) {
    for (FakeHost* host : hosts) host->train(0, 0);
    settle(hosts);
    ASSERT_EQ(driver->state().phase, Phase::training);
  }
  void expect_sound() {
    std::vector<Incident> all;
    for (const auto& [number, incident] : incidents) all.push_back(incident);
    for (const Violation& violation : check_invariants(log, all, std::nullopt))
      ADD_FAILURE() << violation.invariant << ": " << violation.what;
  }
  [[nodiscard]] std::vector<std::string> members() const {
    std::vector<std::string> names;
    for (const Member& member : driver->state().members) names.push_back(member.host);
    return names;
  }

  DriverSettings settings;
  std::optional<Driver> driver;
  std::int64_t now = kSecond;
  FakeHost a{.name = "a"}, b{.name = "b"}, c{.name = "c"};
  std::vector<LogEntry> log;
  std::map<std::int64_t, Incident> incidents;
  std::vector<std::string> messages;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CONTROL_FAKE_HOSTS_H_
