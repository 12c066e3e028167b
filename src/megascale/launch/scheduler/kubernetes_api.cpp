// cpp-httplib consists of one large header, which only this source includes.
#include "megascale/launch/scheduler/kubernetes_api.h"

#include <fmt/format.h>
#include <httplib.h>

#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/launch/scheduler/kubernetes.h"

namespace megascale::launch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kOk = 200, kNotFound = 404, kConflict = 409, kTooManyRequests = 429;
constexpr int kConnectSeconds = 10, kCallSeconds = 20;

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.pop_back();
  return text;
}

// The server tells its reason in an object of kind Status.
std::string reason_of(const httplib::Response& response) {
  const auto json = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (json.is_object() && json.contains("message") && json["message"].is_string())
    return json["message"].get<std::string>();
  return response.body.substr(0, 200);
}

// A part of a path: names of objects have no characters that a path gives a meaning.
const std::string& checked(const std::string& name) {
  if (!name.empty() && name.size() <= 253 &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos)
    return name;
  throw Error(ErrorCode::bad_usage,
              fmt::format("expected the name of an object of Kubernetes, found \"{}\"", name));
}

}  // namespace

class KubernetesApi::Connection {
 public:
  explicit Connection(KubernetesAccess access)
      : access_(std::move(access)), client_(access_.server) {
    if (!access_.server.starts_with("https://")) {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("expected the API at https://, found {}", access_.server));
    }
    client_.set_ca_cert_path(access_.authority.string());
    client_.enable_server_certificate_verification(true);
    client_.set_connection_timeout(kConnectSeconds, 0);
    client_.set_read_timeout(kCallSeconds, 0);
    client_.set_write_timeout(kCallSeconds, 0);
    client_.set_follow_location(false);  // the token must not go elsewhere
  }
  [[nodiscard]] const std::string& name_space() const { return access_.name_space; }

  httplib::Response call(const char* method, const std::string& path, const Json& body,
                         const char* type) {
    httplib::Request request;
    request.method = method;
    request.path = path;
    request.headers = {
        {"Authorization", "Bearer " + without_line_end(read_text(access_.token_file))},
        {"Accept", "application/json"},
        {"User-Agent", "megascale"}};
    if (!body.is_null()) {
      request.headers.emplace("Content-Type", type);
      request.body = body.dump();
    }
    httplib::Response response;
    httplib::Error error = httplib::Error::Success;
    if (!client_.send(request, response, error)) {
      throw Error(ErrorCode::io,
                  fmt::format("the API of Kubernetes at {} cannot be reached: {}; check address "
                              "and certificate authority",
                              access_.server, httplib::to_string(error)));
    }
    return response;
  }

 private:
  KubernetesAccess access_;
  httplib::Client client_;
};

namespace {

[[noreturn]] void refuse(const std::string& what, const httplib::Response& response) {
  throw Error(ErrorCode::failed, fmt::format("Kubernetes refuses to {} ({}): {}", what,
                                             response.status, reason_of(response)));
}

}  // namespace

KubernetesApi::KubernetesApi(KubernetesAccess access)
    : connection_(std::make_unique<Connection>(std::move(access))) {}

KubernetesApi::~KubernetesApi() = default;

bool KubernetesApi::create(const Json& object) {
  const auto response =
      connection_->call("POST", collection_of(object), object, "application/json");
  if (response.status == kConflict) return false;
  if (response.status / 100 != 2) {
    refuse(fmt::format("create {} {}", object.at("kind").get<std::string>(),
                       object.at("metadata").at("name").get<std::string>()),
           response);
  }
  return true;
}

bool KubernetesApi::evict(const std::string& pod) {
  const std::string path = fmt::format("/api/v1/namespaces/{}/pods/{}/eviction",
                                       checked(connection_->name_space()), checked(pod));
  const Json body{{"apiVersion", "policy/v1"},
                  {"kind", "Eviction"},
                  {"metadata", {{"name", pod}, {"namespace", connection_->name_space()}}}};
  const auto response = connection_->call("POST", path, body, "application/json");
  if (response.status == kTooManyRequests || response.status == kNotFound) return false;
  if (response.status / 100 != 2) refuse("evict pod " + pod, response);
  return true;
}

void KubernetesApi::cordon(const std::string& node) {
  const Json body{{"spec", {{"unschedulable", true}}}};
  const auto response = connection_->call("PATCH", "/api/v1/nodes/" + checked(node), body,
                                          "application/strategic-merge-patch+json");
  if (response.status / 100 != 2) refuse("forbid pods on node " + node, response);
}

std::vector<KubernetesApi::Pod> KubernetesApi::pods(std::string_view label) {
  const std::string path =
      fmt::format("/api/v1/namespaces/{}/pods?labelSelector={}", checked(connection_->name_space()),
                  httplib::detail::encode_query_param(std::string(label)));
  const auto response = connection_->call("GET", path, {}, "");
  if (response.status != kOk) refuse("list pods", response);
  std::vector<Pod> pods;
  try {
    const Json list = Json::parse(response.body);
    for (const auto& item : list.at("items")) {
      pods.push_back({.name = item.at("metadata").at("name").get<std::string>(),
                      .node = item.at("spec").value("nodeName", std::string())});
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::failed, fmt::format("Kubernetes' list of pods: {}", error.what()));
  }
  return pods;
}

}  // namespace megascale::launch
