// The objects are written as JSON, which the API takes and which is YAML as well. What runs in the
// containers are two short shell scripts over the same commands that a person types
// (docs/cluster.md); the shared volume carries the token with which executors join.
// Source of the fields: the Kubernetes API reference (batch/v1 Job, v1 Service, rbac/v1, policy/v1).
#include "megascale/launch/scheduler/kubernetes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"

namespace megascale::launch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDriverPort = 29400, kJoinPort = 29401;
// The names of pods are NAME-driver-0 and NAME-INDEX-..., and Kubernetes takes at most 63 bytes.
constexpr std::size_t kLongestName = 40;
// A pod of an executor that ends otherwise than by the job's end is started again so often.
constexpr int kRetriesOfAnIndex = 6, kRetriesOfDriver = 1000;

constexpr const char* kDriverScript = R"sh(
at="$POD_IP:$DRIVER_PORT"
umask 077
if [ ! -e "$CREDENTIALS/authority.key" ]; then mkdir -p "$(dirname "$CREDENTIALS")"; "$PROGRAM" cluster init "$CREDENTIALS" --name megascale || exit 1; fi
"$PROGRAM" cluster renew "$CREDENTIALS" >/dev/null
"$PROGRAM" cluster serve "$CREDENTIALS" --listen "$POD_IP:$JOIN_PORT" --for 30d &
"$PROGRAM" cluster token "$CREDENTIALS" --address "$POD_IP:$JOIN_PORT" --valid 30d --uses 10000 >"$CREDENTIALS/join-token.new" &&
  mv "$CREDENTIALS/join-token.new" "$CREDENTIALS/join-token" || exit 1
"$PROGRAM" driver "$RUN_DIR" --listen "$at" --credentials "$CREDENTIALS" & driver=$!
trap 'kill "$driver"' TERM
"$@" --driver "$at" --credentials "$CREDENTIALS" --timeout 120
code=$?
if [ "$code" != 0 ]; then kill "$driver"; wait "$driver"; exit "$code"; fi
while true; do
  wait "$driver"; code=$?
  if [ "$code" != 143 ] || ! kill -0 "$driver" 2>/dev/null; then exit "$code"; fi
done
)sh";

constexpr const char* kExecutorScript = R"sh(
host="$NAME-$JOB_COMPLETION_INDEX"
own="$CREDENTIALS/hosts/$host"
until [ -e "$CREDENTIALS/join-token" ]; do sleep 1; done
umask 077
until [ -e "$own/executor.crt" ]; do
  "$PROGRAM" cluster join "$DRIVER_HOST:$JOIN_PORT" - "$own" --name "$host" <"$CREDENTIALS/join-token" || sleep 2
done
exec "$PROGRAM" executor --driver "$DRIVER_HOST:$DRIVER_PORT" --credentials "$own" --name "$host" --address "$POD_IP"
)sh";

void require_name(const std::string& what, const std::string& name, std::size_t longest) {
  const bool fits = !name.empty() && name.size() <= longest && name.front() != '-' &&
                    name.back() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                    });
  if (fits && (name.front() < '0' || name.front() > '9')) return;
  throw Error(ErrorCode::bad_usage,
              fmt::format("{}: expected lower-case letters, digits and hyphens, at most {}, that "
                          "begin with a letter, found \"{}\"",
                          what, longest, name));
}

Json value(const char* name, const std::string& text) { return {{"name", name}, {"value", text}}; }

Json field(const char* name, const char* path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

Json metadata(const KubernetesJob& job, const std::string& name) {
  return {{"name", name},
          {"namespace", job.name_space},
          {"labels", {{"app.kubernetes.io/name", "megascale"}, {"megascale/job", job.job.name}}}};
}

// The container of a pod, which may do as little as possible on its node.
Json container(const KubernetesJob& job, const char* name, const char* script,
               const std::vector<std::string>& arguments) {
  Json command{"/bin/sh", "-c", script, name};
  for (const std::string& word : arguments) command.push_back(word);
  return {{"name", name},
          {"image", job.image},
          {"command", std::move(command)},
          {"workingDir", job.job.directory.string()},
          {"env",
           {value("NAME", job.job.name), value("PROGRAM", job.job.program.string()),
            value("RUN_DIR", job.job.run_dir.string()),
            value("CREDENTIALS", job.job.credentials.string()),
            value("DRIVER_HOST", fmt::format("{0}-driver-0.{0}", job.job.name)),
            value("DRIVER_PORT", std::to_string(kDriverPort)),
            value("JOIN_PORT", std::to_string(kJoinPort)), field("POD_IP", "status.podIP"),
            field("NODE_NAME", "spec.nodeName")}},
          {"volumeMounts", {{{"name", "shared"}, {"mountPath", job.mount}}}},
          {"securityContext",
           {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", {"ALL"}}}}}}};
}

Json pod(const KubernetesJob& job, const char* part, Json one_container) {
  return {
      {"metadata",
       {{"labels",
         {{"app.kubernetes.io/name", "megascale"},
          {"megascale/job", job.job.name},
          {"megascale/part", part}}}}},
      {"spec",
       {{"restartPolicy", "Never"},
        {"subdomain", job.job.name},
        {"terminationGracePeriodSeconds", job.job.save_seconds},
        {"securityContext",
         {{"runAsNonRoot", true},
          {"runAsUser", job.user},
          {"runAsGroup", job.user},
          {"fsGroup", job.user},
          {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
        {"containers", Json::array({std::move(one_container)})},
        {"volumes",
         {{{"name", "shared"}, {"persistentVolumeClaim", {{"claimName", job.volume_claim}}}}}}}}};
}

Json service(const KubernetesJob& job) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", metadata(job, job.job.name)},
          {"spec",
           {{"clusterIP", "None"},
            // Executors look the driver up before it is ready.
            {"publishNotReadyAddresses", true},
            {"selector", {{"megascale/job", job.job.name}}},
            {"ports",
             {{{"name", "driver"}, {"port", kDriverPort}, {"protocol", "TCP"}},
              {{"name", "join"}, {"port", kJoinPort}, {"protocol", "TCP"}}}}}}};
}

std::vector<Json> rights(const KubernetesJob& job) {
  const std::string& name = job.job.name;
  return {
      {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", metadata(job, name)}},
      {{"apiVersion", "rbac.authorization.k8s.io/v1"},
       {"kind", "Role"},
       {"metadata", metadata(job, name)},
       {"rules",
        {{{"apiGroups", {""}}, {"resources", {"pods"}}, {"verbs", {"get", "list"}}},
         {{"apiGroups", {""}}, {"resources", {"pods/eviction"}}, {"verbs", {"create"}}}}}},
      {{"apiVersion", "rbac.authorization.k8s.io/v1"},
       {"kind", "RoleBinding"},
       {"metadata", metadata(job, name)},
       {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", name}}},
       {"subjects",
        {{{"kind", "ServiceAccount"}, {"name", name}, {"namespace", job.name_space}}}}}};
}

Json failure_policy(std::vector<Json> first) {
  Json rules = Json::array();
  for (Json& rule : first) rules.push_back(std::move(rule));
  // The exit codes of a job that a restart cannot help: bad configuration, and a crash loop.
  rules.push_back(
      {{"action", "FailJob"}, {"onExitCodes", {{"operator", "In"}, {"values", {2, 3}}}}});
  return {{"rules", std::move(rules)}};
}

// An eviction, a lost node or a preemption is no failure of the job.
Json ignore_disruptions() {
  return {{"action", "Ignore"},
          {"onPodConditions", {{{"type", "DisruptionTarget"}, {"status", "True"}}}}};
}

Json driver_job(const KubernetesJob& job) {
  std::vector<std::string> submit{job.job.program.string()};
  for (std::string& word : submit_arguments(job.job)) submit.push_back(std::move(word));
  Json driver_pod = pod(job, "driver", container(job, "driver", kDriverScript, submit));
  driver_pod["spec"]["serviceAccountName"] = job.job.name;
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", metadata(job, job.job.name + "-driver")},
          {"spec",
           {{"completionMode", "Indexed"},  // gives the pod the fixed name NAME-driver-0
            {"completions", 1},
            {"parallelism", 1},
            {"backoffLimit", kRetriesOfDriver},
            {"podFailurePolicy", failure_policy({ignore_disruptions()})},
            {"template", std::move(driver_pod)}}}};
}

Json executor_job(const KubernetesJob& job) {
  Json one = container(job, "executor", kExecutorScript, {});
  if (!job.resources.empty()) one["resources"] = {{"limits", job.resources}};
  one["volumeMounts"].push_back({{"name", "memory"}, {"mountPath", "/dev/shm"}});
  Json executor_pod = pod(job, "executor", std::move(one));
  Json& spec = executor_pod["spec"];
  spec["automountServiceAccountToken"] = false;
  spec["volumes"].push_back(
      {{"name", "memory"}, {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", job.shared_memory}}}});
  spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = {
      {{"labelSelector",
        {{"matchLabels", {{"megascale/job", job.job.name}, {"megascale/part", "executor"}}}}},
       {"topologyKey", "kubernetes.io/hostname"}}};
  const std::uint32_t pods = job.job.hosts + job.job.spares;
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", metadata(job, job.job.name)},
          {"spec",
           {{"completionMode", "Indexed"},
            {"completions", pods},
            {"parallelism", pods},
            {"backoffLimitPerIndex", kRetriesOfAnIndex},
            {"maxFailedIndexes", job.job.spares},
            {"podFailurePolicy", failure_policy({ignore_disruptions()})},
            {"template", std::move(executor_pod)}}}};
}

}  // namespace

std::vector<Json> kubernetes_manifests(const KubernetesJob& job) {
  require_name("the name of the job", job.job.name, kLongestName);
  require_name("--namespace", job.name_space, 63);
  if (job.image.empty() || job.volume_claim.empty()) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("--launcher kubernetes: expected --image and --volume-claim, found no {}",
                    job.image.empty() ? "--image" : "--volume-claim"));
  }
  std::vector<Json> objects{service(job)};
  for (Json& object : rights(job)) objects.push_back(std::move(object));
  objects.push_back(driver_job(job));
  objects.push_back(executor_job(job));
  return objects;
}

std::string to_documents(const std::vector<Json>& objects) {
  std::string text;
  for (const Json& object : objects) text += "---\n" + object.dump(2) + "\n";
  return text;
}

std::string collection_of(const Json& object) {
  const auto kind = object.at("kind").get<std::string>();
  const auto version = object.at("apiVersion").get<std::string>();
  const auto name_space = object.at("metadata").at("namespace").get<std::string>();
  const std::map<std::string, std::string> plurals{{"Service", "services"},
                                                   {"ServiceAccount", "serviceaccounts"},
                                                   {"Role", "roles"},
                                                   {"RoleBinding", "rolebindings"},
                                                   {"Job", "jobs"}};
  const auto plural = plurals.find(kind);
  if (plural == plurals.end())
    throw Error(ErrorCode::bad_usage, fmt::format("no object of kind {} is expected", kind));
  return fmt::format("{}/{}/namespaces/{}/{}", version == "v1" ? "/api" : "/apis", version,
                     name_space, plural->second);
}

}  // namespace megascale::launch
