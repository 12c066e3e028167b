#include "megascale/data/tokenizers/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/base/utf8.h"
#include "megascale/data/tokenizers/cuts.h"

namespace megascale::tokenizers {
namespace {

// ICU counts bytes in 32 bits. Longer documents must be encoded in parts.
constexpr std::size_t kTextNbytesMax = std::size_t{1} << 30;

// Returns the tokens that are looked for in the text as it is, or in the normalized text.
std::vector<AddedToken> tokens_for(const PipelineParts& parts, bool normalized) {
  std::vector<AddedToken> tokens;
  for (const AddedToken& token : parts.added_tokens) {
    if (token.normalized != normalized || token.content.empty()) continue;
    tokens.push_back(token);
    if (normalized) normalize(tokens.back().content, parts.normalizer);
    if (tokens.back().content.empty()) tokens.pop_back();
  }
  return tokens;
}

}  // namespace

Pipeline::Pipeline(PipelineParts parts)
    : parts_(std::move(parts)),
      raw_tokens_(tokens_for(parts_, false)),
      normalized_tokens_(tokens_for(parts_, true)),
      pre_tokenizer_(std::move(parts_.pre_tokenizer)) {}

std::int32_t Pipeline::eod() const {
  if (parts_.eod != TokenTable::kNone) return parts_.eod;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: expected a token for the end of a document, found none: name it as "
                          "eos_token in the file tokenizer_config.json beside it",
                          parts_.name));
}

void Pipeline::encode_part(std::string_view text, bool begins,
                           std::vector<std::int32_t>& ids) const {
  if (text.size() > kTextNbytesMax) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected a text of at most {} bytes, found {}: cut it into "
                            "documents",
                            parts_.name, kTextNbytesMax, text.size()));
  }
  std::string replaced;
  if (valid_utf8_prefix(text) != text.size()) {
    replaced = replace_invalid_utf8(text);
    text = replaced;
  }
  if (raw_tokens_.empty()) {
    if (!text.empty()) encode_between_tokens(text, begins, !begins, ids);
    return;
  }
  raw_tokens_.run(text, [&](TextRange part, std::int32_t id) {
    if (id != TokenTable::kNone) return ids.push_back(id);
    const bool is_front = part.begin == 0;
    encode_between_tokens(part.of(text), begins && is_front, !begins && is_front, ids);
  });
}

void Pipeline::encode_between_tokens(std::string_view text, bool is_first, bool continues,
                                     std::vector<std::int32_t>& ids) const {
  std::string normalized;
  if (!parts_.normalizer.empty()) {
    normalized = text;
    normalize(normalized, parts_.normalizer, continues);
    text = normalized;
  }
  const PreTokenizer::Sink sink = [&](std::string_view piece, bool) {
    parts_.model->encode(piece, ids);
  };
  if (normalized_tokens_.empty()) return pre_tokenizer_.run(text, is_first, sink);
  normalized_tokens_.run(text, [&](TextRange part, std::int32_t id) {
    if (id != TokenTable::kNone) return ids.push_back(id);
    pre_tokenizer_.run(part.of(text), is_first && part.begin == 0, sink);
  });
}

std::string Pipeline::token_text(std::int32_t id) const {
  if (id >= 0 && id < vocab_size() && !parts_.token_texts[static_cast<std::size_t>(id)].empty())
    return parts_.token_texts[static_cast<std::size_t>(id)];
  throw Error(
      ErrorCode::bad_input,
      fmt::format("expected the id of a token, from 0 to {}, found {}", vocab_size() - 1, id));
}

std::optional<std::int32_t> Pipeline::special_token(std::string_view text) const {
  // Files may list "</s>" among the added tokens, among those of the model, or both, with one id.
  const auto found = std::find(parts_.token_texts.begin(), parts_.token_texts.end(), text);
  if (text.empty() || found == parts_.token_texts.end()) return std::nullopt;
  return static_cast<std::int32_t>(found - parts_.token_texts.begin());
}

std::string Pipeline::decode(std::span<const std::int32_t> ids) const {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const std::int32_t id : ids) texts.push_back(token_text(id));
  return tokenizers::decode(std::move(texts), parts_.decoder);
}

std::size_t Pipeline::separable_prefix(std::string_view text) const {
  return last_cut(text, parts_.cuts);
}

}  // namespace megascale::tokenizers
