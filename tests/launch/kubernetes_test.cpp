// Manifests, and what is sent to the API: a server in this process records the requests.
#include "megascale/launch/scheduler/kubernetes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/launch/scheduler/kubernetes_api.h"
#include "support/scratch_directory.h"

namespace megascale::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

KubernetesJob some_job() {
  KubernetesJob job{.job = {.name = "gpt2",
                            .program = "/opt/megascale",
                            .directory = "/shared",
                            .run_dir = "/shared/run",
                            .config = "/shared/gpt2.toml",
                            .credentials = "/shared/cluster",
                            .overrides = {"optimizer.lr=0.5"},
                            .ranks = 16,
                            .hosts = 2,
                            .spares = 1}};
  job.name_space = "training";
  job.image = "registry/megascale:1";
  job.volume_claim = "shared";
  job.resources = {{"cpu", "8"}, {"memory", "32Gi"}};
  return job;
}

TEST(KubernetesTest, ObjectsComeInTheOrderInWhichTheyAreNeeded) {
  std::vector<std::string> kinds, places;
  for (const Json& object : kubernetes_manifests(some_job())) {
    kinds.push_back(object.at("kind").get<std::string>());
    places.push_back(collection_of(object));
  }
  EXPECT_THAT(kinds, ElementsAre("Service", "ServiceAccount", "Role", "RoleBinding", "Job", "Job"));
  EXPECT_EQ(places.front(), "/api/v1/namespaces/training/services");
  EXPECT_EQ(places[2], "/apis/rbac.authorization.k8s.io/v1/namespaces/training/roles");
  EXPECT_EQ(places.back(), "/apis/batch/v1/namespaces/training/jobs");
}

TEST(KubernetesTest, ExecutorsAreAnIndexedJobThatSomeCodesEnd) {
  const Json job = kubernetes_manifests(some_job()).back();
  const Json& spec = job.at("spec");
  EXPECT_EQ(spec.at("completionMode"), "Indexed");
  EXPECT_EQ(spec.at("completions"), 3);
  EXPECT_EQ(spec.at("parallelism"), 3);
  EXPECT_GT(spec.at("backoffLimitPerIndex"), 0);
  const Json& rules = spec.at("podFailurePolicy").at("rules");
  EXPECT_EQ(rules[0].at("action"), "Ignore");
  EXPECT_EQ(rules[0].at("onPodConditions")[0].at("type"), "DisruptionTarget");
  EXPECT_EQ(rules[1].at("action"), "FailJob");
  EXPECT_EQ(rules[1].at("onExitCodes").at("values"), (Json{2, 3}));
  const Json& pod = spec.at("template").at("spec");
  EXPECT_EQ(pod.at("restartPolicy"), "Never");
  EXPECT_EQ(pod.at("subdomain"), "gpt2");
  EXPECT_EQ(pod.at("automountServiceAccountToken"), false);
  EXPECT_EQ(pod.at("securityContext").at("runAsNonRoot"), true);
  const Json& container = pod.at("containers")[0];
  EXPECT_EQ(container.at("resources").at("limits").at("memory"), "32Gi");
  EXPECT_EQ(container.at("securityContext").at("capabilities").at("drop"), Json::array({"ALL"}));
  EXPECT_EQ(container.at("volumeMounts").size(), 2U);
}

TEST(KubernetesTest, TheDriverSubmitsTheJob) {
  const auto objects = kubernetes_manifests(some_job());
  const Json& container = objects[4].at("spec").at("template").at("spec").at("containers").at(0);
  const auto command = container.at("command").get<std::vector<std::string>>();
  EXPECT_THAT(std::vector(command.begin() + 4, command.end()),
              ElementsAre("/opt/megascale", "submit", "/shared/gpt2.toml", "--set",
                          "optimizer.lr=0.5", "--ranks", "16", "--hosts", "2"));
  for (const std::size_t job : {4U, 5U}) {
    const auto script = objects[job]
                            .at("spec")
                            .at("template")
                            .at("spec")
                            .at("containers")
                            .at(0)
                            .at("command")
                            .at(2)
                            .get<std::string>();
    const testing::ScratchDirectory scratch;
    EXPECT_EQ(std::system(("sh -n " + scratch.write("script", script).string()).c_str()), 0);
  }
}

TEST(KubernetesTest, NamesThatKubernetesDoesNotTakeAreRefused) {
  for (const char* name : {"", "GPT2", "a_b", "-a", "2a", "a/../b"}) {
    KubernetesJob job = some_job();
    job.job.name = name;
    EXPECT_THROW((void)kubernetes_manifests(job), Error) << name;
  }
  KubernetesJob job = some_job();
  job.image.clear();
  EXPECT_THROW((void)kubernetes_manifests(job), Error);
}

struct Recorded {
  std::string method, path, type, authorization;
  Json body;
};

// An API server with a certificate of its own, and the files of a service account.
class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string make =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout " +
        (scratch / "key").string() + " -out " + (scratch / "ca.crt").string() + " 2>/dev/null";
    if (std::system(make.c_str()) != 0) GTEST_SKIP() << "no openssl here";
    scratch.write("token", "secret-token\n");
    scratch.write("namespace", "training\n");
    server.emplace((scratch / "ca.crt").c_str(), (scratch / "key").c_str());
    ASSERT_TRUE(server->is_valid());
    const auto record = [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex);
      recorded.push_back({request.method, request.path, request.get_header_value("Content-Type"),
                          request.get_header_value("Authorization"),
                          request.body.empty() ? Json() : Json::parse(request.body)});
      response.status = status;
      response.set_content(answer, "application/json");
    };
    server->Get(".*", record).Post(".*", record).Patch(".*", record);
    port = server->bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { server->listen_after_bind(); });
    while (!server->is_running()) std::this_thread::yield();
  }
  void TearDown() override {
    if (!server) return;
    server->stop();
    if (thread.joinable()) thread.join();
  }
  [[nodiscard]] KubernetesApi api() const {
    return KubernetesApi({.server = "https://127.0.0.1:" + std::to_string(port),
                          .authority = scratch / "ca.crt",
                          .token_file = scratch / "token",
                          .name_space = "training"});
  }

  testing::ScratchDirectory scratch;
  std::optional<httplib::SSLServer> server;
  std::thread thread;
  int port = 0, status = 201;
  std::string answer = "{}";
  std::mutex mutex;
  std::vector<Recorded> recorded;
};

TEST_F(ApiTest, ObjectsAreCreatedWithTheTokenOfTheServiceAccount) {
  auto kubernetes = api();
  const auto objects = kubernetes_manifests(some_job());
  for (const Json& object : objects) EXPECT_TRUE(kubernetes.create(object));
  ASSERT_EQ(recorded.size(), objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(recorded[i].method, "POST");
    EXPECT_EQ(recorded[i].path, collection_of(objects[i]));
    EXPECT_EQ(recorded[i].type, "application/json");
    EXPECT_EQ(recorded[i].authorization, "Bearer secret-token");
    EXPECT_EQ(recorded[i].body, objects[i]);
  }
  status = 409;
  EXPECT_FALSE(kubernetes.create(objects.front()));
}

TEST_F(ApiTest, PodsAreEvictedAndNodesAreCordoned) {
  auto kubernetes = api();
  EXPECT_TRUE(kubernetes.evict("gpt2-1-abcde"));
  EXPECT_EQ(recorded[0].path, "/api/v1/namespaces/training/pods/gpt2-1-abcde/eviction");
  EXPECT_EQ(recorded[0].body.at("apiVersion"), "policy/v1");
  EXPECT_EQ(recorded[0].body.at("kind"), "Eviction");
  EXPECT_EQ(recorded[0].body.at("metadata").at("name"), "gpt2-1-abcde");
  status = 429;  // a disruption budget
  EXPECT_FALSE(kubernetes.evict("gpt2-1-abcde"));
  status = 200;
  kubernetes.cordon("node-7.example");
  EXPECT_EQ(recorded[2].method, "PATCH");
  EXPECT_EQ(recorded[2].path, "/api/v1/nodes/node-7.example");
  EXPECT_EQ(recorded[2].type, "application/strategic-merge-patch+json");
  EXPECT_EQ(recorded[2].body, (Json{{"spec", {{"unschedulable", true}}}}));
  EXPECT_THROW((void)kubernetes.evict("../../secrets"), Error);
  EXPECT_EQ(recorded.size(), 3U);
}

TEST_F(ApiTest, PodsAreListedWithTheirNodes) {
  status = 200;
  answer = R"({"items": [{"metadata": {"name": "gpt2-0-x"}, "spec": {"nodeName": "n1"}},
                         {"metadata": {"name": "gpt2-1-y"}, "spec": {}}]})";
  const auto pods = api().pods("megascale/job=gpt2");
  ASSERT_EQ(pods.size(), 2U);
  EXPECT_EQ(pods[0].name + pods[0].node + pods[1].name + pods[1].node, "gpt2-0-xn1gpt2-1-y");
  answer = "[]";
  EXPECT_THROW((void)api().pods("a"), Error);
}

TEST_F(ApiTest, ARefusalIsToldWithTheReasonOfTheServer) {
  status = 403;
  answer = R"({"kind": "Status", "message": "pods is forbidden"})";
  try {
    api().cordon("n1");
    FAIL() << "the server refuses";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    EXPECT_THAT(error.message(), HasSubstr("(403): pods is forbidden"));
  }
}

TEST_F(ApiTest, AnotherServerGetsNoToken) {
  const std::string make =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout /dev/null -out " +
      (scratch / "other.crt").string() + " 2>/dev/null";
  ASSERT_EQ(std::system(make.c_str()), 0);
  KubernetesApi kubernetes({.server = "https://127.0.0.1:" + std::to_string(port),
                            .authority = scratch / "other.crt",
                            .token_file = scratch / "token",
                            .name_space = "training"});
  EXPECT_THROW((void)kubernetes.evict("a"), Error);
  EXPECT_TRUE(recorded.empty());
  EXPECT_THROW(KubernetesApi({.server = "http://127.0.0.1:1"}), Error);
}

TEST_F(ApiTest, APodFindsItsServiceAccount) {
  ::setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const auto access = KubernetesAccess::of_this_pod(scratch / ".");
  EXPECT_EQ(access.server, "https://[fd00::1]:443");
  EXPECT_EQ(access.name_space, "training");
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_THROW((void)KubernetesAccess::of_this_pod(scratch / "."), Error);
}

}  // namespace
}  // namespace megascale::launch
