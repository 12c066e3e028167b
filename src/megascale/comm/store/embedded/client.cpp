// The client's side of the protocol in protocol.h, on top of SocketClient, which owns the
// connection. Handshake: read the server's greeting (a nonce), send the claim (own nonce and
// proof), check the server's proof. After that, all requests of a batch are sent at once, and
// replies are read in the same order.
#include "megascale/comm/store/embedded/client.h"

#include <fmt/format.h>

#include "megascale/comm/store/embedded/protocol.h"
#include "megascale/comm/store/socket_client.h"

namespace megascale::comm {
namespace {

class EmbeddedClient final : public SocketClient {
 public:
  using SocketClient::SocketClient;

 private:
  void greet() override { claimed_ = false; }  // nothing to send: the server sends first

  Result<bool> authenticate() override {
    if (!claimed_) {
      if (input().size() < kGreetingNbytes) return false;
      const auto server = read_greeting(input().view().substr(0, kGreetingNbytes));
      if (!server) {
        return tl::unexpected(
            Error(ErrorCode::bad_usage,
                  "expected a megascale store of this version, found another server on the port"));
      }
      input().consume(kGreetingNbytes);
      server_ = *server;
      nonce_ = make_nonce();
      send(make_claim(nonce_, proof(ProofRole::client)));
      count_request();
      claimed_ = true;
      return false;
    }
    if (input().size() < kAnswerNbytes) return false;
    const auto answer = read_answer(input().view().substr(0, kAnswerNbytes));
    if (!answer || !equal(*answer, proof(ProofRole::server))) {
      return tl::unexpected(Error(
          ErrorCode::bad_usage,
          fmt::format("{}: it was started with another MEGASCALE_JOB_SECRET, or for another job "
                      "than '{}'",
                      answer ? "does not know the job's secret" : "refuses this rank",
                      options().job)));
    }
    input().consume(kAnswerNbytes);
    return true;
  }

  void send_requests() override {
    for (const StoreRequest& request : batch()) {
      append_frame(output(), request);
      count_request();
    }
  }

  Result<bool> receive() override {
    while (replies().size() < batch().size()) {
      const auto payload = next_frame(input());
      if (!payload) return tl::unexpected(payload.error());
      if (!*payload) return false;
      auto reply = parse_reply(**payload);
      if (!reply) return tl::unexpected(reply.error());
      const StoreRequest& request = batch()[replies().size()];
      const std::size_t values = request.op == StoreOp::get ? request.keys.size() : 0;
      if (reply->values.size() != values) {
        return tl::unexpected(Error(
            ErrorCode::corrupt_data,
            fmt::format("a reply with {} values, expected {}", reply->values.size(), values)));
      }
      input().consume(frame_nbytes(**payload));
      replies().push_back(std::move(*reply));
    }
    return true;
  }

  [[nodiscard]] Proof proof(ProofRole role) const {
    return make_proof(options().secret, role, options().job, server_, nonce_);
  }

  bool claimed_ = false;
  Nonce server_{}, nonce_{};
};

}  // namespace

std::unique_ptr<StoreClient> make_embedded_client(const StoreOptions& options, PollSet& polls,
                                                  std::uint64_t token) {
  return std::make_unique<EmbeddedClient>(options, polls, token);
}

}  // namespace megascale::comm
