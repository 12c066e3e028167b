// Training of byte-level BPE. A queue holds pairs of tokens by count, each with the words in which
// it was found. Counts in the queue may be too high; a pair whose count has changed is put back.
// The details follow Hugging Face's tokenizers (models/bpe/trainer.rs), so that the merges are
// equal: also that a pair which arises again, after its token was made in another way, is queued
// twice and can appear twice. Then its later rank counts.
#include "megascale/data/tokenizers/bpe_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/base/utf8.h"
#include "megascale/data/tokenizers/byte_alphabet.h"
#include "megascale/data/tokenizers/hash.h"
#include "megascale/data/tokenizers/patterns.h"
#include "megascale/data/tokenizers/token_table.h"
#include "megascale/data/tokenizers/unicode.h"

namespace megascale::tokenizers {
namespace {

constexpr std::int64_t kVocabSizeMax = std::int64_t{1} << 24;
constexpr std::int64_t kProgressEvery = 64;

using Id = std::uint32_t;
using Pair = std::pair<Id, Id>;
struct PairHash {
  std::size_t operator()(const Pair& pair) const noexcept {
    return hash_of(std::uint64_t{pair.first} << 32 | pair.second);
  }
};

struct Word {
  std::vector<Id> symbols;
  std::int64_t count = 0;
};

struct Candidate {
  std::int64_t count = 0;
  Pair pair;
  std::vector<std::uint32_t> words;  // where it was found, rising
  // The largest is merged next.
  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

// The bytes in the order of their characters in the byte alphabet, which is the order of their ids.
std::vector<std::string> byte_tokens() {
  std::vector<std::string> bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.emplace_back(1, static_cast<char>(byte));
  std::sort(bytes.begin(), bytes.end(), [](const std::string& a, const std::string& b) {
    return utf8_code_point(character_of_byte(static_cast<unsigned char>(a[0]))) <
           utf8_code_point(character_of_byte(static_cast<unsigned char>(b[0])));
  });
  return bytes;
}

std::string_view pattern_of(const TrainerOptions& options) {
  const NamedEncoding* encoding = find_encoding(options.encoding);
  if (encoding == nullptr) {
    throw Error(ErrorCode::bad_usage, fmt::format("expected a pattern of {}, found \"{}\"",
                                                  encoding_names(), options.encoding));
  }
  return encoding->pattern;
}

std::vector<PreTokenizerStep> steps_of(const std::string& pattern) {
  std::vector<PreTokenizerStep> steps;
  steps.emplace_back(Split{Regex(to_pcre2(pattern))});
  return steps;
}

// The state of a training.
class Merger {
 public:
  Merger(std::vector<Word> words, std::vector<std::string> tokens)
      : words_(std::move(words)), tokens_(std::move(tokens)), ids_(tokens_.size()) {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      ids_.add(tokens_[i], static_cast<std::int32_t>(i));
    for (std::uint32_t w = 0; w < words_.size(); ++w) {
      const auto& symbols = words_[w].symbols;
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
        change({symbols[i], symbols[i + 1]}, w, words_[w].count, true);
    }
    queue_found();
  }
  [[nodiscard]] std::size_t tokens() const noexcept { return tokens_.size(); }

  // Merges the best pair and returns it, or nothing if none is frequent enough.
  std::optional<BpeTrainer::Merge> merge_next(std::int64_t min_count) {
    for (;;) {
      if (queue_.empty()) return std::nullopt;
      std::pop_heap(queue_.begin(), queue_.end());
      Candidate top = std::move(queue_.back());
      queue_.pop_back();
      if (const std::int64_t count = counts_[top.pair]; top.count != count) {
        top.count = count;
        push(std::move(top));
        continue;
      }
      if (top.count < std::max<std::int64_t>(min_count, 1)) return std::nullopt;
      BpeTrainer::Merge merge{tokens_[top.pair.first], tokens_[top.pair.second]};
      const Id result = id_of(merge.left + merge.right);
      for (const std::uint32_t word : top.words) merge_in(word, top.pair, result);
      queue_found();
      return merge;
    }
  }

 private:
  Id id_of(const std::string& token) {
    const std::int32_t known = ids_.find(token);
    if (known != TokenTable::kNone) return static_cast<Id>(known);
    ids_.add(token, static_cast<std::int32_t>(tokens_.size()));
    tokens_.push_back(token);
    return static_cast<Id>(tokens_.size() - 1);
  }
  void push(Candidate candidate) {
    queue_.push_back(std::move(candidate));
    std::push_heap(queue_.begin(), queue_.end());
  }
  // Adds to a pair's count. `found` says whether the pair is new at this place of the word.
  void change(const Pair& pair, std::uint32_t word, std::int64_t by, bool found) {
    counts_[pair] += by;
    if (!found) return;
    auto& words = found_[pair];
    if (words.empty() || words.back() != word) words.push_back(word);
  }
  void queue_found() {
    for (auto& [pair, words] : found_) {
      if (const std::int64_t count = counts_[pair]; count > 0)
        push({count, pair, std::move(words)});
    }
    found_.clear();
  }
  void merge_in(std::uint32_t index, const Pair& pair, Id result) {
    Word& word = words_[index];
    auto& symbols = word.symbols;
    std::size_t kept = 0;  // symbols before it are final
    for (std::size_t i = 0; i < symbols.size(); ++i, ++kept) {
      if (symbols[i] != pair.first || i + 1 == symbols.size() || symbols[i + 1] != pair.second) {
        symbols[kept] = symbols[i];
        continue;
      }
      if (kept > 0) {
        change({symbols[kept - 1], pair.first}, index, -word.count, false);
        change({symbols[kept - 1], result}, index, word.count, true);
      }
      if (i + 2 < symbols.size()) {
        change({pair.second, symbols[i + 2]}, index, -word.count, false);
        change({result, symbols[i + 2]}, index, word.count, true);
      }
      symbols[kept] = result;
      ++i;
    }
    symbols.resize(kept);
  }

  std::vector<Word> words_;
  std::vector<std::string> tokens_;
  TokenTable ids_;
  std::unordered_map<Pair, std::int64_t, PairHash> counts_;
  std::map<Pair, std::vector<std::uint32_t>> found_;  // since the last merge
  std::vector<Candidate> queue_;                      // a heap
};

}  // namespace

std::size_t BpeTrainer::WordHash::operator()(std::string_view word) const noexcept {
  return hash_of(word);
}

BpeTrainer::BpeTrainer(TrainerOptions options)
    : options_(std::move(options)),
      pattern_(pattern_of(options_)),
      pre_tokenizer_(steps_of(pattern_)) {
  const auto least = static_cast<std::int64_t>(256 + options_.special_tokens.size());
  if (options_.vocab_size < least || options_.vocab_size > kVocabSizeMax) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected a vocabulary of {} to {} tokens, found {}", least,
                            kVocabSizeMax, options_.vocab_size));
  }
}

void BpeTrainer::add(std::string_view text) {
  std::string replaced;
  if (valid_utf8_prefix(text) != text.size()) {
    replaced = replace_invalid_utf8(text);
    text = replaced;
  }
  pre_tokenizer_.run(text, true, [&](std::string_view word, bool) {
    const auto found = counts_.find(word);
    if (found != counts_.end()) {
      ++found->second;
    } else {
      counts_.emplace(word, 1);
    }
  });
}

std::vector<BpeTrainer::Merge> BpeTrainer::train(
    const std::function<void(std::int64_t)>& progress) {
  std::vector<std::string> tokens = options_.special_tokens;
  const std::vector<std::string> bytes = byte_tokens();
  std::array<Id, 256> id_of_byte{};
  for (const std::string& byte : bytes) {
    id_of_byte[static_cast<unsigned char>(byte[0])] = static_cast<Id>(tokens.size());
    tokens.push_back(byte);
  }
  std::vector<Word> words;
  words.reserve(counts_.size());
  for (const auto& [text, count] : counts_) {
    words.push_back({{}, count});
    for (const char c : text)
      words.back().symbols.push_back(id_of_byte[static_cast<unsigned char>(c)]);
  }
  Merger merger(std::move(words), std::move(tokens));
  std::vector<Merge> merges;
  while (merger.tokens() < static_cast<std::size_t>(options_.vocab_size)) {
    auto merge = merger.merge_next(options_.min_count);
    if (!merge) break;
    merges.push_back(std::move(*merge));
    if (progress && merges.size() % kProgressEvery == 0)
      progress(static_cast<std::int64_t>(merges.size()));
  }
  return merges;
}

std::string BpeTrainer::to_tokenizer_json(const std::vector<Merge>& merges) const {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  TokenTable known;
  std::string added, vocab, list;
  const auto add = [&](const std::string& token) {
    if (known.find(token) != TokenTable::kNone) return;
    vocab += fmt::format("{}{}:{}", known.size() == 0 ? "" : ",", quoted(token), known.size());
    known.add(token, static_cast<std::int32_t>(known.size()));
  };
  for (const std::string& token : options_.special_tokens) {
    added += fmt::format(
        R"({}{{"id":{},"content":{},"single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}})",
        added.empty() ? "" : ",", known.size(), quoted(token));
    add(token);
  }
  for (const std::string& byte : byte_tokens()) add(to_byte_alphabet(byte));
  std::map<std::pair<std::string, std::string>, std::size_t> last;  // the later rank counts
  for (std::size_t i = 0; i < merges.size(); ++i) last[{merges[i].left, merges[i].right}] = i;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    add(to_byte_alphabet(merges[i].left + merges[i].right));
    if (last.at({merges[i].left, merges[i].right}) != i) continue;
    list +=
        fmt::format("{}[{},{}]", list.empty() ? "" : ",", quoted(to_byte_alphabet(merges[i].left)),
                    quoted(to_byte_alphabet(merges[i].right)));
  }
  const std::string byte_level =
      R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false})";
  return fmt::format(
      R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":[{}],"normalizer":null,)"
      R"("pre_tokenizer":{{"type":"Sequence","pretokenizers":[{{"type":"Split","pattern":{{"Regex":{}}},)"
      R"("behavior":"Isolated","invert":false}},{}]}},"post_processor":null,"decoder":{},)"
      R"("model":{{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,)"
      R"("end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"ignore_merges":false,)"
      R"("vocab":{{{}}},"merges":[{}]}}}})"
      "\n",
      added, quoted(pattern_), byte_level, byte_level, vocab, list);
}

}  // namespace megascale::tokenizers
