// The checks that both directions of attention share: a configuration is checked once, when the
// plan is built, with errors; the counts of each run are checked with an abort.
#include "megascale/kernels/cpu/attention.h"

#include <fmt/format.h>

#include <limits>

#include "megascale/base/error.h"
#include "megascale/kernels/cpu/attention_work.h"

namespace megascale::kernels::cpu {

void check_attention(const AttentionConfig& c) {
  const auto demand = [](bool condition, const std::string& message) {
    if (!condition) throw Error(ErrorCode::bad_usage, "attention: " + message);
  };
  demand(c.batch > 0 && c.head_size > 0 && c.threads > 0,
         fmt::format("batch {}, head_size {}, threads {}: each must be at least 1", c.batch,
                     c.head_size, c.threads));
  demand(c.kv_heads > 0 && c.query_heads > 0 && c.query_heads % c.kv_heads == 0,
         fmt::format("query_heads {} is not a multiple of kv_heads {}", c.query_heads, c.kv_heads));
  demand(c.max_queries <= c.max_keys,
         fmt::format("max_queries {} exceeds max_keys {}", c.max_queries, c.max_keys));
  demand(c.scale >= 0 && c.soft_cap >= 0,
         fmt::format("scale {}, soft_cap {}: neither may be negative", c.scale, c.soft_cap));
  // Masks compare positions as 32-bit integers, up to one block of keys beyond the last key.
  demand(
      c.max_keys < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) - kKeyBlock,
      fmt::format("max_keys {} does not fit 31 bits", c.max_keys));
}

void check_attention_run(const AttentionConfig& c, const AttentionInputs& in,
                         const std::byte* scratch) noexcept {
  MEGASCALE_CHECK(
      in.query_count <= in.key_count && in.query_count <= c.max_queries &&
          in.key_count <= c.max_keys,
      "attention runs with at most the counts it was planned for, and no more queries than keys");
  MEGASCALE_CHECK(scratch != nullptr && reinterpret_cast<std::uintptr_t>(scratch) % 64 == 0,
                  "attention needs scratch, aligned to 64 bytes");
}

}  // namespace megascale::kernels::cpu
