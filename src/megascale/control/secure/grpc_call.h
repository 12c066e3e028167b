#ifndef MEGASCALE_CONTROL_SECURE_GRPC_CALL_H_
#define MEGASCALE_CONTROL_SECURE_GRPC_CALL_H_

#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/async_generic_service.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "megascale/control/secure/authorisation.h"
#include "megascale/control/secure/connection_gate.h"

// Calls of an Endpoint on gRPC's generic service. Only sources of this folder include this header.
namespace megascale::secure {

class Call;

// What all calls of an endpoint share.
struct CallService {
  std::map<std::string, Verb> verbs;        // by the full method
  std::unique_ptr<RevokedSerials> revoked;  // null: the endpoint serves everybody
  std::chrono::milliseconds request_for{};
  Log audit;
  LimitedLog* log = nullptr;
  ConnectionGate* gate = nullptr;
  grpc::AsyncGenericService generic;
  grpc::ServerCompletionQueue* queue = nullptr;
  std::atomic<std::uint64_t> answered{0}, refused{0};

  std::mutex mutex;  // for what follows
  std::condition_variable none_live;
  std::size_t live = 0;   // calls, and those that wait for one
  bool stopping = false;  // no new call is awaited
  std::map<Call*, std::chrono::steady_clock::time_point> reading;  // whose request is awaited

  // Cancels calls whose request has not come in time. Any thread.
  void cancel_overdue();
};

// One call, from the wait for it to its end. It owns itself: begin() makes one, and it deletes itself
// when gRPC has nothing more to say about it.
class Call {
 public:
  static void begin(CallService& service);
  // Goes on after gRPC has done (`ok`) or given up the operation that was started last.
  void go_on(bool ok);
  void cancel() const { context_.TryCancel(); }

 private:
  explicit Call(CallService& service);
  ~Call();
  [[nodiscard]] Peer peer() const;
  [[nodiscard]] grpc::Status check();
  void read();
  void answer();
  void finish(const grpc::Status& status);

  enum class Stage { waiting, reading, finishing };
  // Before an operation is started. gRPC orders the thread that starts it and the thread that goes on after it. The stage
  // orders them as well, since the thread sanitizer sees nothing of what gRPC does.
  void enter(Stage stage) { stage_.store(stage, std::memory_order_release); }

  CallService& service_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  grpc::ByteBuffer request_;
  Peer peer_;
  const Verb* verb_ = nullptr;
  std::atomic<Stage> stage_;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_GRPC_CALL_H_
