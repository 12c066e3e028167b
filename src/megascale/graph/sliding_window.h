#ifndef MEGASCALE_GRAPH_SLIDING_WINDOW_H_
#define MEGASCALE_GRAPH_SLIDING_WINDOW_H_

#include <cstddef>

// Sliding window attention: which keys a query sees. The query at position i sees itself and the
// keys before it, at most `window` keys in all. A window of 0 means no limit (causal attention).
// Kernels of every device, their references and the counts of FLOPs take the rule from here.
// Documents may hide more keys; that is no part of this rule.
//
// Positions are those of one sequence, from 0. All functions are pure; device code may call them.
// Source: Beltagy, Peters and Cohan 2020, "Longformer", arXiv 2004.05150; in MegaScale: arXiv
// 2402.15627, section 3.1.
namespace megascale::graph {

// Returns the position of the first key that the query sees.
[[nodiscard]] constexpr std::size_t first_visible_key(std::size_t query,
                                                      std::size_t window) noexcept {
  return window > 0 && query >= window ? query - window + 1 : 0;
}

// Returns true if the query sees the key.
[[nodiscard]] constexpr bool is_visible(std::size_t query, std::size_t key,
                                        std::size_t window) noexcept {
  return key <= query && (window == 0 || query - key < window);
}

// Returns the end of the queries that see the key: one more than the last of them. The first is at
// the key's own position. `end`: the end of all queries.
[[nodiscard]] constexpr std::size_t end_of_seeing_queries(std::size_t key, std::size_t window,
                                                          std::size_t end) noexcept {
  return window > 0 && key + window < end ? key + window : end;
}

// Returns the most keys that a query of a sequence sees.
[[nodiscard]] constexpr std::size_t most_visible_keys(std::size_t sequence,
                                                      std::size_t window) noexcept {
  return window > 0 && window < sequence ? window : sequence;
}

// Returns the number of visible pairs of query and key in a sequence, as FLOPs are credited: half
// of the square without a window. The exact number is larger by half of most_visible_keys(); the
// published formulas leave that out.
[[nodiscard]] constexpr double visible_pairs(std::size_t sequence, std::size_t window) noexcept {
  const auto width = static_cast<double>(most_visible_keys(sequence, window));
  return width * static_cast<double>(sequence) - width * width / 2;
}

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_SLIDING_WINDOW_H_
