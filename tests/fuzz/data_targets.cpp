#include <algorithm>
#include <optional>
#include <string>

#include "fuzz/targets.h"
#include "megascale/base/error.h"
#include "megascale/base/utf8.h"
#include "megascale/data/chat/conversation_encoder.h"
#include "megascale/data/dataset_info.h"
#include "megascale/data/encode_part.h"
#include "megascale/data/input_parts.h"
#include "megascale/data/json_lines.h"
#include "megascale/data/prepare_record.h"
#include "megascale/data/tokenizers/unicode.h"

namespace megascale::fuzz {

bool jsonl(std::span<const std::byte> input) {
  std::string_view rest = as_text(input);
  const auto lines = 1 + std::count(rest.begin(), rest.end(), '\n');
  const ByteSource source = [&](std::span<char> buffer) {
    constexpr std::size_t kPiece = 7;
    const std::size_t size = std::min({rest.size(), buffer.size(), kPiece});
    std::copy_n(rest.begin(), size, buffer.begin());
    rest.remove_prefix(size);
    return size;
  };
  std::ptrdiff_t documents = 0, problems = 0;
  const ByteTokenizer bytes;
  const auto take = [&](std::int64_t line, const JsonDocument& document) {
    MEGASCALE_CHECK(line >= 0 && line < lines, "the number of a line");
    if (const auto* text = std::get_if<std::string>(&document)) {
      MEGASCALE_CHECK(!text->empty() && valid_utf8_prefix(*text) == text->size(), "a text");
    } else {
      MEGASCALE_CHECK(!std::get<1>(document).empty(), "token ids");
    }
    ++documents;
  };
  const auto problem = [&](std::int64_t, const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input && !error.message().empty(),
                    error.message());
    ++problems;
    return true;
  };
  const auto reader = read_lines(source, {.part_nbytes = 16});
  for (bool is_last = false; !is_last;) {
    const InputPart part = reader->next();
    is_last = part.is_last;
    (void)read_json_lines(part.bytes,
                          {.key = "text", .tokenizer = bytes, .sink = take, .problem = problem});
  }
  MEGASCALE_CHECK(documents + problems <= lines, "each line is heard of once");
  return problems == 0 && documents > 0;
}

namespace {

// Returns whether the template accepts the conversation.
bool renders(const chat::Conversation& conversation, chat::ChatTemplate name) {
  std::string learned;
  try {
    for (const chat::ChatPiece& piece : chat::render(conversation, name)) {
      MEGASCALE_CHECK(piece.message < conversation.messages.size() || !piece.is_learned,
                      "a piece of a message");
      if (piece.is_learned && !piece.is_special) learned += piece.text;
    }
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input && !error.message().empty(),
                    error.message());
    return false;
  }
  std::size_t at = 0;
  for (const chat::Message& message : conversation.messages) {
    if (!message.is_learned) continue;
    std::string_view content = message.content;
    content.remove_prefix(tokenizers::leading_white_space(content));
    content.remove_suffix(tokenizers::trailing_white_space(content));
    at = learned.find(content, at);
    MEGASCALE_CHECK(at != std::string::npos, "the content is learned");
    at += content.size();
  }
  return true;
}

}  // namespace

namespace {

bool learns_something(const chat::Conversation& conversation) {
  return std::any_of(conversation.messages.begin(), conversation.messages.end(),
                     [](const chat::Message& message) { return message.is_learned; });
}

// Encodes a conversation, which may be refused as bad input.
void encode(const chat::Conversation& conversation) {
  const ByteTokenizer bytes;
  try {
    const auto encoded =
        chat::ConversationEncoder(chat::ChatTemplate::plain, bytes).encode(conversation);
    MEGASCALE_CHECK(encoded.ids.size() == encoded.loss_mask.size() && encoded.loss_mask.back() <= 1,
                    "a loss mask of the tokens");
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input, error.message());
  }
}

// Returns what `parse` makes of the input, or nothing if it is refused as bad input.
template <class Parse>
auto parsed_line(std::span<const std::byte> input, const Parse& parse)
    -> std::optional<decltype(parse(std::string()))> {
  try {
    return parse(std::string(as_text(input)));
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input && !error.message().empty(),
                    error.message());
    return std::nullopt;
  }
}

}  // namespace

bool conversation(std::span<const std::byte> input) {
  const auto parsed = parsed_line(input, chat::parse_conversation);
  if (!parsed) return false;
  MEGASCALE_CHECK(learns_something(*parsed), "something to learn");
  for (std::size_t i = 0; i < chat::kChatTemplateNames.size(); ++i)
    (void)renders(*parsed, static_cast<chat::ChatTemplate>(i));
  encode(*parsed);
  return true;
}

bool preference(std::span<const std::byte> input) {
  const auto parsed = parsed_line(input, chat::parse_preference);
  if (!parsed) return false;
  for (const chat::Conversation* answer : {&parsed->chosen, &parsed->rejected}) {
    MEGASCALE_CHECK(learns_something(*answer), "something to weigh");
    encode(*answer);
  }
  return true;
}

// An id outside of the vocabulary, or a header that is wrong, is refused; all others come out.
bool token_ids(std::span<const std::byte> input) {
  if (input.empty()) return false;
  const auto format = static_cast<InputFormat>(static_cast<std::uint8_t>(InputFormat::ids) +
                                               static_cast<std::uint8_t>(input[0]) % 4);
  const std::string_view bytes = as_text(input.subspan(1));
  const IdVocabulary vocabulary(1000, 7);
  EncodeOptions options{.format = format, .name = "fuzz", .eod = 7, .tokenizer = &vocabulary};
  try {
    if (is_binary(format)) options.items = item_layout(format, bytes, bytes.size(), "fuzz");
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input, error.message());
    return false;
  }
  InputPart part;
  part.offset = options.items.begin;
  part.bytes = bytes.substr(std::min<std::size_t>(options.items.begin, bytes.size()));
  part.is_last = true;
  const EncodedPart encoded = encode_part(part, options);
  std::size_t last = 0;
  for (const std::size_t end : encoded.ends) {
    MEGASCALE_CHECK(end >= last && end <= encoded.ids.size(), "documents rise");
    last = end;
  }
  for (const std::int32_t id : encoded.ids) MEGASCALE_CHECK(id >= 0 && id < 1000, "an id");
  return encoded.problems.empty();
}

bool dataset_info(std::span<const std::byte> input) {
  try {
    const DatasetInfo info = parse_dataset_info(as_text(input), "fuzz.info.json");
    MEGASCALE_CHECK(parse_dataset_info(to_text(info), "again") == info, "its own text");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.message().starts_with("fuzz.info.json"), error.message());
    return false;
  }
}

bool prepare_record(std::span<const std::byte> input) {
  try {
    const PrepareRecord record = parse_prepare_record(as_text(input), "fuzz.prepare.json");
    MEGASCALE_CHECK(parse_prepare_record(to_text(record), "again") == record &&
                        difference(record, record).empty(),
                    "its own text");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.message().starts_with("fuzz.prepare.json"), error.message());
    return false;
  }
}

}  // namespace megascale::fuzz
