#ifndef MEGASCALE_COMM_STORE_LIMITS_H_
#define MEGASCALE_COMM_STORE_LIMITS_H_

#include <cstddef>

// Limits of store requests. Clients refuse larger requests before they send them, and the server
// refuses them, too.
namespace megascale::comm {

inline constexpr std::size_t kMaxKeyNbytes = 512;
// Typical values are far smaller: a UCX worker address has a few hundred bytes, a plan's digest 32,
// a resolved configuration 10 KB.
inline constexpr std::size_t kMaxValueNbytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxKeysPerRequest = 4096;
// Payload of one request or reply.
inline constexpr std::size_t kMaxFrameNbytes = std::size_t{16} << 20U;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_LIMITS_H_
