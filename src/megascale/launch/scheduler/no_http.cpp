// Stand-ins in builds without cpp-httplib: manifests can be printed, and the API cannot be called.
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/launch/scheduler/kubernetes_api.h"

namespace megascale::launch {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::unsupported,
              "this binary was built without cpp-httplib, so it cannot call Kubernetes: install "
              "libcpp-httplib-dev and build again, or use --print and kubectl");
}

}  // namespace

class KubernetesApi::Connection {};
KubernetesApi::KubernetesApi(KubernetesAccess) { refuse(); }
KubernetesApi::~KubernetesApi() = default;
bool KubernetesApi::create(const nlohmann::ordered_json&) { refuse(); }
bool KubernetesApi::evict(const std::string&) { refuse(); }
void KubernetesApi::cordon(const std::string&) { refuse(); }
std::vector<KubernetesApi::Pod> KubernetesApi::pods(std::string_view) { refuse(); }

}  // namespace megascale::launch
