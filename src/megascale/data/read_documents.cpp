// Splits inputs into documents without loading a whole file. Input arrives in chunks of arbitrary
// borders: a chunk may end inside a UTF-8 character, inside a separator or inside a line. The
// readers keep such an unfinished end and join it with the next chunk.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/base/near_name.h"
#include "megascale/base/utf8.h"
#include "megascale/data/prepare.h"

namespace megascale {
namespace {

constexpr std::size_t kChunkNbytes = 1 << 18;
constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kWhiteSpace) == std::string_view::npos;
}

[[noreturn]] void refuse_byte(std::string_view name, std::uint64_t offset,
                              std::string_view expected, char found) {
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: byte {}: expected {}, found 0x{:02X}", name, offset, expected,
                          static_cast<unsigned>(static_cast<unsigned char>(found))));
}

// Checks that a text which arrives in pieces is valid UTF-8 and contains no reserved byte. A piece
// may end inside a character.
class TextChecker {
 public:
  TextChecker(std::string_view name, const Tokenizer& tokenizer)
      : name_(name), tokenizer_(tokenizer) {}

  void feed(std::string_view piece) {
    if (const std::size_t at = tokenizer_.reserved_at(piece); at != std::string_view::npos) {
      refuse_byte(name_, offset_ + open_.size() + at, kNoReserved, piece[at]);
    }
    if (!open_.empty()) {
      const std::size_t before = open_.size();
      open_ += piece.substr(0, kLongest - before);
      const std::size_t valid = valid_utf8_prefix(open_);
      if (valid == 0) return check_open();  // all of the piece is in open_ now
      piece.remove_prefix(valid - before);
      offset_ += valid;
    }
    const std::size_t valid = valid_utf8_prefix(piece);
    offset_ += valid;
    open_ = piece.substr(valid, kLongest);
    check_open();
  }
  void finish() const {
    if (!open_.empty()) refuse_byte(name_, offset_, "UTF-8", open_[0]);
  }

  static constexpr std::string_view kNoReserved =
      "text without the tokenizer's end-of-document byte";

 private:
  static constexpr std::size_t kLongest = 4;  // bytes of the longest UTF-8 character
  // Fewer than four bytes may still become a character. Four bytes without a valid character at
  // their front cannot.
  void check_open() const {
    if (open_.size() == kLongest) finish();
  }

  std::string name_;
  const Tokenizer& tokenizer_;
  std::string open_;          // the bytes after the last complete character
  std::uint64_t offset_ = 0;  // of open_ in the whole text
};

// Returns the text of the document in a line of JSON. Throws Error (bad_input); its message names
// the place inside the line, and the caller adds file and line number.
std::string text_of_line(const std::string& line, std::string_view key,
                         const Tokenizer& tokenizer) {
  const auto bad = [](const std::string& what) { return Error(ErrorCode::bad_input, what); };
  if (const std::size_t valid = valid_utf8_prefix(line); valid != line.size()) {
    refuse_byte("in the line", valid, "UTF-8", line[valid]);
  }
  nlohmann::json object;
  try {
    object = nlohmann::json::parse(line);
  } catch (const nlohmann::json::parse_error& error) {
    throw bad(fmt::format("byte {} of the line: expected JSON, found a syntax error", error.byte));
  } catch (const nlohmann::json::exception& error) {
    throw bad(fmt::format("expected JSON: {}", error.what()));
  }
  if (!object.is_object()) {
    throw bad(fmt::format("expected a JSON object, found {}", object.type_name()));
  }
  const auto text = object.find(key);
  if (text == object.end()) {
    std::vector<std::string> keys;
    for (const auto& item : object.items()) keys.push_back(item.key());
    const std::string near = nearest_name(key, keys);
    throw bad(fmt::format("expected the key \"{}\", found none{}", key,
                          near.empty() ? "" : fmt::format("; there is \"{}\"", near)));
  }
  if (!text->is_string()) {
    throw bad(fmt::format("\"{}\": expected a string, found {}", key, text->type_name()));
  }
  auto& content = text->get_ref<std::string&>();
  if (content.empty()) throw bad(fmt::format("\"{}\": expected text, found \"\"", key));
  if (const std::size_t at = tokenizer.reserved_at(content); at != std::string::npos) {
    refuse_byte(fmt::format("\"{}\"", key), at, TextChecker::kNoReserved, content[at]);
  }
  return std::move(content);
}

}  // namespace

void read_jsonl(const ByteSource& source, std::string_view name, std::string_view key,
                const Tokenizer& tokenizer, const TextSink& sink, const ProblemSink& problem) {
  std::string chunk(kChunkNbytes, '\0'), line;
  std::int64_t line_number = 0;
  bool is_empty = true;
  const auto finish_line = [&] {  // returns whether reading goes on
    ++line_number;
    bool goes_on = true;
    if (!is_blank(line)) {
      is_empty = false;
      std::string text;
      try {
        text = text_of_line(line, key, tokenizer);
      } catch (const Error& error) {
        goes_on = problem(
            Error(error.code(), fmt::format("{}:{}: {}", name, line_number, error.message())));
      }
      if (!text.empty()) sink(text, true);
    }
    line.clear();
    return goes_on;
  };
  while (const std::size_t size = source(chunk)) {
    std::string_view rest = std::string_view(chunk).substr(0, size);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      line += rest.substr(0, end);
      if (!finish_line()) return;
      rest.remove_prefix(end + 1);
    }
    line += rest;
  }
  if (!line.empty() && !finish_line()) return;
  if (is_empty) {
    problem(
        Error(ErrorCode::bad_input, fmt::format("{}: expected lines of JSON, found none", name)));
  }
}

void read_text_documents(const ByteSource& source, std::string_view name,
                         std::string_view separator, bool raw_bytes, const Tokenizer& tokenizer,
                         const TextSink& sink) {
  TextChecker checker(name, tokenizer);
  std::string chunk(kChunkNbytes, '\0');
  std::string pending;  // text that has not been passed to the sink yet
  bool has_document = false, in_document = false;
  const auto feed = [&](std::string_view text, bool ends) {
    if (ends && !in_document && (separator.empty() ? text.empty() : is_blank(text))) {
      return;  // an empty document is none
    }
    has_document = true;
    in_document = !ends;
    sink(text, ends);
  };
  while (const std::size_t size = source(chunk)) {
    const std::string_view fresh = std::string_view(chunk).substr(0, size);
    if (!raw_bytes) checker.feed(fresh);
    std::size_t begin = 0;
    if (!separator.empty()) {
      // The separator may have begun in the text of earlier chunks.
      std::size_t from = pending.size() - std::min(pending.size(), separator.size() - 1);
      pending += fresh;
      for (std::size_t end = pending.find(separator, from); end != std::string::npos;
           end = pending.find(separator, from)) {
        feed(std::string_view(pending).substr(begin, end - begin), true);
        begin = from = end + separator.size();
      }
    } else {
      pending += fresh;
    }
    const std::size_t kept =
        separator.empty() ? 0 : std::min(pending.size() - begin, separator.size() - 1);
    const std::string_view open =
        std::string_view(pending).substr(begin, pending.size() - begin - kept);
    // White space alone is kept back: if the document has nothing else, it will be dropped.
    if (in_document || !is_blank(open)) {
      if (const std::size_t now = tokenizer.separable_prefix(open); now > 0) {
        feed(open.substr(0, now), false);
        begin += now;
      }
    }
    pending.erase(0, begin);
  }
  if (!raw_bytes) checker.finish();
  feed(pending, true);
  if (!has_document) {
    throw Error(ErrorCode::bad_input, fmt::format("{}: expected text, found none", name));
  }
}

}  // namespace megascale
