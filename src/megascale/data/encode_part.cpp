// Turns the bytes of a part into token ids, by the format of the input.
#include "megascale/data/encode_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>

#include "megascale/checkpoint/json_text.h"
#include "megascale/data/json_lines.h"
#include "megascale/data/text_checks.h"

namespace megascale {
namespace {

constexpr std::string_view kBetweenIds = " \t\r,";

class PartEncoder {
 public:
  PartEncoder(const InputPart& part, const EncodeOptions& options)
      : part_(part), options_(options), tokenizer_(*options.tokenizer) {}

  EncodedPart run() {
    switch (options_.format) {
      case InputFormat::jsonl:
        encode_json_lines();
        break;
      case InputFormat::chat:
        encode_conversations([&](const std::string& line) {
          return std::array{options_.conversations->encode(chat::parse_conversation(line))};
        });
        break;
      case InputFormat::preference:
        encode_conversations([&](const std::string& line) {
          const chat::Preference pair = chat::parse_preference(line);
          return std::array{encode_answer(pair.chosen, "chosen"),
                            encode_answer(pair.rejected, "rejected")};
        });
        break;
      case InputFormat::ids:
        encode_lines_of_ids();
        break;
      case InputFormat::uint16:
      case InputFormat::uint32:
      case InputFormat::npy:
        encode_items();
        break;
      case InputFormat::automatic:
      case InputFormat::text:
        encode_pieces();
        break;
    }
    result_.has_content |= !result_.problems.empty();
    return std::move(result_);
  }

 private:
  void add_problem(std::int64_t line, const Error& error) {
    result_.problems.push_back({line, error});
  }

  // Ends the document that is open, here or since an earlier part.
  void end_document() { result_.ends.push_back(result_.ids.size()); }

  void end_text() {
    // eod() throws, with the reason, if the tokenizer has none.
    if (options_.append_eod) result_.ids.push_back(options_.eod ? *options_.eod : tokenizer_.eod());
    end_document();
  }

  void encode_pieces() {
    if (!options_.raw_bytes) {
      if (const auto wrong =
              find_wrong_byte(part_.bytes, tokenizer_, options_.name, part_.offset)) {
        add_problem(-1, Error(ErrorCode::bad_input, *wrong));
        result_.ends_input = true;
        return;
      }
    }
    for (const InputPart::Piece& piece : part_.pieces) {
      const std::string_view text =
          std::string_view(part_.bytes).substr(piece.begin, piece.end - piece.begin);
      piece.begins_document ? tokenizer_.encode(text, result_.ids)
                            : tokenizer_.encode_rest(text, result_.ids);
      result_.text_nbytes += static_cast<std::int64_t>(text.size());
      result_.has_content = true;
      if (piece.ends_document) end_text();
    }
  }

  void encode_json_lines() {
    const auto take = [&](std::int64_t line, JsonDocument document) {
      result_.has_content = true;
      if (const auto* ids = std::get_if<std::vector<std::int64_t>>(&document)) {
        add_ids(line, fmt::format("\"{}\": ", options_.json_key), *ids);
        return;
      }
      const std::string& text = std::get<std::string>(document);
      tokenizer_.encode(text, result_.ids);
      result_.text_nbytes += static_cast<std::int64_t>(text.size());
      end_text();
    };
    const auto note = [&](std::int64_t line, const Error& error) {
      add_problem(line, error);
      return true;
    };
    result_.lines = read_json_lines(
        part_.bytes,
        {.key = options_.json_key, .tokenizer = tokenizer_, .sink = take, .problem = note});
  }

  // `key` is where the answer stands, for messages.
  [[nodiscard]] chat::EncodedConversation encode_answer(const chat::Conversation& conversation,
                                                        std::string_view key) const {
    try {
      return options_.conversations->encode(conversation);
    } catch (Error& error) {
      error.add_context(fmt::format("writing the prompt with the answer under \"{}\"", key));
      throw;
    }
  }
  // `parse` returns the conversations of a line, each of which becomes a document.
  template <class Parse>
  void encode_conversations(const Parse& parse) {
    const auto take = [&](std::int64_t, const auto& conversations) {
      result_.has_content = true;
      for (const chat::EncodedConversation& encoded : conversations) {
        result_.ids.insert(result_.ids.end(), encoded.ids.begin(), encoded.ids.end());
        result_.loss_mask.insert(result_.loss_mask.end(), encoded.loss_mask.begin(),
                                 encoded.loss_mask.end());
        result_.text_nbytes += encoded.text_nbytes;
        end_document();
      }
    };
    result_.lines =
        for_each_json_line(part_.bytes, parse, take, [&](std::int64_t line, const Error& error) {
          add_problem(line, error);
          return true;
        });
  }

  void encode_lines_of_ids() {
    for (std::string_view rest = part_.bytes; !rest.empty(); ++result_.lines) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (is_blank(line)) continue;
      result_.has_content = true;
      std::vector<std::int64_t> ids;
      bool is_good = true;
      while (is_good) {
        line.remove_prefix(std::min(line.find_first_not_of(kBetweenIds), line.size()));
        if (line.empty()) break;
        const std::string_view word = line.substr(0, line.find_first_of(kBetweenIds));
        line.remove_prefix(word.size());
        std::int64_t id = 0;
        const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), id);
        is_good = error == std::errc() && at == word.data() + word.size();
        if (is_good) ids.push_back(id);
        if (!is_good) {
          add_problem(result_.lines,
                      Error(ErrorCode::bad_input,
                            fmt::format("expected token ids with spaces or commas between them, "
                                        "found \"{}\"",
                                        checkpoint::shown(word.substr(0, 40)))));
        }
      }
      if (is_good && !ids.empty()) add_ids(result_.lines, "", ids);
    }
  }

  void encode_items() {
    const std::size_t size = options_.items.nbytes, count = part_.bytes.size() / size;
    result_.ids.reserve(count);
    result_.has_content = result_.has_ids = count > 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t id = item(i * size);
      if (id < 0 || id >= tokenizer_.vocab_size()) {
        const std::uint64_t number = (part_.offset - options_.items.begin) / size + i;
        add_problem(-1, Error(ErrorCode::bad_input,
                              fmt::format("{}: token {}: {}", options_.name, number, outside(id))));
        result_.ends_input = true;
        return;
      }
      result_.ids.push_back(static_cast<std::int32_t>(id));
      if (options_.eod && id == *options_.eod) end_document();
    }
  }

  [[nodiscard]] std::int64_t item(std::size_t at) const noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, part_.bytes.data() + at, options_.items.nbytes);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(options_.items.nbytes);
    if (!options_.items.is_signed) return value > INT64_MAX ? -1 : static_cast<std::int64_t>(value);
    return static_cast<std::int64_t>(value << unused) >> unused;
  }

  [[nodiscard]] std::string outside(std::int64_t id) const {
    return fmt::format(
        "expected ids from 0 to {}, the vocabulary that --tokenizer or --vocab-size names, found "
        "{}",
        tokenizer_.vocab_size() - 1, id);
  }

  // Adds a document of ids.
  void add_ids(std::int64_t line, const std::string& place, std::span<const std::int64_t> ids) {
    const auto wrong = std::find_if(ids.begin(), ids.end(), [&](std::int64_t id) {
      return id < 0 || id >= tokenizer_.vocab_size();
    });
    if (wrong != ids.end()) {
      return add_problem(
          line, Error(ErrorCode::bad_input, fmt::format("{}position {}: {}", place,
                                                        wrong - ids.begin(), outside(*wrong))));
    }
    result_.has_ids = true;
    for (const std::int64_t id : ids) result_.ids.push_back(static_cast<std::int32_t>(id));
    if (options_.append_eod && options_.eod && ids.back() != *options_.eod)
      result_.ids.push_back(*options_.eod);
    end_document();
  }

  const InputPart& part_;
  const EncodeOptions& options_;
  const Tokenizer& tokenizer_;
  EncodedPart result_;
};

}  // namespace

EncodedPart encode_part(const InputPart& part, const EncodeOptions& options) {
  return PartEncoder(part, options).run();
}

}  // namespace megascale
