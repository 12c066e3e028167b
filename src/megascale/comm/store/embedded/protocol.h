#ifndef MEGASCALE_COMM_STORE_EMBEDDED_PROTOCOL_H_
#define MEGASCALE_COMM_STORE_EMBEDDED_PROTOCOL_H_

#include <optional>
#include <string>
#include <string_view>

#include "megascale/base/error.h"
#include "megascale/comm/store/bytes.h"
#include "megascale/comm/store/secret.h"
#include "megascale/comm/store/store.h"

// The protocol between the embedded store and its clients. Numbers in parentheses are bytes.
//
//   server -> client   greeting   magic (8), nonce (32)
//   client -> server   claim      magic (8), nonce (32), proof (32)
//   server -> client   answer     magic (8), proof (32)
//                      or refusal refusal magic (8), zeros (32), then the connection is closed
//   both directions    frames     length of the payload (4), payload
//
// All messages before the frames have a fixed size, and the server reads no more than a claim
// before it knows that the client has the job's secret. Numbers are little-endian. A payload is
// accepted as a whole or refused; a refusal ends the connection. The functions are pure; any thread
// may call them.
namespace megascale::comm {

inline constexpr std::string_view kStoreMagic = "MGSTORE1", kStoreRefusal = "MGSTORE-";
inline constexpr std::size_t kGreetingNbytes = 40, kClaimNbytes = 72, kAnswerNbytes = 40;

[[nodiscard]] std::string make_greeting(const Nonce& server);
[[nodiscard]] std::string make_claim(const Nonce& client, const Proof& proof);
[[nodiscard]] std::string make_answer(const Proof& proof);
[[nodiscard]] std::string make_refusal();
// The read functions take a message of exactly the size above. They return nothing if the bytes are
// not such a message of this version.
[[nodiscard]] std::optional<Nonce> read_greeting(std::string_view bytes);
struct Claim {
  Nonce nonce;
  Proof proof;
};
[[nodiscard]] std::optional<Claim> read_claim(std::string_view bytes);
// Returns nothing for a refusal, too.
[[nodiscard]] std::optional<Proof> read_answer(std::string_view bytes);

// Appends a request as a frame.
void append_frame(std::string& out, const StoreRequest& request);
// Appends a reply as a frame. If `refused` is not empty, it appends a refusal of the request with
// that reason instead of the reply.
void append_frame(std::string& out, const StoreReply& reply, std::string_view refused = {});

// Returns the payload of the frame at the front of the queue, or nothing while the frame is not
// complete. Error (corrupt_data) if its length exceeds kMaxFrameNbytes. The view is valid until the
// queue changes.
[[nodiscard]] Result<std::optional<std::string_view>> next_frame(const ByteQueue& queue);
// Returns the bytes of the frame with this payload, to be consumed from the queue afterwards.
[[nodiscard]] std::size_t frame_nbytes(std::string_view payload) noexcept;

// Returns the request of a payload. Error (corrupt_data) if the payload is no request, or if
// find_fault() finds a fault in it.
[[nodiscard]] Result<StoreRequest> parse_request(std::string_view payload);
// Returns the reply of a payload. Errors: failed, if the server has refused the request;
// corrupt_data, if the payload is no reply.
[[nodiscard]] Result<StoreReply> parse_reply(std::string_view payload);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_EMBEDDED_PROTOCOL_H_
