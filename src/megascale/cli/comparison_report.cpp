// Prints the table of `megascale simulate --compare`.
#include "megascale/cli/comparison_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

namespace megascale::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kShown = 10;  // op kinds in the printed table

// Returns the error in percent, or an empty text if the measured time is 0.
std::string percent(const observe::Difference& difference) {
  if (difference.measured <= 0) return "";
  return fmt::format("{:+.1f} %", 100 * (difference.predicted / difference.measured - 1));
}

ordered_json to_json(const observe::Difference& difference) {
  ordered_json json{{"predicted", difference.predicted}, {"measured", difference.measured}};
  if (difference.measured > 0) json["error"] = difference.predicted / difference.measured - 1;
  return json;
}

void print(const observe::Difference& line) {
  fmt::print("{:<28} {:>11.5f} {:>11.5f} {:>+11.5f} {:>10}\n", line.name, line.predicted,
             line.measured, line.seconds(), percent(line));
}

}  // namespace

ordered_json print_comparison(const study::RunComparison& compared, std::uint32_t world_size) {
  fmt::print("\npredicted and measured seconds: medians of {} steps, means of {} of {} ranks\n",
             compared.steps, compared.ranks, world_size);
  fmt::print("{:<28} {:>11} {:>11} {:>11} {:>10}\n", "", "predicted", "measured", "difference",
             "error");
  ordered_json json{{"steps", compared.steps}, {"ranks", compared.ranks}};
  for (const observe::Difference& line : compared.parts) {
    print(line);
    json[line.name + "_seconds"] = to_json(line);
  }
  fmt::print("\nop kinds that differ most\n");
  for (std::size_t i = 0; i < compared.by_op.size(); ++i) {
    const observe::Difference& line = compared.by_op[i];
    json["seconds_by_op"][line.name] = to_json(line);
    if (i >= kShown) continue;
    print(line);
    json["differ_most"].push_back(line.name);
  }
  return json;
}

}  // namespace megascale::cli
