// Prints the times of a step on a CUDA device by class of op: in the step, alone, and at the roofs.
// A question mark stands for times alone that could not be measured.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "megascale/cli/device_report.h"

namespace megascale::cli {
namespace {

constexpr std::array<std::string_view, 4> kClassNames{"GEMM", "grouped GEMM", "attention",
                                                      "the rest"};
constexpr std::array<std::string_view, 4> kClassKeys{"gemm", "grouped_gemm", "attention", "rest"};

// Only mixtures of experts have grouped products.
bool has_tasks(const study::ClassTimes::Times& times) { return times.floor_seconds > 0; }

bool knows_gaps(const study::DeviceTimes& times) { return times.why_not_packed.empty(); }

}  // namespace

void print(const study::DeviceTimes& times, const study::ClassTimes& classes) {
  print(times.roofs);
  fmt::print("{}\n", cuda::describe(times.sensors));
  const bool knows_alone = times.why_not_alone.empty();
  const auto milliseconds = [](double seconds) { return fmt::format("{:.3f}", 1e3 * seconds); };
  const auto share = [&](double seconds) {
    return fmt::format("{:.1f}%", 100 * seconds / classes.step_seconds);
  };
  fmt::print("{:<24} {:>10} {:>8} {:>10} {:>10}\n", "class of rank 0's ops", "ms", "share", "alone",
             "floor");
  for (std::size_t i = 0; i < classes.classes.size(); ++i) {
    const study::ClassTimes::Times& one = classes.classes[i];
    if (!has_tasks(one)) continue;
    fmt::print("{:<24} {:>10} {:>8} {:>10} {:>10}\n", kClassNames[i], milliseconds(one.seconds),
               share(one.seconds), knows_alone ? milliseconds(one.alone_seconds) : "?",
               milliseconds(one.floor_seconds));
  }
  fmt::print("{:<24} {:>10} {:>8}\n", "(waits for other lanes)",
             milliseconds(classes.waiting_seconds), share(classes.waiting_seconds));
  if (knows_gaps(times)) {
    fmt::print("{:<24} {:>10} {:>8}\n", "(gaps)", milliseconds(classes.gap_seconds()),
               share(classes.gap_seconds()));
  } else {
    fmt::print("gaps are unknown: {}\n", times.why_not_packed);
  }
  fmt::print("outside GEMM and attention {:.1f}% of the step", 100 * classes.share_of_rest());
  if (!knows_alone) {
    fmt::print("; times alone are unknown: {}\n", times.why_not_alone);
  } else if (knows_gaps(times)) {
    fmt::print(", {:.1f}% with the gaps before them\n", 100 * classes.share_of_rest_and_gaps());
  } else {
    fmt::print("\n");
  }
}

nlohmann::ordered_json to_json(const study::DeviceTimes& times, const study::ClassTimes& classes) {
  const bool knows_alone = times.why_not_alone.empty();
  nlohmann::ordered_json by_class, by_op;
  for (std::size_t i = 0; i < classes.classes.size(); ++i) {
    const study::ClassTimes::Times& one = classes.classes[i];
    if (!has_tasks(one)) continue;
    auto& json = by_class[std::string(kClassKeys[i])];
    json = {{"seconds", one.seconds}, {"floor_seconds", one.floor_seconds}};
    if (knows_alone) json["alone_seconds"] = one.alone_seconds;
  }
  for (const auto& [name, kind] : times.kinds) {
    by_op[name] = {{"floor_seconds", kind.floor_seconds}};
    if (knows_alone) by_op[name]["alone_seconds"] = kind.alone_seconds;
  }
  nlohmann::ordered_json json{{"roofs", to_json(times.roofs)},
                              {"sensors", to_json(times.sensors)},
                              {"classes", by_class},
                              {"ops", by_op},
                              {"waiting_seconds", classes.waiting_seconds},
                              {"share_of_rest", classes.share_of_rest()}};
  if (!knows_alone) json["why_not_alone"] = times.why_not_alone;
  if (!knows_gaps(times)) {
    json["why_not_packed"] = times.why_not_packed;
    return json;
  }
  json["packed_seconds"] = classes.packed_seconds;
  json["gap_seconds"] = classes.gap_seconds();
  if (knows_alone) json["share_of_rest_and_gaps"] = classes.share_of_rest_and_gaps();
  return json;
}

}  // namespace megascale::cli
