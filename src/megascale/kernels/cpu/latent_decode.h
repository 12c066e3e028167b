#ifndef MEGASCALE_KERNELS_CPU_LATENT_DECODE_H_
#define MEGASCALE_KERNELS_CPU_LATENT_DECODE_H_

#include <cstddef>
#include <span>
#include <vector>

#include "megascale/kernels/cpu/decode_attention.h"

// Attention of decoding with latent vectors in the cache, float32. A row of the cache has K + R floats: the
// latent vector c of a token, then the R rotated channels r of its key, which all heads share. Head h has
// the weight W[h], of P rows for the channels of a key without positions, then V rows for a value:
//   k[j] = (W[h][0 .. P) c[j], r[j]),  v[j] = W[h][P .. P + V) c[j]
//
// For few new tokens of a sequence, keys and values are not computed. Since q . W c = (q^T W) . c and since
// the weighted sum of W c is W times that of c, the weight is applied to queries and outputs instead
// ("absorbed"):
//   a[h] = sum_{i < P} q[h][i] W[h][i],  then q[h][P .. P + R) rotated     query of the rows of the cache
//   b[h] = attention of a[h] with the rows as keys and the latent vectors as values, as in attention.h
//   o[h][i] = W[h][P + i] . b[h]
// For many, such as a prompt, keys and values of the whole cache are computed, some heads at a time
// ("expanded"), and attention is that of attention.h.
//
// Cost     absorbed: 2 NH K (P + V) FLOPs for a token, and 2 NH (2 K + R) for each key that it sees; moves
//          the K + R floats of a visible key once, where those of all heads would have NH (P + R + V).
//          Expanded: 2 NH K (P + V) for each row of the cache, and 2 NH (P + R + V) for each key that a
//          token sees. latent_expands() chooses what takes fewer FLOPs: with the sizes of DeepSeek-V2
//          expanded for all new tokens of an empty cache, and from 171 of them on beside a long cache.
// Memory   expanded: P + R + V floats for each row of a sequence and thread.
// Error    of o: about (P + K) u of the sums of magnitudes in the formulas above, in addition to attention.h.
// Bits     of a token depend on the token, its sequence, and the form that the number of its new tokens
//          and of its rows gives it: single (at most kLatentSingle), absorbed or expanded. They differ
//          between vector targets.
// Source   DeepSeek-AI 2024 (arXiv 2405.04434), sections 2.1.2 and 2.1.3, appendix C.
namespace megascale::kernels::cpu {

// The new tokens of a sequence up to which each query is computed by itself (decode_attention.h), and from
// which on packing its rows pays (attention.h). Measured with 16 heads of DeepSeek-V2-Lite and 2,048 rows
// on one Zen 5 core, ms a token: 0.64 singly; packed 1.2 for 5 tokens, 0.65 for 16, 0.44 for 64.
inline constexpr std::size_t kLatentSingle = 16;

struct LatentDecode {
  std::size_t heads = 1, plain = 1, rotated = 0, values = 1, rank = 1;  // NH, P, R (even), V, K
  std::size_t most_tokens = 1, sequences = 1;                           // of a step, at most
  std::size_t places = 1;   // rows of a sequence in the cache
  std::size_t window = 0;   // most keys that a token sees; 0: no limit
  std::size_t threads = 1;  // size of the OpenMP team
  double scale = 0;         // of the scores; 0: 1 / sqrt(P + R)
  double soft_cap = 0;      // of the scores; 0: none
  [[nodiscard]] std::size_t head() const noexcept { return plain + rotated; }
  [[nodiscard]] std::size_t row() const noexcept { return rank + rotated; }
};

// Returns whether `added` new tokens of a sequence that then has `kept` rows take fewer FLOPs expanded.
[[nodiscard]] bool latent_expands(const LatentDecode& config, std::size_t added,
                                  std::size_t kept) noexcept;

// The new tokens of one sequence. Borrows the memory.
struct LatentSequence {
  std::size_t added = 0, kept = 0;  // new tokens; rows of the cache with theirs
  float* cache = nullptr;           // first row; the rows of the new tokens are written
};

// The tokens of a step, those of sequence 0 first.
struct LatentTokens {
  std::span<const LatentSequence> sequences;
  const float* query = nullptr;     // (tokens, NH, P + R), not rotated
  const float* latent = nullptr;    // (tokens, K)
  const float* key_rope = nullptr;  // (tokens, R), not rotated
  const float* table = nullptr;     // (tokens, R): rope_table() of their positions
  const float* weight = nullptr;    // (NH, P + V, K)
  float* output = nullptr;          // (tokens, NH, V), overlaps nothing
  std::byte* scratch = nullptr;     // scratch_bytes(), aligned to 64
};

struct LatentScratch;

// Computes steps. run() allocates nothing; one call at a time.
class LatentDecoder {
 public:
  // Throws Error(bad_usage) if the configuration is not valid.
  explicit LatentDecoder(const LatentDecode& config);
  [[nodiscard]] static std::size_t scratch_bytes(const LatentDecode& config) noexcept;
  // There are at most config.sequences sequences, with at most config.most_tokens tokens.
  void run(const LatentTokens& tokens) noexcept;

 private:
  // Tokens of a step whose queries and outputs the weight is applied to together.
  struct Block {
    std::size_t first = 0, last = 0;
  };
  void add_blocks(std::size_t first, std::size_t last);
  void absorbed(const LatentTokens& tokens, const LatentScratch& scratch) noexcept;
  void expanded(const LatentTokens& tokens, const LatentSequence& sequence, std::size_t token,
                const LatentScratch& scratch) const noexcept;

  LatentDecode config_;
  std::vector<DecodeQuery> queries_;  // of a step
  std::vector<Block> blocks_;         // of the absorbed tokens of a step
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_LATENT_DECODE_H_
