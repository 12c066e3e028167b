// Byte-pair encoding. Short words are merged by a linear search for the lowest rank, which is
// fastest for the few symbols of a word. Long pieces use a heap, so that a megabyte of one letter
// takes a second and not a day.
#include "megascale/data/tokenizers/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "megascale/data/tokenizers/unicode.h"
#include "megascale/data/tokenizers/word_cache.h"

namespace megascale::tokenizers {
namespace {

// From this number of symbols on the heap is faster than the linear search.
constexpr std::size_t kLongWord = 64;

// Working memory of a thread, which keeps its capacity from word to word.
struct Scratch {
  std::vector<std::int32_t> symbols;
  std::vector<std::uint32_t> ranks;
};
Scratch& scratch_of_thread() {
  static thread_local Scratch scratch;
  return scratch;
}

// "<0x..>" of one byte.
bool is_byte_token(std::string_view text) {
  return text.size() == 6 && text.starts_with("<0x") && text.ends_with(">");
}

}  // namespace

ByteTokens::ByteTokens(const TokenTable& tokens) {
  for (std::size_t byte = 0; byte < ids.size(); ++byte) {
    ids[byte] = tokens.find(fmt::format("<0x{:02X}>", byte));
  }
}

bool ByteTokens::has_all(std::string_view bytes) const noexcept {
  return std::all_of(bytes.begin(), bytes.end(), [&](char c) {
    return ids[static_cast<unsigned char>(c)] != TokenTable::kNone;
  });
}

void Bpe::Neighbours::add(std::string_view text) {
  char32_t left = utf8_code_point(text);
  for (text.remove_prefix(utf8_size(text[0])); !text.empty();
       text.remove_prefix(utf8_size(text[0]))) {
    const char32_t right = utf8_code_point(text);
    if (left < 128 && right < 128) {
      ascii_.set(left * 128 + right);
    } else {
      others_.add(static_cast<std::int32_t>(left), static_cast<std::int32_t>(right), {.rank = 0});
    }
    left = right;
  }
}

bool Bpe::Neighbours::contains(char32_t left, char32_t right) const noexcept {
  if (left < 128 && right < 128) return ascii_[left * 128 + right];
  return others_.find(static_cast<std::int32_t>(left), static_cast<std::int32_t>(right)).rank == 0;
}

Bpe::Bpe(TokenTable tokens, MergeTable merges, BpeOptions options)
    : tokens_(std::move(tokens)),
      merges_(std::move(merges)),
      options_(options),
      byte_tokens_(tokens_),
      cache_owner_(new_cache_owner()) {
  for (std::size_t byte = 0; byte < single_bytes_.size(); ++byte) {
    const char text = static_cast<char>(byte);
    single_bytes_[byte] = tokens_.find({&text, 1});
    if (single_bytes_[byte] == TokenTable::kNone) single_bytes_[byte] = options_.unk;
  }
  has_cuts_ = !options_.byte_level && !options_.ignore_merges;  // the whole piece may be a token
  needs_no_unk_ = options_.byte_fallback;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    const bool has_token = byte < 0x80 && tokens_.find({&text, 1}) != TokenTable::kNone;
    needs_no_unk_ = needs_no_unk_ && (has_token || byte_tokens_.ids[byte] != TokenTable::kNone);
  }
  if (!has_cuts_) return;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (const auto [text, id] = tokens_[i]; !text.empty() && !is_byte_token(text)) {
      neighbours_.add(text);
    }
  }
}

bool Bpe::can_cut(std::string_view left, std::string_view right) const {
  if (neighbours_.contains(utf8_code_point(left), utf8_code_point(right))) return false;
  // Characters without a token stay together, because they may become one `unk`.
  return needs_no_unk_ || tokens_.find(left) != TokenTable::kNone ||
         tokens_.find(right) != TokenTable::kNone;
}

bool Bpe::divides_before(std::string_view mark) const {
  constexpr std::string_view kWords =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (!has_cuts_ || !can_cut(kWords.substr(i, 1), mark)) return false;
  }
  return true;
}

void Bpe::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (!has_cuts_) return encode_word(piece, ids);
  std::size_t begin = 0;
  std::string_view left = piece.substr(0, utf8_size(piece[0]));
  for (std::size_t at = left.size(); at < piece.size();) {
    const std::string_view right = piece.substr(at, utf8_size(piece[at]));
    if (can_cut(left, right)) {
      encode_word(piece.substr(begin, at - begin), ids);
      begin = at;
    }
    left = right;
    at += right.size();
  }
  encode_word(piece.substr(begin), ids);
}

void Bpe::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  const bool is_short = word.size() <= WordCache::kWordNbytesMax;
  WordCache* cache = is_short ? &word_cache_of_thread(cache_owner_) : nullptr;
  if (cache != nullptr && cache->append(word, ids)) return;
  const std::size_t before = ids.size();
  const std::int32_t whole = options_.ignore_merges ? tokens_.find(word) : TokenTable::kNone;
  if (whole != TokenTable::kNone) {
    ids.push_back(whole);
  } else {
    Scratch& scratch = scratch_of_thread();
    scratch.symbols.clear();
    add_symbols(word, scratch.symbols);
    if (scratch.symbols.size() < kLongWord) {
      merge_short(scratch.symbols, scratch.ranks);
    } else {
      merge_long(scratch.symbols);
    }
    ids.insert(ids.end(), scratch.symbols.begin(), scratch.symbols.end());
  }
  if (cache != nullptr) cache->put(word, std::span(ids).subspan(before));
}

void Bpe::add_symbols(std::string_view word, std::vector<std::int32_t>& symbols) const {
  if (options_.byte_level) {
    for (const char c : word) {
      const std::int32_t id = single_bytes_[static_cast<unsigned char>(c)];
      if (id != TokenTable::kNone) symbols.push_back(id);
    }
    return;
  }
  bool unk_is_open = false;  // an `unk` follows before the next token
  for (; !word.empty(); word.remove_prefix(utf8_size(word[0]))) {
    const std::string_view character = word.substr(0, utf8_size(word[0]));
    if (const std::int32_t id = tokens_.find(character); id != TokenTable::kNone) {
      if (unk_is_open) symbols.push_back(options_.unk);
      unk_is_open = false;
      symbols.push_back(id);
    } else if (options_.byte_fallback && byte_tokens_.has_all(character)) {
      for (const char c : character) {
        symbols.push_back(byte_tokens_.ids[static_cast<unsigned char>(c)]);
      }
    } else if (options_.unk != TokenTable::kNone) {
      if (unk_is_open && !options_.fuse_unk) symbols.push_back(options_.unk);
      unk_is_open = true;
    }
  }
  if (unk_is_open) symbols.push_back(options_.unk);
}

void Bpe::merge_short(std::vector<std::int32_t>& symbols, std::vector<std::uint32_t>& ranks) const {
  if (symbols.size() < 2) return;
  const auto rank_at = [&](std::size_t i) { return merges_.find(symbols[i], symbols[i + 1]).rank; };
  ranks.clear();
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i) ranks.push_back(rank_at(i));
  for (;;) {
    const auto lowest = std::min_element(ranks.begin(), ranks.end());
    if (lowest == ranks.end() || *lowest == MergeTable::kNoRank) return;
    const auto at = static_cast<std::size_t>(lowest - ranks.begin());
    symbols[at] = merges_.find(symbols[at], symbols[at + 1]).result;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    ranks.erase(lowest);
    if (at < ranks.size()) ranks[at] = rank_at(at);
    if (at > 0) ranks[at - 1] = rank_at(at - 1);
  }
}

void Bpe::merge_long(std::vector<std::int32_t>& symbols) const {
  constexpr std::uint32_t kEnd = UINT32_MAX;
  struct Link {
    std::uint32_t previous, next;
  };
  struct Candidate {
    std::uint32_t rank, at;
    std::int32_t left, right;  // the symbols that it was found for; others: it is out of date
    bool operator<(const Candidate& other) const {  // the top of the queue is the largest
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  const auto size = static_cast<std::uint32_t>(symbols.size());
  std::vector<Link> links(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    links[i] = {i == 0 ? kEnd : i - 1, i + 1 == size ? kEnd : i + 1};
  }
  std::vector<Candidate> first;
  const auto candidate_at = [&](std::uint32_t at) -> Candidate {
    const std::uint32_t next = links[at].next;
    if (next == kEnd) return {MergeTable::kNoRank, at, 0, 0};
    return {merges_.find(symbols[at], symbols[next]).rank, at, symbols[at], symbols[next]};
  };
  for (std::uint32_t i = 0; i < size; ++i) {
    if (const Candidate c = candidate_at(i); c.rank != MergeTable::kNoRank) first.push_back(c);
  }
  std::priority_queue queue(std::less<Candidate>(), std::move(first));
  constexpr std::int32_t kGone = -2;
  while (!queue.empty()) {
    const Candidate top = queue.top();
    queue.pop();
    const std::uint32_t right = links[top.at].next;
    if (symbols[top.at] != top.left || right == kEnd || symbols[right] != top.right) continue;
    symbols[top.at] = merges_.find(top.left, top.right).result;
    symbols[right] = kGone;
    links[top.at].next = links[right].next;
    if (links[right].next != kEnd) links[links[right].next].previous = top.at;
    for (const std::uint32_t changed : {links[top.at].previous, top.at}) {
      if (changed == kEnd) continue;
      if (const Candidate c = candidate_at(changed); c.rank != MergeTable::kNoRank) queue.push(c);
    }
  }
  std::erase(symbols, kGone);
}

}  // namespace megascale::tokenizers
