#include "megascale/report/run_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "megascale/config/fields.h"
#include "megascale/report/words.h"

namespace megascale::report {
namespace {

constexpr std::size_t kShown = 10;

// Two runs always differ in where they write.
bool names_a_place(std::string_view key) {
  return key == "train.run_dir" || key == "checkpoint.dir";
}

void compare_keys(RunDifference& difference, const RunFacts& first, const RunFacts& second) {
  difference.configurations_known = first.config && second.config;
  if (!difference.configurations_known) return;
  for (const Field& field : config_fields()) {
    const std::string name = full_name(field);
    if (names_a_place(name)) continue;
    const std::string a = toml_value(field, *first.config), b = toml_value(field, *second.config);
    if (a != b) difference.keys.push_back({name, a, b});
  }
}

void compare_losses(RunDifference& difference, const RunFacts& first, const RunFacts& second) {
  constexpr std::size_t kLoss = observe::metric_index("loss");
  auto b = second.rows.begin();
  for (const observe::MetricsRow& row : first.rows) {
    while (b != second.rows.end() && b->step < row.step) ++b;
    if (b == second.rows.end()) break;
    if (b->step != row.step) continue;
    const RunDifference::Loss loss{row.step, row.values[kLoss], b->values[kLoss]};
    if (std::isnan(loss.first) && std::isnan(loss.second)) continue;
    ++difference.common_steps;
    difference.last_loss = loss;
    if (std::bit_cast<std::uint64_t>(loss.first) == std::bit_cast<std::uint64_t>(loss.second))
      continue;
    if (!difference.first_loss) difference.first_loss = loss;
    if (!difference.largest_loss ||
        std::abs(loss.first - loss.second) >
            std::abs(difference.largest_loss->first - difference.largest_loss->second))
      difference.largest_loss = loss;
  }
}

void compare_rates(RunDifference& difference, const RunFacts& first, const RunFacts& second) {
  const auto add = [&](const char* name, const char* unit, double a, double b) {
    if (std::isfinite(a) && std::isfinite(b)) difference.rates.push_back({name, unit, a, b});
  };
  if (first.rates.steps > 0 && second.rates.steps > 0) {
    add("step", "seconds", first.rates.step_seconds, second.rates.step_seconds);
    add("tokens/s", "tokens/s", first.rates.tokens_per_second, second.rates.tokens_per_second);
    add("MFU", "ratio", first.rates.mfu, second.rates.mfu);
    add("HFU", "ratio", first.rates.hfu, second.rates.hfu);
  }
  const auto arena = [](const RunFacts& facts) {
    std::uint64_t most = 0;
    for (const JobFacts::Stage& stage : facts.job.stages) most = std::max(most, stage.arena_bytes);
    return static_cast<double>(most);
  };
  if (first.job.ranks > 0 && second.job.ranks > 0)
    add("memory of a rank", "bytes", arena(first), arena(second));
  if (!first.records || !second.records) return;
  const observe::StepTimes &a = first.records->times, &b = second.records->times;
  add("recorded step", "seconds", a.step, b.step);
  add("computation", "seconds", a.compute, b.compute);
  add("exposed comm.", "seconds", a.exposed_comm, b.exposed_comm);
  add("bubble", "seconds", a.bubble, b.bubble);
  add("data wait", "seconds", a.data_wait, b.data_wait);
  for (const observe::Difference& op : observe::differences_by_op(b, a))
    difference.ops.push_back({op.name, "seconds", op.measured, op.predicted});
  std::stable_sort(difference.ops.begin(), difference.ops.end(),
                   [](const RunDifference::Number& x, const RunDifference::Number& y) {
                     return x.second - x.first > y.second - y.first;
                   });
}

std::string value_text(const RunDifference::Number& number, double value) {
  if (number.unit == "seconds") return seconds_text(value);
  if (number.unit == "ratio") return percent_text(value);
  if (number.unit == "bytes") return bytes_text(static_cast<std::uint64_t>(value));
  return count_text(value);
}

std::string row_text(const RunDifference::Number& number) {
  return fmt::format("  {:<28} {:>14} {:>14} {:>10}\n", number.name,
                     value_text(number, number.first), value_text(number, number.second),
                     number.first > 0 ? more_text(number.second / number.first) : "");
}

std::string loss_text(const RunDifference& difference) {
  if (difference.common_steps == 0) return "losses\n  no step in common\n";
  if (!difference.first_loss)
    return fmt::format("losses\n  equal to the last bit in all {} common steps\n",
                       difference.common_steps);
  std::string text = fmt::format("losses ({} common steps)\n", difference.common_steps);
  const auto line = [&](const char* what, const RunDifference::Loss& loss) {
    text += fmt::format("  {:<28} step {}: {:.9g} and {:.9g} ({:+.3g})\n", what, loss.step,
                        loss.first, loss.second, loss.second - loss.first);
  };
  line("differ first in", *difference.first_loss);
  line("differ most in", *difference.largest_loss);
  line("last common", *difference.last_loss);
  return text;
}

nlohmann::ordered_json number_json(const RunDifference::Number& number) {
  return {{"name", number.name},
          {"unit", number.unit},
          {"first", number.first},
          {"second", number.second}};
}

nlohmann::ordered_json loss_json(const RunDifference::Loss& loss) {
  const auto value = [](double x) {
    return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
  };
  return {{"step", loss.step}, {"first", value(loss.first)}, {"second", value(loss.second)}};
}

}  // namespace

RunDifference difference_of(const RunFacts& first, const RunFacts& second) {
  RunDifference difference;
  compare_keys(difference, first, second);
  compare_losses(difference, first, second);
  compare_rates(difference, first, second);
  return difference;
}

std::string to_text(const RunDifference& difference) {
  std::string text = "configuration\n";
  if (!difference.configurations_known) {
    text += "  not known of both\n";
  } else if (difference.keys.empty()) {
    text += "  equal\n";
  } else {
    text += fmt::format("  first differing key          {}\n", difference.keys.front().name);
    for (const RunDifference::Key& key : difference.keys)
      text += fmt::format("  {:<28} {} and {}\n", key.name, key.first, key.second);
  }
  text += fmt::format("\n{}", loss_text(difference));
  if (!difference.rates.empty())
    text += fmt::format("\n{:<30} {:>14} {:>14}\n", "numbers", "first", "second");
  for (const RunDifference::Number& number : difference.rates) text += row_text(number);
  if (!difference.ops.empty()) text += "\nop kinds that became slower, seconds a step\n";
  std::size_t shown = 0;
  for (const RunDifference::Number& op : difference.ops) {
    if (op.second <= op.first || ++shown > kShown) break;
    text += row_text(op);
  }
  if (!difference.ops.empty() && shown == 0) text += "  none\n";
  return text;
}

nlohmann::ordered_json to_json(const RunDifference& difference) {
  nlohmann::ordered_json json{{"keys", nlohmann::ordered_json::array()},
                              {"common_steps", difference.common_steps},
                              {"numbers", nlohmann::ordered_json::array()},
                              {"ops", nlohmann::ordered_json::array()}};
  for (const RunDifference::Key& key : difference.keys)
    json["keys"].push_back({{"key", key.name}, {"first", key.first}, {"second", key.second}});
  if (difference.first_loss) json["first_different_loss"] = loss_json(*difference.first_loss);
  if (difference.largest_loss) json["largest_different_loss"] = loss_json(*difference.largest_loss);
  if (difference.last_loss) json["last_common_loss"] = loss_json(*difference.last_loss);
  for (const auto& number : difference.rates) json["numbers"].push_back(number_json(number));
  for (const auto& op : difference.ops) json["ops"].push_back(number_json(op));
  return json;
}

}  // namespace megascale::report
