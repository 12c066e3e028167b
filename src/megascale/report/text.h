#ifndef MEGASCALE_REPORT_TEXT_H_
#define MEGASCALE_REPORT_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "megascale/report/facts.h"

namespace megascale::report {

// A row of a table with a heading, such as {"loss", "2.1"}. A heading that is empty goes on with the
// one before it.
struct Line {
  std::string heading, text;
};
// The report in sections of lines; text and page show the same ones.
struct Section {
  std::string title;
  std::vector<Line> lines;
};
[[nodiscard]] std::vector<Section> sections_of(const RunFacts& facts);

// The report as plain text for logs; every line ends with a line end.
[[nodiscard]] std::string to_text(const RunFacts& facts);
// The few lines that `megascale top` shows: at most `most_ranks` ranks.
[[nodiscard]] std::string live_text(const RunFacts& facts, std::size_t most_ranks);
// Everything as JSON, with numbers in base units.
[[nodiscard]] nlohmann::ordered_json to_json(const RunFacts& facts);

}  // namespace megascale::report

#endif  // MEGASCALE_REPORT_TEXT_H_
