#ifndef MEGASCALE_COMM_STORE_EMBEDDED_PROTOCOL_H_
#define MEGASCALE_COMM_STORE_EMBEDDED_PROTOCOL_H_

#include <optional>
#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/comm/store/bytes.h"
#include "megascale/comm/store/secret.h"
#include "megascale/comm/store/store.h"

// The bytes between the embedded store and its clients.
//
//   server -> client   greeting   magic (8), nonce (32)
//   client -> server   claim      magic (8), nonce (32), proof (32)
//   server -> client   answer     magic (8), proof (32); or the word of refusal (8), zeros, and the
//   end then, in both directions, frames: length of what follows (32 bits), payload
//
// Until the answer nothing has a variable size, and a server reads no more than a claim. Numbers
// are little-endian. A payload is read whole or refused; what is refused ends the connection.
namespace megascale::comm {

inline constexpr std::string_view kStoreMagic = "MGSTORE1", kStoreRefusal = "MGSTORE-";
inline constexpr std::size_t kGreetingNbytes = 40, kClaimNbytes = 72, kAnswerNbytes = 40;

[[nodiscard]] std::string make_greeting(const Nonce& server);
[[nodiscard]] std::string make_claim(const Nonce& client, const Proof& proof);
[[nodiscard]] std::string make_answer(const Proof& proof);
[[nodiscard]] std::string make_refusal();
// Of exactly the sizes above. Null: not of this protocol.
[[nodiscard]] std::optional<Nonce> read_greeting(std::string_view bytes);
struct Claim {
  Nonce nonce;
  Proof proof;
};
[[nodiscard]] std::optional<Claim> read_claim(std::string_view bytes);
// Also null for a refusal.
[[nodiscard]] std::optional<Proof> read_answer(std::string_view bytes);

void append_frame(std::string& out, const StoreRequest& request);
// `refused`: instead of a reply, why the request is refused; empty: not refused.
void append_frame(std::string& out, const StoreReply& reply, std::string_view refused = {});

// The payload at the front of the queue; null while it is not complete. An Error when its length is
// beyond kMaxFrameNbytes. The view is valid until the queue changes.
[[nodiscard]] Result<std::optional<std::string_view>> next_frame(const ByteQueue& queue);
// What to consume once the payload was read.
[[nodiscard]] std::size_t frame_nbytes(std::string_view payload) noexcept;

// A request that find_fault() has nothing against; or why the payload holds none.
[[nodiscard]] Result<StoreRequest> parse_request(std::string_view payload);
// The reply; or an Error: the server's refusal (failed), or a payload that is no reply.
[[nodiscard]] Result<StoreReply> parse_reply(std::string_view payload);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_EMBEDDED_PROTOCOL_H_
