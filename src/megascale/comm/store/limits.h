#ifndef MEGASCALE_COMM_STORE_LIMITS_H_
#define MEGASCALE_COMM_STORE_LIMITS_H_

#include <cstddef>

// What a store takes. The server refuses more; clients refuse it before they send.
namespace megascale::comm {

inline constexpr std::size_t kMaxKeyNbytes = 512;
// A UCX worker address has some hundred bytes, a plan's digest 32; a resolved configuration 10 KB.
inline constexpr std::size_t kMaxValueNbytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxKeysPerRequest = 4096;
// Of one request or reply, its length not counted.
inline constexpr std::size_t kMaxFrameNbytes = std::size_t{16} << 20U;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_LIMITS_H_
