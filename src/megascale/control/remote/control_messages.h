#ifndef MEGASCALE_CONTROL_REMOTE_CONTROL_MESSAGES_H_
#define MEGASCALE_CONTROL_REMOTE_CONTROL_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

// The messages of the verbs of a driver's port, as JSON text. Heartbeats and their replies are those of
// control/messages.h; a submission is a DriverSettings. The parse functions throw Error (bad_input),
// which names the member. Pure; any thread.
namespace megascale::control {

inline constexpr const char* kAttachVerb = "Attach";        // an executor asks for a job
inline constexpr const char* kHeartbeatVerb = "Heartbeat";  // of an executor that has one
inline constexpr const char* kSubmitVerb = "Submit";
inline constexpr const char* kBlockVerb = "Evict";
inline constexpr const char* kStopVerb = "Stop";      // the request is not looked at
inline constexpr const char* kStatusVerb = "Status";  // the reply is job_status.h's JSON

struct AttachRequest {
  std::string host;
  bool operator==(const AttachRequest&) const = default;
};
[[nodiscard]] std::string to_text(const AttachRequest& request);
[[nodiscard]] AttachRequest parse_attach_request(std::string_view text);

struct AttachReply {
  std::string job;               // empty: there is no job yet, ask again
  std::int64_t incarnation = 1;  // of this executor
  std::int64_t term = 0;         // of the driver (messages.h)
  double heartbeat_seconds = 1;
  double wait_seconds = 600;  // an executor without ranks that hears of no driver for so long ends
  bool is_served = false;     // an executor of this host serves the job and is not silent
  std::string directory;      // the working directory of the ranks
  std::string run_dir, checkpoints;
  bool operator==(const AttachReply&) const = default;
};
[[nodiscard]] std::string to_text(const AttachReply& reply);
[[nodiscard]] AttachReply parse_attach_reply(std::string_view text);

struct StatusRequest {
  bool with_ports = false;  // the reply has "ports" too: read_ports() of port_watch.h
  bool operator==(const StatusRequest&) const = default;
};
[[nodiscard]] std::string to_text(const StatusRequest& request);
[[nodiscard]] StatusRequest parse_status_request(std::string_view text);

struct BlockRequest {
  std::string host;
  std::string why;
  bool allow = false;  // true: the host may have ranks again
  bool operator==(const BlockRequest&) const = default;
};
[[nodiscard]] std::string to_text(const BlockRequest& request);
[[nodiscard]] BlockRequest parse_block_request(std::string_view text);

struct SubmitReply {
  std::string job;
  bool was_running = false;  // the same job was submitted before and runs
  bool operator==(const SubmitReply&) const = default;
};
[[nodiscard]] std::string to_text(const SubmitReply& reply);
[[nodiscard]] SubmitReply parse_submit_reply(std::string_view text);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_CONTROL_MESSAGES_H_
