#ifndef MEGASCALE_TESTS_COMM_NCCL_RULES_H_
#define MEGASCALE_TESTS_COMM_NCCL_RULES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

// Rules of NCCL's calls that more than one stand-in checks.
namespace megascale::comm::nccl_rules {

// Returns whether two pieces of memory share a byte.
inline bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

// The part of a rank (what it gathers, or gets scattered) may lie in the whole at its own place, or
// apart from it ("In-place Operations" of NCCL's guide). Returns whether it does neither.
inline bool overlaps_out_of_place(std::span<const std::byte> whole, std::span<const std::byte> part,
                                  std::size_t rank) {
  return overlap(whole, part) && part.data() != whole.data() + rank * part.size();
}

}  // namespace megascale::comm::nccl_rules

#endif  // MEGASCALE_TESTS_COMM_NCCL_RULES_H_
