// Reads the loads of experts from the metrics.jsonl of a run. The file may be of another model or was
// changed by hand, so each count is checked before it reaches the simulation.
#include "megascale/study/forecast/recorded_loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"

namespace megascale::study {
namespace {

using nlohmann::json;

// Doubles count exactly up to here.
constexpr double kMostChoices = 9007199254740992;  // 2^53

// Adds the loads of lines to a sum. Throws Error that says in which line.
class Reader {
 public:
  Reader(std::string name, const ModelConfig& model) : name_(std::move(name)), model_(model) {}

  void add_line(const std::string& line) {
    ++line_;
    const json parsed = json::parse(line, nullptr, false);
    if (parsed.is_discarded()) throw wrong("a line of JSON", line);
    const auto routing = parsed.find("routing");
    if (routing == parsed.end() || !routing->contains("loads")) return;
    const json none;
    const json& layers = routing->contains("layers") ? routing->at("layers") : none;
    const json& loads = routing->at("loads");
    if (!layers.is_array() || !loads.is_array() || layers.size() != loads.size()) {
      throw wrong("routing.layers and routing.loads to be lists of the same length", line);
    }
    for (std::size_t i = 0; i < layers.size(); ++i) add_layer(layer_of(layers[i]), loads[i]);
  }
  [[nodiscard]] const simulate::ExpertLoads& loads() const noexcept { return loads_; }

 private:
  [[nodiscard]] Error wrong(const std::string& expected, std::string_view found) const {
    constexpr std::size_t kShown = 200;
    return Error(ErrorCode::bad_usage, fmt::format("{}: line {}: expected {}, found {}", name_,
                                                   line_, expected, found.substr(0, kShown)));
  }

  [[nodiscard]] std::int64_t layer_of(const json& number) const {
    // Numbers above the range of signed integers become negative here.
    const std::int64_t layer = number.is_number_integer() ? number.get<std::int64_t>() : -1;
    if (layer < 0 || layer >= model_.num_layers || !has_experts(model_, layer)) {
      throw wrong(fmt::format("routing.layers with numbers of layers that have experts here, from "
                              "{} to {}",
                              model_.moe.first_dense_layers, model_.num_layers - 1),
                  number.dump(-1, ' ', false, json::error_handler_t::replace));
    }
    return layer;
  }

  void add_layer(std::int64_t layer, const json& counts) {
    const auto experts = static_cast<std::size_t>(model_.moe.num_experts);
    if (!counts.is_array() || counts.size() != experts) {
      throw wrong(
          fmt::format("routing.loads with the counts of {} experts for layer {}", experts, layer),
          counts.is_array() ? fmt::format("{} counts", counts.size()) : counts.type_name());
    }
    std::vector<double> of_line;
    for (std::size_t e = 0; e < experts; ++e) of_line.push_back(count_of(counts[e], e, layer));
    const double all = std::accumulate(of_line.begin(), of_line.end(), 0.0);
    const auto most = std::max_element(of_line.begin(), of_line.end());
    const auto choices = static_cast<double>(model_.moe.router_topk);
    if (*most * choices > all) {
      throw wrong(fmt::format("an expert of layer {} to have at most {} of {} choices, one of each "
                              "token (moe.router_topk = {})",
                              layer, std::floor(all / choices), all, model_.moe.router_topk),
                  fmt::format("{} of expert {}", *most, most - of_line.begin()));
    }
    std::vector<double>& sum = loads_.by_layer[layer];
    sum.resize(experts);
    for (std::size_t e = 0; e < experts; ++e) sum[e] += of_line[e];
  }

  [[nodiscard]] double count_of(const json& number, std::size_t expert, std::int64_t layer) const {
    const double count = number.is_number() ? number.get<double>() : -1;
    if (!(count >= 0 && count <= kMostChoices && count == std::floor(count))) {
      throw wrong(fmt::format("a whole number from 0 to 2^53 as the load of expert {} of layer {}",
                              expert, layer),
                  number.dump(-1, ' ', false, json::error_handler_t::replace));
    }
    return count;
  }

  std::string name_;
  const ModelConfig& model_;
  std::size_t line_ = 0;
  simulate::ExpertLoads loads_;
};

}  // namespace

simulate::ExpertLoads parse_recorded_loads(const std::string& text, const std::string& name,
                                           const ModelConfig& model) {
  Reader reader(name, model);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) reader.add_line(line);
  if (reader.loads().are_even()) {
    throw Error(ErrorCode::bad_usage, name +
                                          ": expected the metrics file of a run with experts, "
                                          "found no line with routing.loads");
  }
  return reader.loads();
}

}  // namespace megascale::study
