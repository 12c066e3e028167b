#include <fmt/format.h>

#include "megascale/base/environment.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/launch/scheduler/kubernetes_api.h"

namespace megascale::launch {

KubernetesAccess KubernetesAccess::of_this_pod(const std::filesystem::path& folder) {
  const char* const host = environment_variable("KUBERNETES_SERVICE_HOST");
  const char* const port = environment_variable("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr || !std::filesystem::exists(folder / "token")) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected to run in a pod of Kubernetes with a service account, found "
                            "no {}; use --print and kubectl, or give --server, --token-file and "
                            "--authority",
                            host == nullptr || port == nullptr ? "variable KUBERNETES_SERVICE_HOST"
                                                               : (folder / "token").string()));
  }
  const std::string_view address = host;
  const bool is_v6 = address.find(':') != std::string_view::npos;
  KubernetesAccess access{.server = is_v6 ? fmt::format("https://[{}]:{}", host, port)
                                          : fmt::format("https://{}:{}", host, port),
                          .authority = folder / "ca.crt",
                          .token_file = folder / "token"};
  access.name_space = read_text(folder / "namespace");
  while (!access.name_space.empty() && access.name_space.back() == '\n')
    access.name_space.pop_back();
  return access;
}

}  // namespace megascale::launch
