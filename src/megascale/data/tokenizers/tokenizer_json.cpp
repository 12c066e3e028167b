// Puts a tokenizer together from the components of a tokenizer.json.
#include "megascale/data/tokenizers/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/base/digest.h"
#include "megascale/data/tokenizers/cuts.h"
#include "megascale/data/tokenizers/json_components.h"
#include "megascale/data/tokenizers/json_model.h"
#include "megascale/data/tokenizers/pipeline.h"

namespace megascale::tokenizers {
namespace {

using nlohmann::json;

// Components are nested in sequences, at most a few levels deep.
constexpr int kDepthMax = 16;

// Names of the token for the end of a document in published files, in the order of preference.
constexpr std::string_view kEodNames[] = {"<|endoftext|>", "<|end_of_text|>",       "</s>",
                                          "<eos>",         "<｜end▁of▁sentence｜>", "<|end|>"};

bool is_given(const json& root, const char* key) {
  return root.contains(key) && !root[key].is_null();
}

void read_added_tokens(const JsonPlace& root, PipelineParts& parts) {
  if (!is_given(root.value, "added_tokens")) return;
  for (const JsonPlace& item : root.list("added_tokens")) {
    AddedToken token{.content = item.text("content"),
                     .single_word = item.flag("single_word", false),
                     .lstrip = item.flag("lstrip", false),
                     .rstrip = item.flag("rstrip", false),
                     .normalized = item.flag("normalized", true),
                     .special = item.flag("special", false)};
    const std::size_t id = item.count("id");
    put_token_text(item, static_cast<std::int64_t>(id), token.content, parts.token_texts);
    token.id = static_cast<std::int32_t>(id);
    parts.added_tokens.push_back(std::move(token));
  }
}

// The token that tokenizer_config.json names: a text, or an object with the text.
std::string eos_of(std::string_view config, const std::string& name) {
  if (config.empty()) return {};
  const checkpoint::JsonSource source{name, ErrorCode::bad_input};
  const json root = checkpoint::parse_json(config, source, kDepthMax);
  if (!root.is_object() || !is_given(root, "eos_token")) return {};
  const json& token = root["eos_token"];
  if (token.is_string()) return token.get<std::string>();
  return checkpoint::string_member(token, "content", source, "eos_token");
}

std::int32_t id_of_text(const PipelineParts& parts, std::string_view text) {
  const auto found = std::find(parts.token_texts.begin(), parts.token_texts.end(), text);
  return text.empty() || found == parts.token_texts.end()
             ? TokenTable::kNone
             : static_cast<std::int32_t>(found - parts.token_texts.begin());
}

std::int32_t eod_of(const PipelineParts& parts, std::string_view config) {
  if (const std::int32_t named = id_of_text(parts, eos_of(config, parts.name + "'s configuration"));
      named != TokenTable::kNone) {
    return named;
  }
  for (const std::string_view name : kEodNames) {
    if (const std::int32_t id = id_of_text(parts, name); id != TokenTable::kNone) return id;
  }
  return TokenTable::kNone;
}

// The digest of all members that change ids or texts. White space and the order of keys do not
// count.
std::string fingerprint_of(const json& root) {
  DigestStream digest;
  for (const char* key : {"added_tokens", "normalizer", "pre_tokenizer", "model", "decoder"}) {
    digest.update(fmt::format("{}:{}\n", key, root.contains(key) ? root[key].dump() : "null"));
  }
  return digest.finish();
}

}  // namespace

std::unique_ptr<const Tokenizer> read_tokenizer_json(std::string_view text, std::string_view config,
                                                     const std::string& name) {
  const checkpoint::JsonSource source{name, ErrorCode::bad_input};
  const json document = checkpoint::parse_json(text, source, kDepthMax);
  const JsonPlace root{document, source, ""};
  PipelineParts parts{.name = name};
  PreTokenizerParts pre_tokenizer;
  if (!document.is_object()) throw source.error("expected a JSON object with the member \"model\"");
  if (is_given(document, "normalizer")) read_normalizer(root.at("normalizer"), parts.normalizer);
  if (is_given(document, "pre_tokenizer"))
    read_pre_tokenizer(root.at("pre_tokenizer"), pre_tokenizer);
  parts.pre_tokenizer = std::move(pre_tokenizer.steps);
  parts.model = read_model(root.at("model"), pre_tokenizer.byte_level, parts.token_texts);
  read_added_tokens(root, parts);
  if (is_given(document, "decoder")) {
    read_decoder(root.at("decoder"), parts.decoder);
  } else {
    parts.decoder.emplace_back(JoinWithSpaces{});
  }
  if (parts.token_texts.empty())
    throw source.error("expected tokens in the vocabulary, found none");
  parts.eod = eod_of(parts, config);
  parts.cuts = cuts_of(parts, pre_tokenizer.patterns);
  parts.fingerprint = fingerprint_of(document);
  return std::make_unique<Pipeline>(std::move(parts));
}

}  // namespace megascale::tokenizers
