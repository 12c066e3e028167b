// The file is a line of JSON, the scores, and a digest: small enough to be written at once, and large enough that
// text would be a waste.
#include "megascale/train/reference_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/checkpoint/json_text.h"

namespace megascale::train {
namespace {

constexpr std::string_view kFormat = "megascale-reference-scores";
constexpr std::int64_t kVersion = 1;
constexpr std::size_t kDigestSize = 32;

std::string digest_of(std::string_view bytes) {
  return digest128(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

}  // namespace

std::string ReferenceScores::digest() const {
  DigestStream stream;
  for (const std::vector<double>& set : sets) stream.update(std::as_bytes(std::span(set)));
  return stream.finish();
}

std::string to_bytes(const ReferenceScores& scores) {
  nlohmann::ordered_json header{{"format", kFormat},
                                {"version", kVersion},
                                {"data", scores.data},
                                {"weights", scores.weights},
                                {"sequences", nlohmann::json::array()}};
  for (const std::vector<double>& set : scores.sets) header["sequences"].push_back(set.size());
  std::string bytes = header.dump() + "\n";
  for (const std::vector<double>& set : scores.sets)
    bytes.append(reinterpret_cast<const char*>(set.data()), set.size() * sizeof(double));
  return bytes + digest_of(bytes);
}

ReferenceScores parse_reference_scores(std::string_view bytes, const std::string& name) {
  const checkpoint::JsonSource source{name};
  const std::size_t line = bytes.find('\n');
  if (line == std::string_view::npos || bytes.size() - line - 1 < kDigestSize)
    throw source.error(
        "expected a line of JSON, scores and a digest, found a file that is too short");
  const std::string_view body = bytes.substr(0, bytes.size() - kDigestSize);
  if (digest_of(body) != bytes.substr(body.size()))
    throw source.error(
        "expected the digest at its end to be that of its bytes: the file was changed");
  const nlohmann::json header = checkpoint::parse_json(bytes.substr(0, line), source, 3);
  const std::string format = checkpoint::string_member(header, "format", source, "");
  if (format != kFormat)
    throw source.error(fmt::format("expected the format \"{}\", found \"{}\"", kFormat,
                                   checkpoint::shown(std::string_view(format))));
  const std::int64_t version = checkpoint::integer_member(header, "version", source, "");
  if (version != kVersion) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected version {}, found {}", name, kVersion, version));
  }
  ReferenceScores scores{.data = checkpoint::string_member(header, "data", source, ""),
                         .weights = checkpoint::string_member(header, "weights", source, ""),
                         .sets = {}};
  std::string_view rest = body.substr(line + 1);
  for (const nlohmann::json& count : checkpoint::array_member(header, "sequences", source, "")) {
    const auto sequences = count.is_number_unsigned() ? count.get<std::uint64_t>() : 0;
    if (!count.is_number_unsigned() || sequences > rest.size() / sizeof(double)) {
      throw source.error(
          fmt::format("expected {} to be a number of sequences whose scores follow, "
                      "found {} bytes",
                      count.dump(), rest.size()));
    }
    std::vector<double>& set = scores.sets.emplace_back(sequences);
    const std::string_view scored = rest.substr(0, sequences * sizeof(double));
    std::ranges::copy(scored, reinterpret_cast<char*>(set.data()));
    rest.remove_prefix(scored.size());
  }
  if (scores.sets.empty() || !rest.empty())
    throw source.error(
        fmt::format("expected the scores of one set at least and nothing behind them, "
                    "found {} bytes more",
                    rest.size()));
  return scores;
}

}  // namespace megascale::train
