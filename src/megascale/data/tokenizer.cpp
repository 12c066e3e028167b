// The byte tokenizer, and the choice of a tokenizer by its configured name.
#include "megascale/data/tokenizer.h"

#include <fmt/format.h>

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

namespace {

std::unique_ptr<const Tokenizer> open_json(const std::filesystem::path& path) {
  const std::filesystem::path config = path.parent_path() / "tokenizer_config.json";
  std::error_code ignored;
  const bool has_config = std::filesystem::exists(config, ignored);
  return tokenizers::read_tokenizer_json(read_text(path), has_config ? read_text(config) : "",
                                         path.string());
}

}  // namespace

std::unique_ptr<const Tokenizer> open_tokenizer(const std::string& name) {
  if (name == "byte") return std::make_unique<ByteTokenizer>();
  std::filesystem::path path = name;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open_json(path / "tokenizer.json");
  if (path.extension() == ".json") return open_json(path);
  std::string encoding;
  if (const std::size_t at = name.rfind('@'); at != std::string::npos) {
    path = name.substr(0, at);
    encoding = name.substr(at + 1);
  }
  if (path.extension() == ".tiktoken" || !encoding.empty()) {
    if (encoding.empty()) encoding = path.stem().string();
    return tokenizers::read_tiktoken(read_text(path), encoding, path.string());
  }
  if (path.extension() == ".model")
    return tokenizers::read_sentencepiece(read_text(path), path.string());
  throw Error(ErrorCode::bad_usage,
              fmt::format("tokenizer: expected \"byte\", a folder with a tokenizer.json, or a file "
                          "named *.json, *.tiktoken or *.model, found \"{}\"",
                          name));
}

}  // namespace megascale
