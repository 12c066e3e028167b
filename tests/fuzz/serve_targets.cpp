#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "megascale/base/error.h"
#include "megascale/observe/metrics_history.h"
#include "megascale/serve/access.h"
#include "megascale/serve/evict_request.h"
#include "megascale/serve/query.h"

namespace megascale::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

bool reads_parameters(const serve::Parameters& parameters) {
  try {
    const serve::Query query(parameters, {"ranks", "step", "columns"});
    for (const std::string& word :
         query.words("columns").value_or(std::set<std::string, std::less<>>{}))
      MEGASCALE_CHECK(!word.empty() && word.find(',') == std::string::npos, "words are apart");
    const std::int64_t step = query.integer("step", 0, 99, 7);
    MEGASCALE_CHECK(step >= 0 && step <= 99, "integers are within their bounds");
    const auto ranks = query.ranks("ranks", 64, 16);
    MEGASCALE_CHECK(!ranks.empty() && ranks.size() <= 16, "as many ranks as allowed");
    for (std::size_t i = 0; i < ranks.size(); ++i)
      MEGASCALE_CHECK(ranks[i] < 64 && (i == 0 || ranks[i - 1] < ranks[i]), "ranks ascend");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input && !error.message().empty(),
                    "a refusal says why");
    return false;
  }
}

// Whether the text has only characters that end no line and no name.
bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '/'; });
}

}  // namespace

bool evict_request(std::span<const std::byte> input) {
  try {
    const serve::EvictRequest request = serve::parse_evict_request(as_text(input));
    MEGASCALE_CHECK(!request.host.empty() && is_plain(request.host), "a host has a plain name");
    MEGASCALE_CHECK(request.why.size() <= 500, "a reason is short");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input && !error.message().empty(),
                    "a refusal says why");
    return false;
  }
}

bool http_request(std::span<const std::byte> input) {
  std::vector<std::string> lines = lines_of(as_text(input));
  const std::size_t facts = 7;
  while (lines.size() < facts) lines.emplace_back();
  const serve::AccessRules rules{
      .port = 1, .token = "token", .cookie = "cookie", .names = {"node1"}, .can_evict = true};
  const serve::Access access = serve::judge(rules, {.method = lines[0],
                                                    .path = lines[1],
                                                    .host = lines[2],
                                                    .origin = lines[3],
                                                    .authorization = lines[5],
                                                    .cookies = lines[4],
                                                    .token = lines[6]});
  if (access == serve::Access::allowed) {
    MEGASCALE_CHECK(
        lines[4].find("megascale_1=cookie") != std::string::npos || lines[5] == "Bearer token",
        "only a secret opens the server");
  }
  if (access == serve::Access::allowed && lines[0] == "POST") {
    MEGASCALE_CHECK(lines[5] == "Bearer token" || lines[3].starts_with("http://"),
                    "a page that evicts says whose it is");
  }
  if (access == serve::Access::give_cookie)
    MEGASCALE_CHECK(lines[6] == "token", "only the token gives the cookie");
  const auto path = serve::parse_run_path(lines[1]);
  if (path)
    MEGASCALE_CHECK(path->what.find('/') == std::string_view::npos, "a path has one last part");
  serve::Parameters parameters;
  for (std::size_t i = facts; i < lines.size(); ++i) {
    const std::size_t sign = std::min(lines[i].find('='), lines[i].size());
    parameters.emplace(lines[i].substr(0, sign),
                       lines[i].substr(std::min(sign + 1, lines[i].size())));
  }
  const bool reads = reads_parameters(parameters);
  return reads || access == serve::Access::allowed || access == serve::Access::give_cookie;
}

bool metrics_line(std::span<const std::byte> input) {
  const auto row = observe::parse_metrics_line(as_text(input));
  if (!row) return false;
  for (const double value : row->values)
    MEGASCALE_CHECK(std::isnan(value) || std::isfinite(value), "values are finite or absent");
  return true;
}

}  // namespace megascale::fuzz
