#ifndef MEGASCALE_LAUNCH_SCHEDULER_KUBERNETES_H_
#define MEGASCALE_LAUNCH_SCHEDULER_KUBERNETES_H_

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "megascale/launch/scheduler/cluster_job.h"

namespace megascale::launch {

struct KubernetesJob {
  ClusterJob job;  // paths are those in the containers
  std::string name_space = "default";
  std::string image;  // has the megascale binary at job.program
  // A persistent volume claim that all pods can write (ReadWriteMany), and where it is mounted: the
  // run directory, the configuration and the data lie on it.
  std::string volume_claim, mount = "/shared";
  std::map<std::string, std::string>
      resources;                      // of an executor: "cpu": "8", "nvidia.com/gpu": "8"
  std::string shared_memory = "8Gi";  // of /dev/shm in an executor
  std::uint32_t user = 1000;          // user and group id in the containers
};

// Returns the objects of a job, in the order in which they must be created:
//   Service          NAME, headless: gives the pods names
//   ServiceAccount   NAME, Role and RoleBinding: the driver may evict pods of its namespace
//   Job              NAME-driver, one pod: makes the authority, lets executors join, drives, submits
//   Job              NAME, indexed: an executor in each pod, one pod on a node
// Exit codes 2 and 3 of an executor, which is that of the training job, fail the Job at once; other
// ends are retried for their index, and evictions do not count. Throws Error (bad_usage) for a name
// that Kubernetes does not take.
[[nodiscard]] std::vector<nlohmann::ordered_json> kubernetes_manifests(const KubernetesJob& job);

// Returns the objects as one text for `kubectl apply -f -`: JSON documents, which are also YAML.
[[nodiscard]] std::string to_documents(const std::vector<nlohmann::ordered_json>& objects);

// Where the API serves an object: "/api/v1/namespaces/NS/services". Throws Error (bad_usage) for a
// kind that kubernetes_manifests() does not make.
[[nodiscard]] std::string collection_of(const nlohmann::ordered_json& object);

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_SCHEDULER_KUBERNETES_H_
