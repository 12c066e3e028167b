#include "megascale/data/tokenizers/word_cache.h"

#include <atomic>

namespace megascale::tokenizers {

WordCache& word_cache_of_thread(std::uint64_t owner) {
  static thread_local WordCache cache;
  cache.set_owner(owner);
  return cache;
}

std::uint64_t new_cache_owner() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace megascale::tokenizers
