#ifndef MEGASCALE_KERNELS_REF_HEAD_EXCHANGE_H_
#define MEGASCALE_KERNELS_REF_HEAD_EXCHANGE_H_

#include <cstddef>

#include "megascale/kernels/ref/reference.h"

// References in double for kernels/cpu/head_exchange.h. `heads` counts query heads, `groups` counts
// key-value heads.
namespace megascale::kernels::ref {

// Layout of the exchange of heads, computed element by element.
// rows   (tokens, (heads + groups) size + groups values): all heads of each token
// blocks (ranks, tokens, (heads / ranks + of_block) size + of_block values): block j goes to rank j.
// of_block is the number of key-value heads that heads / ranks consecutive query heads share; values
// is value_size, or size if that is 0.
struct Heads {
  std::size_t tokens = 0, heads = 0, groups = 0, size = 0, ranks = 1, value_size = 0;
  [[nodiscard]] std::size_t values() const { return value_size == 0 ? size : value_size; }
  [[nodiscard]] std::size_t query_heads() const { return heads / ranks; }
  // The key-value head of query head h.
  [[nodiscard]] std::size_t group_of(std::size_t h) const { return h / (heads / groups); }
  [[nodiscard]] std::size_t first_group(std::size_t rank) const {
    return group_of(rank * query_heads());
  }
  [[nodiscard]] std::size_t of_block() const {
    return groups == 0 ? 0 : group_of(query_heads() - 1) - group_of(0) + 1;
  }
  [[nodiscard]] std::size_t row() const { return (heads + groups) * size + groups * values(); }
  [[nodiscard]] std::size_t block() const {
    return (query_heads() + of_block()) * size + of_block() * values();
  }
  // Block `rank` takes column c of its rows from this column of the token's row.
  [[nodiscard]] std::size_t source(std::size_t rank, std::size_t c) const {
    const std::size_t queries = query_heads() * size, keys = of_block() * size;
    if (c < queries) return rank * queries + c;
    if (c < queries + keys) return (heads + first_group(rank)) * size + c - queries;
    return (heads + groups) * size + first_group(rank) * values() + c - queries - keys;
  }
};

// rows -> blocks: a copy.
[[nodiscard]] inline Doubles split_heads(const Heads& h, const Doubles& rows) {
  Doubles blocks(h.ranks * h.tokens * h.block());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t rank = i / (h.tokens * h.block()), n = i / h.block() % h.tokens;
    blocks[i] = rows[n * h.row() + h.source(rank, i % h.block())];
  }
  return blocks;
}

// blocks -> rows: the adjoint of split_heads. Heads that several blocks hold are summed.
[[nodiscard]] inline Doubles join_heads(const Heads& h, const Doubles& blocks) {
  Doubles rows(h.tokens * h.row());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t rank = i / (h.tokens * h.block()), n = i / h.block() % h.tokens;
    rows[n * h.row() + h.source(rank, i % h.block())] += blocks[i];
  }
  return rows;
}

// rows (sequences, length, channels) -> blocks (ranks, sequences, length / ranks, channels).
[[nodiscard]] inline Doubles split_sequences(std::size_t sequences, std::size_t length,
                                             std::size_t channels, std::size_t ranks,
                                             const Doubles& rows) {
  Doubles blocks(rows.size());
  const std::size_t share = length / ranks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t c = i % channels, t = i / channels % length, b = i / channels / length;
    blocks[((t / share * sequences + b) * share + t % share) * channels + c] = rows[i];
  }
  return blocks;
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_HEAD_EXCHANGE_H_
