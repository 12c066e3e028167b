#ifndef MEGASCALE_REPORT_RUN_DIFFERENCE_H_
#define MEGASCALE_REPORT_RUN_DIFFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "megascale/report/facts.h"

namespace megascale::report {

// In what two runs differ: their configurations, losses, rates, memory and op kinds. "First" and
// "second" are the runs in the order of the command line. Plain data.
struct RunDifference {
  struct Key {
    std::string name, first, second;  // values as TOML
  };
  std::vector<Key>
      keys;  // in the order of docs/configuration.md, without those that name the run's place
  bool configurations_known = true;

  std::size_t common_steps = 0;  // steps that both have, with a loss
  struct Loss {
    std::int64_t step = 0;
    double first = 0, second = 0;
  };
  std::optional<Loss> first_loss;    // the first step whose losses differ in any bit
  std::optional<Loss> largest_loss;  // the step whose losses differ most
  std::optional<Loss> last_loss;     // the last common step

  struct Number {
    std::string name, unit;  // unit: "seconds", "tokens/s", "ratio", "bytes"
    double first = 0, second = 0;
  };
  std::vector<Number> rates;  // without those that a run lacks
  std::vector<Number> ops;    // seconds a step by op kind, the largest slow-down first
};

// Pure.
[[nodiscard]] RunDifference difference_of(const RunFacts& first, const RunFacts& second);
[[nodiscard]] std::string to_text(const RunDifference& difference);
[[nodiscard]] nlohmann::ordered_json to_json(const RunDifference& difference);

}  // namespace megascale::report

#endif  // MEGASCALE_REPORT_RUN_DIFFERENCE_H_
