// Rank files hold no merges. Two tokens can be merged if their texts joined are a token, and its
// rank is the rank of the merge, so all divisions of each token into two tokens are listed.
#include "megascale/data/tokenizers/tiktoken.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/data/tokenizers/bpe.h"
#include "megascale/data/tokenizers/cuts.h"
#include "megascale/data/tokenizers/json_model.h"
#include "megascale/data/tokenizers/patterns.h"
#include "megascale/data/tokenizers/pipeline.h"

namespace megascale::tokenizers {
namespace {

// Bounds the divisions of a token, of which there are as many as bytes. The longest token of
// published encodings has 128 bytes.
constexpr std::size_t kTokenNbytesMax = 1024;

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    const int digit = digit_of(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

class LineReader {
 public:
  LineReader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}
  // Passes each token and its id to `add`, which returns false if one was there before.
  template <class Add>
  void run(const Add& add) {
    while (!rest_.empty()) {
      ++line_;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      const std::size_t space = line.find(' ');
      std::int64_t id = -1;
      if (space != std::string_view::npos) {
        const char* last = line.data() + line.size();
        if (std::from_chars(line.data() + space + 1, last, id).ptr != last) id = -1;
      }
      const auto token = from_base64(line.substr(0, std::min(space, line.size())));
      if (!token || token->empty() || token->size() > kTokenNbytesMax || id < 0 || id >= kIdsMax) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}:{}: expected a token of 1 to {} bytes in base64, a space and "
                                "an id below {}, found \"{}\"",
                                name_, line_, kTokenNbytesMax, kIdsMax, checkpoint::shown(line)));
      }
      if (!add(*token, static_cast<std::int32_t>(id))) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}:{}: expected each token and each id once, found \"{}\" again",
                                name_, line_, checkpoint::shown(line)));
      }
    }
  }

 private:
  std::string_view rest_;
  const std::string& name_;
  std::size_t line_ = 0;
};

MergeTable merges_of(const TokenTable& tokens) {
  MergeTable merges(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto [text, id] = tokens[i];
    for (std::size_t at = 1; at < text.size(); ++at) {
      const std::int32_t left = tokens.find(text.substr(0, at));
      if (left == TokenTable::kNone) continue;
      const std::int32_t right = tokens.find(text.substr(at));
      if (right == TokenTable::kNone) continue;
      merges.add(left, right, {.rank = static_cast<std::uint32_t>(id), .result = id});
    }
  }
  return merges;
}

void check_single_bytes(const TokenTable& tokens, const std::string& name) {
  for (int byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    if (tokens.find({&text, 1}) != TokenTable::kNone) continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected a token for each single byte, found none for 0x{:02X}",
                            name, byte));
  }
}

}  // namespace

std::unique_ptr<const Tokenizer> read_tiktoken(std::string_view text, std::string_view encoding,
                                               const std::string& name) {
  const NamedEncoding* named = find_encoding(encoding);
  if (named == nullptr) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected one of the encodings {}, found \"{}\": name it after the "
                            "path, as in ranks.tiktoken@o200k_base",
                            name, encoding_names(), encoding));
  }
  PipelineParts parts{.name = name};
  TokenTable tokens;
  LineReader(text, name).run([&](const std::string& token, std::int32_t id) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= parts.token_texts.size()) parts.token_texts.resize(index + 1);
    if (tokens.find(token) != TokenTable::kNone || !parts.token_texts[index].empty()) return false;
    tokens.add(token, id);
    parts.token_texts[index] = token;
    return true;
  });
  check_single_bytes(tokens, name);
  for (const auto& [content, id] : named->special_tokens) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= parts.token_texts.size()) parts.token_texts.resize(index + 1);
    if (!parts.token_texts[index].empty()) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("{}: expected no token with the id {}, which {} uses for {}: name "
                              "another encoding",
                              name, id, named->name, content));
    }
    parts.token_texts[index] = content;
    if (content == named->eod) parts.eod = id;
  }
  MergeTable merges = merges_of(tokens);
  parts.model = std::make_unique<Bpe>(std::move(tokens), std::move(merges),
                                      BpeOptions{.byte_level = true, .ignore_merges = true});
  const std::string pattern(named->pattern);
  parts.pre_tokenizer.emplace_back(Split{Regex(to_pcre2(pattern))});
  parts.cuts = cuts_of(parts, {pattern});
  DigestStream digest;
  digest.update(fmt::format("tiktoken {}\n", named->name));
  digest.update(text);
  parts.fingerprint = digest.finish();
  return std::make_unique<Pipeline>(std::move(parts));
}

}  // namespace megascale::tokenizers
