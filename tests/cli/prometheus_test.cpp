// Goal: Prometheus takes the metrics of `megascale serve`, and the shipped rules and board use names that exist.
// Method: the real Prometheus of the distribution scrapes the real server; its tool checks names and rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <regex>
#include <set>
#include <thread>

#include "cli/free_port.h"
#include "cli/workspace.h"
#include "support/shell.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kSource = MEGASCALE_SOURCE_DIR;

bool has_program(const char* name) {
  return run_in_shell(std::string("command -v ") + name + " >/dev/null") == 0;
}

// A server of Prometheus, which is killed at the end of the test.
class PrometheusServer {
 public:
  PrometheusServer(const std::filesystem::path& directory, const std::string& config) {
    port_ = free_port();
    const std::vector<std::string> words{"prometheus", "--config.file=" + config,
                                         "--storage.tsdb.path=" + (directory / "tsdb").string(),
                                         "--web.listen-address=127.0.0.1:" + std::to_string(port_),
                                         "--log.level=error"};
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    EXPECT_EQ(::posix_spawnp(&pid_, "prometheus", nullptr, nullptr, arguments.data(), environ), 0);
  }
  PrometheusServer(const PrometheusServer&) = delete;
  PrometheusServer& operator=(const PrometheusServer&) = delete;
  ~PrometheusServer() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  // The answer to a query; an object without "data" if there is none.
  [[nodiscard]] json query(const std::string& expression) const {
    httplib::Client client("127.0.0.1", port_);
    const auto answer =
        client.Get("/api/v1/query", httplib::Params{{"query", expression}}, httplib::Headers{});
    return answer ? json::parse(answer->body, nullptr, false) : json::object();
  }
  // Waits until the query has a result; the value of its first sample.
  [[nodiscard]] std::string value_of(const std::string& expression) const {
    for (int attempt = 0; attempt < 600; ++attempt) {
      const json found = query(expression);
      if (found.is_object() && found.contains("data") && !found["data"]["result"].empty())
        return found["data"]["result"][0]["value"][1];
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return "no answer";
  }

 private:
  pid_t pid_ = -1;
  int port_ = 0;
};

class PrometheusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_program("promtool") || !has_program("prometheus"))
      GTEST_SKIP() << "needs prometheus: scripts/install-dependencies --tests";
  }
  // Starts the server for the run "run".
  void start_serving() {
    server_ = std::make_unique<Process>(std::vector<std::string>{"serve", (space_ / "run").string(),
                                                                 "--port", "0", "--token-file",
                                                                 (space_ / "token").string()});
    ASSERT_TRUE(server_->wait_until([&] {
      return server_->out().find("Ctrl-C ends it") != std::string::npos;
    })) << server_->err();
    constexpr std::string_view kAddress = "http://127.0.0.1:";
    port_ = std::stoi(server_->out().substr(server_->out().find(kAddress) + kAddress.size()));
  }
  [[nodiscard]] std::string scraped() const {
    httplib::Client client("127.0.0.1", port_);
    std::string token = read(space_ / "token");
    while (!token.empty() && token.back() == '\n') token.pop_back();
    const auto answer = client.Get("/metrics", {{"Authorization", "Bearer " + token}});
    return answer ? answer->body : "no answer";
  }
  Workspace space_;
  std::unique_ptr<Process> server_;
  int port_ = 0;
};

std::set<std::string> names_in(const std::string& text) {
  static const std::regex name("megascale_[a-z_0-9]+");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
    names.insert(at->str());
  return names;
}

TEST_F(PrometheusTest, TheRealOneScrapesARunAndTheNamesFollowItsRules) {
  ASSERT_EQ(space_.train("run", {"parallel.world_size=2", "train.train_iters=10"}).exit_code, 0);
  start_serving();
  const std::string text = scraped();
  const auto file = space_.write("metrics.txt", text);
  EXPECT_EQ(run_in_shell("promtool check metrics < " + file.string()), 0) << text;
  const std::string example = read(kSource + "/deploy/prometheus/prometheus.yml");
  // The shipped example with this server's port and shorter intervals.
  std::string config = std::regex_replace(example, std::regex("8765"), std::to_string(port_));
  config = std::regex_replace(config, std::regex("15s"), "1s");
  std::filesystem::copy_file(kSource + "/deploy/prometheus/megascale.rules.yml",
                             space_ / "megascale.rules.yml");
  const PrometheusServer prometheus(
      space_ / "",
      space_.write("prometheus.yml", std::regex_replace(config, std::regex("token.txt"), "token")));
  EXPECT_EQ(prometheus.value_of("megascale_steps_total{run=\"run\"}"), "10");
  EXPECT_EQ(prometheus.value_of("megascale_planned_steps{run=\"run\"}"), "10");
  EXPECT_EQ(prometheus.value_of("count(megascale_rank_step_seconds)"), "8") << "2 ranks, 4 kinds";
  EXPECT_EQ(prometheus.value_of("up{job=\"megascale\"}"), "1");
  // Every expression of the board is one that Prometheus can answer.
  const json board = json::parse(read(kSource + "/deploy/grafana/megascale.json"));
  for (const json& panel : board.at("panels")) {
    for (const json& target : panel.at("targets")) {
      const std::string expression =
          std::regex_replace(target.at("expr").get<std::string>(), std::regex(R"(\$run)"), ".*");
      EXPECT_EQ(prometheus.query(expression).value("status", ""), "success") << expression;
    }
  }
}

TEST_F(PrometheusTest, RulesFireWhenTheyShould) {
  EXPECT_EQ(run_in_shell("cd " + kSource +
                         "/deploy/prometheus && promtool check rules "
                         "megascale.rules.yml && promtool test rules megascale.tests.yml"),
            0);
}

TEST(PrometheusNamesTest, RulesAndBoardUseDocumentedNames) {
  const auto documented = names_in(read(kSource + "/docs/observability.md"));
  for (const char* file :
       {"/deploy/prometheus/megascale.rules.yml", "/deploy/grafana/megascale.json"}) {
    const auto used = names_in(read(kSource + file));
    EXPECT_GT(used.size(), 8U) << file;
    for (const std::string& name : used)
      EXPECT_TRUE(documented.contains(name)) << file << ": " << name;
  }
}

}  // namespace
}  // namespace megascale::testing
