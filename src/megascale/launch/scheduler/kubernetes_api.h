#ifndef MEGASCALE_LAUNCH_SCHEDULER_KUBERNETES_API_H_
#define MEGASCALE_LAUNCH_SCHEDULER_KUBERNETES_API_H_

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace megascale::launch {

// Where a cluster's API is, and who calls it.
struct KubernetesAccess {
  std::string server;                // "https://10.96.0.1:443"
  std::filesystem::path authority;   // certificates that the server's must be signed by
  std::filesystem::path token_file;  // of the service account; read anew for each call
  std::string name_space = "default";

  // Returns the access of a pod: its service account, by the files and variables that Kubernetes
  // gives every pod. Throws Error (bad_usage) if this process is in no pod. `folder` is another
  // place of these files in tests.
  [[nodiscard]] static KubernetesAccess of_this_pod(
      const std::filesystem::path& folder = "/var/run/secrets/kubernetes.io/serviceaccount");
};

// Calls the API of a Kubernetes cluster over HTTPS, with the token of a service account. The server
// must prove its identity. Every call ends after at most 30 seconds. One thread at a time. All
// functions throw Error: io if the server cannot be reached or is not the one that the authority
// has signed for; failed, with the server's message, if it refuses; unsupported in a build without
// cpp-httplib.
class KubernetesApi {
 public:
  explicit KubernetesApi(KubernetesAccess access);
  KubernetesApi(const KubernetesApi&) = delete;
  KubernetesApi& operator=(const KubernetesApi&) = delete;
  ~KubernetesApi();

  // Creates an object of kubernetes_manifests(). Returns false if one of that name exists already.
  bool create(const nlohmann::ordered_json& object);
  // Asks to end a pod: the API may refuse while a disruption budget forbids it. Returns false then,
  // and if there is no such pod.
  bool evict(const std::string& pod);
  // Forbids new pods on a node. Needs the right to patch nodes.
  void cordon(const std::string& node);
  // Returns the names of the pods with a label such as "megascale/job=NAME", and their nodes.
  struct Pod {
    std::string name, node;
  };
  [[nodiscard]] std::vector<Pod> pods(std::string_view label);

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_SCHEDULER_KUBERNETES_API_H_
