// The byte tokenizer, and the choice of a tokenizer by its configured name.
#include "megascale/data/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/data/tokenizers/sentencepiece.h"
#include "megascale/data/tokenizers/tiktoken.h"
#include "megascale/data/tokenizers/tokenizer_json.h"

namespace megascale {

std::size_t Tokenizer::separable_prefix(std::string_view /*text*/) const { return 0; }

std::size_t Tokenizer::reserved_at(std::string_view /*text*/) const {
  return std::string_view::npos;
}

std::string Tokenizer::token_text(std::int32_t id) const { return decode({&id, 1}); }

std::optional<std::int32_t> Tokenizer::special_token(std::string_view /*text*/) const {
  return std::nullopt;
}

void ByteTokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  ids.resize(before + text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    ids[before + i] = static_cast<unsigned char>(text[i]);
  }
}

std::string ByteTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  text.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] > 255) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("position {}: expected a token id from 0 to 255, found {}", i, ids[i]));
    }
    text += static_cast<char>(ids[i]);
  }
  return text;
}

std::size_t ByteTokenizer::separable_prefix(std::string_view text) const {
  // The last character may be incomplete; it begins in one of the last three bytes then.
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    const std::size_t size = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (byte >= 0xC0) return size > back ? text.size() - back : text.size();
    if (byte < 0x80) break;
  }
  return text.size();
}

std::int32_t IdVocabulary::eod() const {
  if (eod_) return *eod_;
  throw Error(ErrorCode::bad_usage,
              "expected the id of the end of a document, found none: name the tokenizer with "
              "--tokenizer, or the id with --eod");
}

void IdVocabulary::encode(std::string_view /*text*/, std::vector<std::int32_t>& /*ids*/) const {
  throw Error(ErrorCode::bad_usage, "a text needs a tokenizer: name it with --tokenizer");
}

std::string IdVocabulary::decode(std::span<const std::int32_t> /*ids*/) const {
  throw Error(ErrorCode::bad_usage, "the text of ids needs a tokenizer: name it with --tokenizer");
}

namespace {

std::unique_ptr<const Tokenizer> open_json(const std::filesystem::path& path) {
  const std::filesystem::path config = path.parent_path() / "tokenizer_config.json";
  std::error_code ignored;
  const bool has_config = std::filesystem::exists(config, ignored);
  return tokenizers::read_tokenizer_json(read_text(path), has_config ? read_text(config) : "",
                                         path.string());
}

}  // namespace

TokenizerName parse_tokenizer_name(const std::string& name) {
  using Kind = TokenizerName::Kind;
  if (name == "byte") return {};
  std::filesystem::path path = name;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return {Kind::json, path / "tokenizer.json", ""};
  if (path.extension() == ".json") return {Kind::json, path, ""};
  std::string encoding;
  // "@" in the name of a folder names no encoding.
  if (const std::size_t at = path.filename().string().rfind('@'); at != std::string::npos) {
    encoding = path.filename().string().substr(at + 1);
    path = name.substr(0, name.size() - encoding.size() - 1);
  }
  if (path.extension() == ".tiktoken" || !encoding.empty()) {
    if (encoding.empty()) encoding = path.stem().string();
    return {Kind::ranks, path, encoding};
  }
  if (path.extension() == ".model") return {Kind::sentencepiece, path, ""};
  throw Error(ErrorCode::bad_usage,
              fmt::format("tokenizer: expected \"byte\", a folder with a tokenizer.json, or a file "
                          "named *.json, *.tiktoken or *.model, found \"{}\"",
                          name));
}

std::unique_ptr<const Tokenizer> open_tokenizer(const std::string& name) {
  const auto [kind, path, encoding] = parse_tokenizer_name(name);
  switch (kind) {
    case TokenizerName::Kind::json:
      return open_json(path);
    case TokenizerName::Kind::ranks:
      return tokenizers::read_tiktoken(read_text(path), encoding, path.string());
    case TokenizerName::Kind::sentencepiece:
      return tokenizers::read_sentencepiece(read_text(path), path.string());
    case TokenizerName::Kind::byte:
      break;
  }
  return std::make_unique<ByteTokenizer>();
}

}  // namespace megascale
