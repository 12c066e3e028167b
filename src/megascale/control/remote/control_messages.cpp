// Writes and reads the members of each message, in the order of the structs.
#include "megascale/control/remote/control_messages.h"

#include "megascale/control/json_fields.h"

namespace megascale::control {

std::string to_text(const AttachRequest& request) { return to_text(Json{{"host", request.host}}); }

AttachRequest parse_attach_request(std::string_view text) {
  const Parsed object = parse_object(text, "a request for a job");
  return {.host = Fields(object, "a request for a job").text("host")};
}

std::string to_text(const AttachReply& reply) {
  return to_text(Json{{"job", reply.job},
                      {"incarnation", reply.incarnation},
                      {"term", reply.term},
                      {"heartbeat_seconds", reply.heartbeat_seconds},
                      {"wait_seconds", reply.wait_seconds},
                      {"is_served", reply.is_served},
                      {"directory", reply.directory},
                      {"run_dir", reply.run_dir},
                      {"checkpoints", reply.checkpoints}});
}

AttachReply parse_attach_reply(std::string_view text) {
  const Parsed object = parse_object(text, "a job");
  const Fields fields(object, "a job");
  return {.job = fields.text("job"),
          .incarnation = fields.at_least("incarnation", 1),
          .term = fields.has("term") ? fields.at_least("term", 0) : 0,
          .heartbeat_seconds = fields.real("heartbeat_seconds"),
          .wait_seconds = fields.real("wait_seconds"),
          .is_served = fields.has("is_served") && fields.boolean("is_served"),
          .directory = fields.text("directory"),
          .run_dir = fields.text("run_dir"),
          .checkpoints = fields.text("checkpoints")};
}

std::string to_text(const StatusRequest& request) {
  return to_text(Json{{"with_ports", request.with_ports}});
}

StatusRequest parse_status_request(std::string_view text) {
  const Parsed object = parse_object(text, "a request for the status");
  const Fields fields(object, "a request for the status");
  return {.with_ports = fields.has("with_ports") && fields.boolean("with_ports")};
}

std::string to_text(const BlockRequest& request) {
  return to_text(Json{{"host", request.host}, {"why", request.why}, {"allow", request.allow}});
}

BlockRequest parse_block_request(std::string_view text) {
  const Parsed object = parse_object(text, "a request about a host");
  const Fields fields(object, "a request about a host");
  return {.host = fields.text("host"), .why = fields.text("why"), .allow = fields.boolean("allow")};
}

std::string to_text(const SubmitReply& reply) {
  return to_text(Json{{"job", reply.job}, {"was_running", reply.was_running}});
}

SubmitReply parse_submit_reply(std::string_view text) {
  const Parsed object = parse_object(text, "the reply to a submission");
  const Fields fields(object, "the reply to a submission");
  return {.job = fields.text("job"), .was_running = fields.boolean("was_running")};
}

}  // namespace megascale::control
