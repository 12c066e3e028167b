// The Viterbi search over a tree of tokens. A character without a token costs 10 more than the
// rarest token; neighbouring ones become one unknown token, or tokens of their bytes.
#include "megascale/data/tokenizers/unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "megascale/base/error.h"
#include "megascale/data/tokenizers/hash.h"
#include "megascale/data/tokenizers/text_range.h"
#include "megascale/data/tokenizers/unicode.h"
#include "megascale/data/tokenizers/word_cache.h"

namespace megascale::tokenizers {
namespace {

constexpr double kUnknownPenalty = 10;  // of SentencePiece

TokenTable table_of(const std::vector<std::pair<std::string, double>>& tokens) {
  TokenTable table(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    table.add(tokens[i].first, static_cast<std::int32_t>(i));
  }
  return table;
}

}  // namespace

Unigram::Tree::Tree() : edges_(1024), ids_{TokenTable::kNone} {}

std::size_t Unigram::Tree::slot_of(std::uint64_t key) const noexcept {
  const std::size_t mask = edges_.size() - 1;
  std::size_t at = hash_of(key) & mask;
  while (edges_[at].key != key && edges_[at].key != UINT64_MAX) at = (at + 1) & mask;
  return at;
}

std::uint32_t Unigram::Tree::child(std::uint32_t node, unsigned char byte) const noexcept {
  return edges_[slot_of(std::uint64_t{node} << 8 | byte)].child;
}

void Unigram::Tree::add(std::string_view text, std::int32_t id) {
  std::uint32_t node = 0;
  for (const char c : text) {
    const std::uint64_t key = std::uint64_t{node} << 8 | static_cast<unsigned char>(c);
    Edge& edge = edges_[slot_of(key)];
    if (edge.child != kNone) {
      node = edge.child;
      continue;
    }
    node = static_cast<std::uint32_t>(ids_.size());
    edge = {key, node};
    ids_.push_back(TokenTable::kNone);
    if (2 * ids_.size() <= edges_.size()) continue;
    std::vector<Edge> old(2 * edges_.size());
    old.swap(edges_);
    for (const Edge& moved : old) {
      if (moved.child != kNone) edges_[slot_of(moved.key)] = moved;
    }
  }
  ids_[node] = id;
}

Unigram::Unigram(const std::vector<std::pair<std::string, double>>& tokens, std::int32_t unk,
                 bool byte_fallback)
    : table_(table_of(tokens)),
      byte_tokens_(table_),
      unk_(unk),
      byte_fallback_(byte_fallback),
      cache_owner_(new_cache_owner()) {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].first.empty()) tree_.add(tokens[i].first, static_cast<std::int32_t>(i));
    scores_.push_back(tokens[i].second);
    lowest = std::min(lowest, tokens[i].second);
  }
  unk_score_ = lowest - kUnknownPenalty;
}

void Unigram::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (piece.size() > WordCache::kWordNbytesMax) return encode_word(piece, ids);
  WordCache& cache = word_cache_of_thread(cache_owner_);
  if (cache.append(piece, ids)) return;
  const std::size_t before = ids.size();
  encode_word(piece, ids);
  cache.put(piece, std::span(ids).subspan(before));
}

void Unigram::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  struct Best {  // the best division of the text up to here
    double score = 0;
    std::uint32_t begin = Tree::kNone;  // of its last token
    std::int32_t id = TokenTable::kNone;
  };
  static thread_local std::vector<Best> best;
  best.assign(word.size() + 1, {});
  const auto offer = [&](std::size_t begin, std::size_t end, std::int32_t id, double score) {
    const double total = score + best[begin].score;
    if (best[end].begin == Tree::kNone || total > best[end].score) {
      best[end] = {total, static_cast<std::uint32_t>(begin), id};
    }
  };
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t character_end = begin + utf8_size(word[begin]);
    bool has_single = false;
    std::uint32_t node = 0;
    for (std::size_t at = begin; at < word.size(); ++at) {
      node = tree_.child(node, static_cast<unsigned char>(word[at]));
      if (node == Tree::kNone) break;
      const std::int32_t id = tree_.id(node);
      if (id == TokenTable::kNone) continue;
      offer(begin, at + 1, id, scores_[static_cast<std::size_t>(id)]);
      has_single = has_single || at + 1 == character_end;
    }
    if (!has_single) offer(begin, character_end, unk_, unk_score_);
    begin = character_end;
  }
  // From the end to the beginning; unknown characters side by side are one token.
  static thread_local std::vector<TextRange> path;
  path.clear();
  bool last_unknown = false;
  for (std::size_t end = word.size(); end > 0;) {
    const std::size_t begin = best[end].begin;
    const bool unknown = best[end].id == unk_;
    if (unknown && last_unknown) {
      path.back().begin = begin;
    } else {
      path.push_back({begin, end});
    }
    last_unknown = unknown;
    end = begin;
  }
  for (auto range = path.rbegin(); range != path.rend(); ++range) {
    const std::string_view text = range->of(word);
    if (const std::int32_t id = table_.find(text); id != TokenTable::kNone) {
      ids.push_back(id);
    } else {
      append_unknown(text, ids);
    }
  }
}

void Unigram::append_unknown(std::string_view text, std::vector<std::int32_t>& ids) const {
  if (byte_fallback_ && byte_tokens_.has_all(text)) {
    for (const char c : text) ids.push_back(byte_tokens_.ids[static_cast<unsigned char>(c)]);
    return;
  }
  if (unk_ == TokenTable::kNone) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the tokenizer has no token for \"{}\", and its file names none for "
                            "unknown characters (unk_id)",
                            text.substr(0, 32)));
  }
  ids.push_back(unk_);
}

}  // namespace megascale::tokenizers
