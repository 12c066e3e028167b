#include "megascale/serve/evict_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"

namespace megascale::serve {
namespace {

constexpr std::size_t kMostHost = 253, kMostWhy = 500;

bool is_of_host(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

}  // namespace

EvictRequest parse_evict_request(std::string_view body) {
  const auto refuse = [](std::string_view what) {
    throw Error(ErrorCode::bad_input, fmt::format("the request to evict a host: {}", what));
  };
  if (body.size() > kMostEvictBytes)
    refuse(fmt::format("expected at most {} bytes, found {}", kMostEvictBytes, body.size()));
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) refuse(R"(expected a JSON object such as {"host": "node3", "why": ""})");
  EvictRequest request;
  for (const auto& [name, value] : json.items()) {
    if (name != "host" && name != "why") refuse("unknown member; expected host and why");
    if (!value.is_string()) refuse(fmt::format("expected a text as {}", name));
    (name == "host" ? request.host : request.why) = value.get<std::string>();
  }
  if (request.host.empty() || request.host.size() > kMostHost ||
      !std::all_of(request.host.begin(), request.host.end(), is_of_host))
    refuse("expected the name of a host as host");
  const bool printable = std::none_of(request.why.begin(), request.why.end(),
                                      [](char c) { return static_cast<unsigned char>(c) < ' '; });
  if (request.why.size() > kMostWhy || !printable)
    refuse(fmt::format("expected at most {} printable bytes as why", kMostWhy));
  return request;
}

}  // namespace megascale::serve
