// The real server in this process, asked by a real client over TCP.
#include "megascale/serve/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "megascale/base/error.h"
#include "support/scratch_directory.h"

namespace megascale::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    std::filesystem::create_directories(scratch_ / "run");
    scratch_.write("run/metrics.jsonl",
                   "{\"step\": 1, \"loss\": 2.5}\n"
                   "{\"step\": 2, \"loss\": 2, \"validation_losses\": {\"wiki\": 3}}\n");
    scratch_.write("secret.txt", "not for you");
    server_ = std::make_unique<Server>(ServerOptions{.run_dirs = {scratch_ / "run"}});
    thread_ = std::thread([this] { server_->run(); });
  }
  ~ServerTest() override {
    server_->stop();
    thread_.join();
  }
  [[nodiscard]] httplib::Client client() const {
    httplib::Client client("127.0.0.1", server_->port());
    client.set_read_timeout(20);
    return client;
  }
  [[nodiscard]] httplib::Headers with_token() const {
    return {{"Authorization", "Bearer " + server_->token()}};
  }
  [[nodiscard]] int status_of(const std::string& path) const {
    return client().Get(path.c_str(), with_token())->status;
  }
  [[nodiscard]] json get(const std::string& path) const {
    const auto answer = client().Get(path.c_str(), with_token());
    EXPECT_TRUE(answer);
    EXPECT_EQ(answer->status, 200) << answer->body;
    return json::parse(answer->body);
  }
  // A connection that has sent `text` and goes on with nothing.
  [[nodiscard]] int stuck_client(const std::string& text) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::send(socket, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return socket;
  }

  testing::ScratchDirectory scratch_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(ServerTest, WithoutTheTokenThereIsNoAnswer) {
  for (const char* path : {"/", "/app.js", "/api/runs", "/api/runs/0/metrics", "/metrics",
                           "/api/runs/0/stream", "/nothing"}) {
    const auto answer = client().Get(path);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 401) << path;
    EXPECT_THAT(answer->body, HasSubstr("expected the token"));
  }
}

TEST_F(ServerTest, TheLinkSetsACookieThatIsNotTheToken) {
  const std::string token = server_->token();
  const auto answer = client().Get(("/?token=" + token).c_str());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->get_header_value("Location"), "/");
  const std::string cookie = answer->get_header_value("Set-Cookie");
  EXPECT_THAT(cookie, HasSubstr("megascale_" + std::to_string(server_->port()) + "="));
  EXPECT_THAT(cookie, HasSubstr("HttpOnly"));
  EXPECT_THAT(cookie, HasSubstr("SameSite=Strict"));
  EXPECT_EQ(cookie.find(token), std::string::npos);
  const auto page = client().Get("/", {{"Cookie", cookie.substr(0, cookie.find(';'))}});
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->body, HasSubstr("<!doctype html>"));
  EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_THAT(server_->link(), HasSubstr("http://127.0.0.1:"));
}

TEST_F(ServerTest, OtherHostsAndSitesAreRefused) {
  auto headers = with_token();
  headers.emplace("Host", "evil.example");
  EXPECT_EQ(client().Get("/api/runs", headers)->status, 421);
  headers = with_token();
  headers.emplace("Origin", "http://evil.example");
  EXPECT_EQ(client().Get("/api/runs", headers)->status, 403);
}

TEST_F(ServerTest, NoPathLeavesTheRuns) {
  for (const char* path : {"/../secret.txt", "/%2e%2e/secret.txt", "/api/runs/0/../../secret.txt",
                           "/run/metrics.jsonl", "/api/runs/0/..%2fsecret.txt", "/api/runs/1",
                           "/metrics.jsonl", "//etc/passwd"}) {
    const auto answer = client().Get(path, with_token());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 404) << path;
    EXPECT_EQ(answer->body.find("not for you"), std::string::npos);
  }
}

TEST_F(ServerTest, NothingIsWritten) {
  const auto facts = [&] {
    std::map<std::string, std::filesystem::file_time_type> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_ / ""))
      files[entry.path().string()] = entry.last_write_time();
    return files;
  };
  const auto before = facts();
  for (const char* path :
       {"/", "/api/runs", "/api/runs/0", "/api/runs/0/metrics", "/api/runs/0/job",
        "/api/runs/0/ranks", "/api/runs/0/plan", "/metrics", "/api/runs/0/timeline?ranks=0"})
    (void)status_of(path);
  EXPECT_EQ(client().Post("/api/runs", with_token(), "x", "text/plain")->status, 405);
  EXPECT_EQ(client().Delete("/api/runs/0", with_token())->status, 405);
  EXPECT_EQ(facts(), before);
}

TEST_F(ServerTest, MetricsAreColumns) {
  const json answer = get("/api/runs/0/metrics");
  EXPECT_EQ(answer.at("columns").at("step"), json({1, 2}));
  EXPECT_EQ(answer.at("columns").at("loss"), json({2.5, 2}));
  EXPECT_EQ(answer.at("columns").at("validation_losses.wiki"), json({nullptr, 3}));
  EXPECT_FALSE(answer.at("columns").contains("lr")) << "no line has it";
  EXPECT_EQ(get("/api/runs/0/metrics?after=1").at("columns").at("step"), json({2}));
  EXPECT_EQ(get("/api/runs/0/metrics?points=1").at("columns").at("loss"), json({2.25}));
  EXPECT_EQ(get("/api/runs").at("runs").at(0).at("name"), "run");
  EXPECT_EQ(status_of("/api/runs/0/metrics?points=0"), 400);
  EXPECT_EQ(status_of("/api/runs/0/metrics?rows=1"), 400);
}

// Compressing takes longer than sending.
TEST_F(ServerTest, NothingIsCompressed) {
  for (const char* path : {"/", "/app.js", "/api/runs", "/metrics", "/nothing"}) {
    auto headers = with_token();
    headers.emplace("Accept-Encoding", "gzip, deflate, br");
    const auto answer = client().Get(path, headers);
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->has_header("Content-Encoding")) << path;
    EXPECT_EQ(answer->get_header_value("Content-Length"), std::to_string(answer->body.size()));
    EXPECT_GT(answer->body.size(), 10U) << path;
    const auto head = client().Head(path, headers);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, answer->status);
    EXPECT_EQ(head->body, "");
  }
}

TEST_F(ServerTest, NoConnectionStaysIdle) {
  auto patient = client();
  patient.set_keep_alive(true);
  const auto answer = patient.Get("/api/runs", with_token());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->get_header_value("Connection"), "close");
}

TEST_F(ServerTest, WhatTheRunLacksIsNamed) {
  const auto answer = client().Get("/api/runs/0/ranks", with_token());
  EXPECT_EQ(answer->status, 404);
  EXPECT_THAT(json::parse(answer->body).at("error").get<std::string>(), HasSubstr("config.toml"));
  EXPECT_THAT(client().Get("/api/runs/0/job", with_token())->body, HasSubstr("--robust"));
}

TEST_F(ServerTest, PrometheusGetsTheNewestStep) {
  const std::string text = client().Get("/metrics", with_token())->body;
  EXPECT_THAT(text, HasSubstr("# TYPE megascale_steps_total counter\n"
                              "megascale_steps_total{run=\"run\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("megascale_loss_nats{run=\"run\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE megascale_validation_loss_nats gauge\n"
                              "megascale_validation_loss_nats{run=\"run\",set=\"wiki\"} 3\n"));
}

TEST_F(ServerTest, AStreamSendsNewStepsAndTellsOfAResume) {
  std::string received;
  std::size_t stage = 0;
  auto streaming = client();
  (void)streaming.Get(
      "/api/runs/0/stream?after=1", with_token(), [&](const char* data, std::size_t n) {
        received.append(data, n);
        if (stage == 0 && received.find("\"step\":[2]") != std::string::npos) {
          stage = 1;
          std::ofstream(scratch_ / "run/metrics.jsonl", std::ios::app) << "{\"step\": 3}\n";
        }
        if (stage == 1 && received.find("\"step\":[3]") != std::string::npos) {
          stage = 2;
          scratch_.write("run/new.jsonl", "{\"step\": 1}\n");
          std::filesystem::rename(scratch_ / "run/new.jsonl", scratch_ / "run/metrics.jsonl");
        }
        if (stage == 2 && received.find("event: reset") != std::string::npos) stage = 3;
        return stage < 3;
      });
  EXPECT_EQ(stage, 3U) << received;
}

TEST_F(ServerTest, StuckClientsStarveNobody) {
  const std::string start =
      "GET /api/runs/0/stream HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_->port()) +
      "\r\n";
  std::vector<int> sockets;
  for (int i = 0; i < 30; ++i) sockets.push_back(stuck_client(start));  // no end of the headers
  // Streams that are never read.
  for (std::size_t i = 0; i < Server::kMostStreams; ++i) {
    sockets.push_back(
        stuck_client(start + "Authorization: Bearer " + server_->token() + "\r\n\r\n"));
  }
  // Once all streams are taken, the next one is refused, and other requests are answered.
  int status = 0;
  for (int i = 0; i < 100 && status != 503; ++i) {
    (void)client().Get(
        "/api/runs/0/stream", with_token(),
        [&](const httplib::Response& answer) {
          status = answer.status;
          return true;
        },
        [](const char*, std::size_t) { return false; });
  }
  EXPECT_EQ(status, 503);
  EXPECT_EQ(status_of("/api/runs"), 200);
  for (const int socket : sockets) ::close(socket);
}

TEST_F(ServerTest, NonsenseIsRefused) {
  for (const std::string text :
       {"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02",
        "GET /api/runs/0/metrics?%zz=%00 HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"}) {
    ::close(stuck_client(text));
  }
  EXPECT_EQ(status_of("/api/runs"), 200);
}

TEST(ServerStartTest, RunsOfEqualNamesAreToldApart) {
  testing::ScratchDirectory scratch;
  for (const char* name : {"a/run", "b/run"}) std::filesystem::create_directories(scratch / name);
  Server server({.run_dirs = {scratch / "a/run", scratch / "b/run"}});
  std::thread thread([&] { server.run(); });
  httplib::Client client("127.0.0.1", server.port());
  const auto answer = client.Get("/metrics", {{"Authorization", "Bearer " + server.token()}});
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->body, HasSubstr("a/run\"} 0"));
  EXPECT_THAT(answer->body, HasSubstr("b/run\"} 0"));
  server.stop();
  thread.join();
}

TEST(ServerStartTest, MissingDirectoriesAndTakenPortsAreNamed) {
  testing::ScratchDirectory scratch;
  EXPECT_THROW(Server({.run_dirs = {scratch / "none"}}), Error);
  const Server first({.run_dirs = {scratch / ""}});
  try {
    const Server second({.run_dirs = {scratch / ""}, .port = first.port()});
    FAIL() << "two servers on one port";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("choose another with --port"));
  }
}

}  // namespace
}  // namespace megascale::serve
