// The stages of a call: wait for it, check who calls what, read the request, run the handler, reply.
// The request is read only after the checks, so bytes of somebody without the right are not looked
// at.
#include "megascale/control/secure/grpc_call.h"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>

#include "megascale/control/secure/grpc_peers.h"

namespace megascale::secure {

void CallService::cancel_overdue() {
  const auto limit = std::chrono::steady_clock::now() - request_for;
  const std::lock_guard lock(mutex);
  for (const auto& [call, since] : reading)
    if (since < limit) call->cancel();
}

void Call::begin(CallService& service) {
  const std::lock_guard lock(service.mutex);
  if (service.stopping) return;
  ++service.live;
  auto* call = new Call(service);  // owns itself
  service.generic.RequestCall(&call->context_, &call->stream_, service.queue, service.queue, call);
}

Call::Call(CallService& service) : service_(service) { enter(Stage::waiting); }

Call::~Call() {
  const std::lock_guard lock(service_.mutex);
  if (--service_.live == 0) service_.none_live.notify_all();
}

void Call::go_on(bool ok) {
  switch (stage_.load(std::memory_order_acquire)) {
    case Stage::waiting: {
      if (!ok) break;  // the server ends
      begin(service_);
      const grpc::Status status = check();
      if (!status.ok()) return finish(status);
      return read();
    }
    case Stage::reading: {
      {
        const std::lock_guard lock(service_.mutex);
        service_.reading.erase(this);
      }
      if (ok) return answer();
      return finish({grpc::StatusCode::INVALID_ARGUMENT, "expected one request, found none"});
    }
    case Stage::finishing:
      break;
  }
  delete this;
}

Peer Call::peer() const {
  Peer peer{.member = {},
            .address = grpc_peers::parse_peer(context_.peer()),
            .authenticated = service_.revoked != nullptr};
  if (!peer.authenticated) return peer;
  const auto pem = context_.auth_context()->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (pem.size() != 1) return peer;
  if (auto member = parse_member({pem.front().data(), pem.front().size()}))
    peer.member = std::move(*member);
  return peer;
}

grpc::Status Call::check() {
  peer_ = peer();
  const auto found = service_.verbs.find(context_.method());
  static const Verb unknown{.name = "an unknown verb", .right = Right::belong, .handler = nullptr};
  verb_ = found == service_.verbs.end() ? &unknown : &found->second;
  if (peer_.authenticated) {
    if (peer_.member.pem.empty())
      return {grpc::StatusCode::UNAUTHENTICATED, "the connection has no certificate of a member"};
    const Decision decision = authorise(peer_, *verb_, *service_.revoked, trusted_now());
    if (decision.refusal != Refusal::none) {
      ++service_.refused;
      (*service_.log)(
          fmt::format("refused {} of {}: {}", verb_->name, to_string(peer_), decision.why));
      return {decision.refusal == Refusal::right ? grpc::StatusCode::PERMISSION_DENIED
                                                 : grpc::StatusCode::UNAUTHENTICATED,
              decision.why};
    }
  }
  service_.gate->admit(peer_.address);
  if (verb_ == &unknown) {
    return {grpc::StatusCode::UNIMPLEMENTED,
            "the driver does not know the verb; both sides must run the same version of megascale"};
  }
  return {};
}

void Call::read() {
  enter(Stage::reading);
  {
    const std::lock_guard lock(service_.mutex);
    service_.reading.emplace(this, std::chrono::steady_clock::now());
  }
  stream_.Read(&request_, this);
}

void Call::answer() {
  ++service_.answered;
  if (verb_->right == Right::act || verb_->right == Right::administer) {
    if (service_.audit) service_.audit(fmt::format("{} calls {}", to_string(peer_), verb_->name));
  }
  const auto reply = [this]() -> Result<std::string> {
    try {
      return verb_->handler(peer_, grpc_peers::to_text(request_));
    } catch (const Error& error) {
      return tl::unexpected(error);
    } catch (const std::exception& error) {
      return tl::unexpected(Error(ErrorCode::failed, error.what()));
    }
  }();
  if (!reply) return finish(grpc_peers::to_status(reply.error()));
  enter(Stage::finishing);
  stream_.WriteAndFinish(grpc_peers::to_buffer(*reply), grpc::WriteOptions(), grpc::Status(), this);
}

void Call::finish(const grpc::Status& status) {
  enter(Stage::finishing);
  stream_.Finish(status, this);
}

}  // namespace megascale::secure
