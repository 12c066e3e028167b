#ifndef MEGASCALE_DATA_JSON_LINES_H_
#define MEGASCALE_DATA_JSON_LINES_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/data/input_parts.h"
#include "megascale/data/tokenizer.h"

// Lines of JSONL files: a line is an object.
namespace megascale {

// Returns the object of a line. Throws Error (bad_input) if the line is not UTF-8, not JSON or no
// object; the message names the byte in the line.
[[nodiscard]] nlohmann::json parse_json_line(const std::string& line);

// Parses each line that is not blank with `parse`, and passes the result to `sink` with the number of
// the line (from 0). An Error that `parse` throws goes to `problem` with that number; reading ends
// if `problem` returns false. Returns the number of lines read.
template <class Parse, class Sink, class Problem>
std::int64_t for_each_json_line(std::string_view lines, const Parse& parse, const Sink& sink,
                                const Problem& problem) {
  std::int64_t number = 0;
  for (; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string line(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (is_blank(line)) continue;
    std::optional<std::decay_t<decltype(parse(line))>> parsed;
    try {
      parsed = parse(line);
    } catch (const Error& error) {
      if (!problem(number, error)) return number + 1;
      continue;
    }
    sink(number, *std::move(parsed));
  }
  return number;
}

// Returns the keys of an object for a message, the first eight of them, or "no key".
[[nodiscard]] std::string keys_of(const nlohmann::json& object);

// A text, or token ids.
using JsonDocument = std::variant<std::string, std::vector<std::int64_t>>;

// Passes the document under the key of every line to `sink`, and an error for every bad line to
// `problem`, as for_each_json_line() does. A document is not empty, and a text has no reserved bytes
// of `tokenizer`.
struct JsonLines {
  std::string_view key;
  const Tokenizer& tokenizer;
  std::function<void(std::int64_t line, JsonDocument document)> sink;
  std::function<bool(std::int64_t line, const Error& error)> problem;
};
std::int64_t read_json_lines(std::string_view lines, const JsonLines& to);

}  // namespace megascale

#endif  // MEGASCALE_DATA_JSON_LINES_H_
