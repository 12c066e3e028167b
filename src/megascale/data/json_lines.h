#ifndef MEGASCALE_DATA_JSON_LINES_H_
#define MEGASCALE_DATA_JSON_LINES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/data/tokenizer.h"

// Documents of JSONL files: a line is an object, and one of its keys holds the document.
namespace megascale {

// A text, or token ids.
using JsonDocument = std::variant<std::string, std::vector<std::int64_t>>;

// Passes the document of every line to `sink`, and an error for every bad line to `problem`, each
// with the number of the line (from 0). Returns the number of lines. Lines of white space are
// skipped. A document is not empty, and a text has no reserved bytes of `tokenizer`. Reading ends
// if `problem` returns false.
struct JsonLines {
  std::string_view key;
  const Tokenizer& tokenizer;
  std::function<void(std::int64_t line, JsonDocument document)> sink;
  std::function<bool(std::int64_t line, const Error& error)> problem;
};
std::int64_t read_json_lines(std::string_view lines, const JsonLines& to);

}  // namespace megascale

#endif  // MEGASCALE_DATA_JSON_LINES_H_
