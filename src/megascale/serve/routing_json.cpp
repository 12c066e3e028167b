// Reads the end of the file only: the lines of large models with experts are long, and pages ask often.
#include "megascale/serve/routing_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"

namespace megascale::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kByLayer{"imbalance", "rank_imbalance", "dropped", "aux_loss", "z_loss"};

// One number of each step: its name in the answer, and in the line.
struct StepNumber {
  const char* name;
  const char* field;
};
constexpr std::array kByStep{StepNumber{"dropped_share", "expert_dropped_share"},
                             StepNumber{"imbalance_share", "expert_imbalance_share"}};

// Returns the last bytes of a file, from the begin of a line. The last line may still be written.
std::string tail_of(const std::filesystem::path& file, std::size_t most) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{}: there are no metrics: a training writes them with its first step",
                            file.string()));
  }
  const auto size = static_cast<std::size_t>(in.tellg());
  const std::size_t count = std::min(size, most);
  std::string text(count, '\0');
  in.seekg(static_cast<std::streamoff>(size - count));
  if (!in.read(text.data(), static_cast<std::streamsize>(count)))
    throw Error(ErrorCode::io, fmt::format("{}: cannot be read", file.string()));
  if (count < size) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.erase(text.find_last_of('\n') + 1);
  return text;
}

std::vector<std::string_view> last_lines(std::string_view text, std::size_t most) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    text.remove_suffix(1);  // the end of the line
    const std::size_t begin = text.find_last_of('\n') + 1;
    lines.push_back(text.substr(begin));
    text = text.substr(0, begin);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace

Json routing_json(const std::filesystem::path& metrics, std::size_t steps, std::size_t most_loads) {
  const std::string text = tail_of(metrics, kMostRoutingBytes);
  Json json{{"layers", Json::array()}, {"step", Json::array()}};
  for (const char* name : kByLayer) json[name] = Json::array();
  for (const StepNumber& number : kByStep) json[number.name] = Json::array();
  std::vector<Json> loads;
  for (const std::string_view line : last_lines(text, steps)) {
    Json row = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!row.is_object() || !row.contains("step") || !row.contains("routing")) continue;
    Json& routing = row["routing"];
    if (!routing.is_object()) continue;
    json["layers"] = routing.value("layers", Json::array());
    json["step"].push_back(row["step"]);
    for (const char* name : kByLayer) json[name].push_back(routing.value(name, Json::array()));
    for (const StepNumber& number : kByStep)
      json[number.name].push_back(row.value(number.field, Json()));
    if (routing.contains("loads"))
      loads.push_back({{"step", row["step"]}, {"loads", routing["loads"]}});
  }
  if (json["step"].empty()) {
    throw Error(
        ErrorCode::bad_usage,
        "the metrics tell nothing of experts: only models with moe.num_experts route tokens");
  }
  json["loads"] = Json::array();
  const std::size_t count = std::min(most_loads, loads.size());
  for (std::size_t i = 0; i < count; ++i)
    json["loads"].push_back(std::move(loads[(i + 1) * loads.size() / count - 1]));
  return json;
}

}  // namespace megascale::serve
