#ifndef MEGASCALE_SERVE_EVICT_REQUEST_H_
#define MEGASCALE_SERVE_EVICT_REQUEST_H_

#include <string>
#include <string_view>

namespace megascale::serve {

// The body of POST /api/runs/ID/evict: {"host": "node3", "why": "fan is broken"}.
struct EvictRequest {
  std::string host, why;
};
inline constexpr std::size_t kMostEvictBytes = 2048;
// Throws Error (bad_input), which names the member: expected are a host name of at most 253 letters,
// digits, '.', '-' and '_', and a printable reason of at most 500 bytes, which may be left out. Pure.
[[nodiscard]] EvictRequest parse_evict_request(std::string_view body);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_EVICT_REQUEST_H_
