// Writes and reads the members of each message, in the order of the structs.
#include "megascale/control/message_text.h"

#include <fmt/format.h>

#include <array>

#include "megascale/base/local_ranks.h"
#include "megascale/control/outcome_text.h"
#include "megascale/control/position_text.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kMostRanks = 1 << 24;
constexpr std::array<std::string_view, 3> kRankStates{"running", "stopped", "ended"};
constexpr std::array<std::string_view, 5> kOrderKinds{"start", "stop", "check", "save", "release"};
constexpr std::array<std::string_view, 4> kRefusals{"none", "ignore", "leave", "restart"};

Json rank_to_json(const RankReport& rank) {
  Json json{{"rank", rank.rank},
            {"process_id", rank.process_id},
            {"state", to_string(rank.state)},
            {"exit_code", rank.exit_code},
            {"signal", rank.signal},
            {"end_number", rank.end_number},
            {"resumed_step", rank.resumed_step},
            {"steps_done", rank.steps_done},
            {"tasks_done", rank.tasks_done},
            {"in_step", rank.in_step},
            {"idle_seconds", rank.idle_seconds},
            {"step_seconds", rank.step_seconds}};
  if (rank.out_of_memory) json["out_of_memory"] = true;
  if (rank.position) json["position"] = position_to_json(*rank.position);
  if (rank.outcomes.empty()) return json;
  Json outcomes = Json::array(), groups = Json::array();
  for (const StepOutcome& outcome : rank.outcomes) outcomes.push_back(outcome_to_text(outcome));
  for (const std::uint64_t group : rank.groups) groups.push_back(fmt::format("{:x}", group));
  json["plan"] = fmt::format("{:x}", rank.plan);
  json["groups"] = std::move(groups);
  json["outcomes"] = std::move(outcomes);
  return json;
}

RankReport rank_from_json(const Parsed& object) {
  const Fields fields(object, "a rank of a heartbeat");
  RankReport rank;
  rank.rank = static_cast<std::uint32_t>(fields.integer("rank", 0, kMostRanks));
  rank.process_id = static_cast<std::int32_t>(fields.integer("process_id", 0, 1 << 30));
  rank.state = static_cast<RankState>(fields.word("state", kRankStates));
  rank.exit_code = static_cast<std::int32_t>(fields.integer("exit_code", -1, 255));
  rank.signal = static_cast<std::int32_t>(fields.integer("signal", 0, 255));
  rank.end_number = static_cast<std::uint32_t>(fields.integer("end_number", 0, kMostRanks));
  rank.resumed_step = fields.at_least("resumed_step", -1);
  rank.steps_done = fields.at_least("steps_done", -1);
  rank.tasks_done = static_cast<std::uint32_t>(fields.integer("tasks_done", 0, 1U << 31U));
  rank.in_step = fields.boolean("in_step");
  rank.idle_seconds = fields.real("idle_seconds");
  rank.step_seconds = fields.real("step_seconds");
  if (object.contains("out_of_memory")) rank.out_of_memory = fields.boolean("out_of_memory");
  if (object.contains("position")) rank.position = position_from_json(object["position"]);
  if (!object.contains("outcomes")) return rank;
  for (const std::string& text : fields.texts("outcomes"))
    rank.outcomes.push_back(outcome_from_text(text));
  rank.plan = group_from_text(fields.text_or("plan", "0"));
  for (const std::string& text : fields.texts("groups"))
    rank.groups.push_back(group_from_text(text));
  return rank;
}

Json check_to_json(const CheckResult& check) {
  return {{"order", check.order},
          {"passed", check.passed},
          {"text", check.text},
          {"kind", check.kind},
          {"digest", check.digest}};
}

CheckResult check_from_json(const Parsed& object) {
  const Fields fields(object, "the self-checks of a heartbeat");
  return {.order = fields.at_least("order", 1),
          .passed = fields.boolean("passed"),
          .text = fields.text("text"),
          .kind = fields.text("kind"),
          .digest = fields.text("digest")};
}

}  // namespace

std::string to_text(const Heartbeat& heartbeat) {
  Json ranks = Json::array(), findings = Json::array();
  for (const RankReport& rank : heartbeat.ranks) ranks.push_back(rank_to_json(rank));
  for (const Finding& finding : heartbeat.findings) {
    findings.push_back(
        {{"rank", finding.rank}, {"keyword", finding.keyword}, {"line", finding.line}});
  }
  Json interfaces = Json::array();
  for (const InterfaceCounters& one : heartbeat.interfaces)
    interfaces.push_back({{"name", one.name}, {"received", one.received}, {"sent", one.sent}});
  Json json{{"job", heartbeat.job},
            {"host", heartbeat.host},
            {"incarnation", heartbeat.incarnation},
            {"sequence", heartbeat.sequence},
            {"term", heartbeat.term},
            {"epoch", heartbeat.epoch},
            {"acknowledged", heartbeat.acknowledged},
            {"stop_requested", heartbeat.stop_requested},
            {"leaving", heartbeat.leaving},
            {"address", heartbeat.address},
            {"store", heartbeat.rendezvous.store},
            {"secret", heartbeat.rendezvous.secret},
            {"cores", heartbeat.facts.cores},
            {"memory_bytes", heartbeat.facts.memory_bytes},
            {"ranks", std::move(ranks)},
            {"findings", std::move(findings)},
            {"interfaces", std::move(interfaces)},
            {"checkpoints", heartbeat.checkpoints},
            {"copies", heartbeat.copies},
            {"stall_seconds", heartbeat.stall_seconds}};
  if (heartbeat.check.order > 0) json["check"] = check_to_json(heartbeat.check);
  return to_text(json);
}

namespace {

std::vector<InterfaceCounters> interfaces_from_json(const Fields& heartbeat) {
  std::vector<InterfaceCounters> interfaces;
  for (const Parsed& item : heartbeat.list("interfaces")) {
    const Fields one(item, "an interface of a heartbeat");
    interfaces.push_back({.name = one.text("name"),
                          .received = one.at_least("received", 0),
                          .sent = one.at_least("sent", 0)});
  }
  return interfaces;
}

}  // namespace

Heartbeat parse_heartbeat(std::string_view text) {
  const Parsed object = parse_object(text, "a heartbeat");
  const Fields fields(object, "a heartbeat");
  Heartbeat heartbeat;
  heartbeat.job = fields.text("job");
  heartbeat.host = fields.text("host");
  heartbeat.incarnation = fields.at_least("incarnation", 1);
  heartbeat.sequence = fields.at_least("sequence", 1);
  heartbeat.term = fields.at_least("term", 0);
  heartbeat.epoch = fields.at_least("epoch", 0);
  heartbeat.acknowledged = fields.at_least("acknowledged", 0);
  heartbeat.stop_requested = fields.boolean("stop_requested");
  heartbeat.leaving = fields.boolean("leaving");
  heartbeat.address = fields.text("address");
  heartbeat.rendezvous = {.store = fields.text("store"), .secret = fields.text("secret")};
  heartbeat.facts.cores = static_cast<std::uint32_t>(fields.integer("cores", 0, 1 << 24));
  heartbeat.facts.memory_bytes = static_cast<std::uint64_t>(fields.at_least("memory_bytes", 0));
  for (const Parsed& rank : fields.list("ranks")) heartbeat.ranks.push_back(rank_from_json(rank));
  for (const Parsed& item : fields.list("findings")) {
    const Fields finding(item, "a finding of a heartbeat");
    heartbeat.findings.push_back(
        {.rank = static_cast<std::uint32_t>(finding.integer("rank", 0, kMostRanks)),
         .keyword = finding.text("keyword"),
         .line = finding.text("line")});
  }
  heartbeat.interfaces = interfaces_from_json(fields);
  heartbeat.checkpoints = fields.integers("checkpoints", 0);
  heartbeat.copies = fields.integers("copies", 0);
  heartbeat.stall_seconds = fields.real("stall_seconds");
  if (object.contains("check")) heartbeat.check = check_from_json(object["check"]);
  return heartbeat;
}

Json order_to_json(const Order& order) {
  return {{"number", order.number},
          {"host", order.host},
          {"kind", to_string(order.kind)},
          {"epoch", order.epoch},
          {"first_rank", order.first_rank},
          {"ranks", order.ranks},
          {"world_size", order.world_size},
          {"arguments", order.arguments},
          {"listen", order.listen},
          {"store", order.rendezvous.store},
          {"secret", order.rendezvous.secret},
          {"load_at_most", order.load_at_most},
          {"grace_seconds", order.grace_seconds},
          {"exit_code", order.exit_code},
          {"text", order.text}};
}

Order order_from_json(const Parsed& object) {
  const Fields fields(object, "an order");
  Order order;
  order.number = fields.at_least("number", 1);
  order.host = fields.text("host");
  order.kind = static_cast<OrderKind>(fields.word("kind", kOrderKinds));
  order.epoch = fields.at_least("epoch", 0);
  order.first_rank = static_cast<std::uint32_t>(fields.integer("first_rank", 0, kMostRanks));
  order.ranks = static_cast<std::uint32_t>(fields.integer("ranks", 0, kMostLocalRanks));
  order.world_size = static_cast<std::uint32_t>(fields.integer("world_size", 0, kMostRanks));
  order.arguments = fields.texts("arguments");
  order.listen = fields.text_or("listen", {});
  order.rendezvous = {.store = fields.text_or("store", {}), .secret = fields.text_or("secret", {})};
  if (object.contains("load_at_most")) order.load_at_most = fields.at_least("load_at_most", -1);
  order.grace_seconds = fields.real("grace_seconds");
  order.exit_code = static_cast<std::int32_t>(fields.integer("exit_code", 0, 255));
  order.text = fields.text("text");
  return order;
}

std::string to_text(const Reply& reply) {
  Json orders = Json::array();
  for (const Order& order : reply.orders) orders.push_back(order_to_json(order));
  return to_text(Json{{"sequence", reply.sequence},
                      {"term", reply.term},
                      {"epoch", reply.epoch},
                      {"refusal", to_string(reply.refusal)},
                      {"refused", reply.refused},
                      {"orders", std::move(orders)}});
}

Reply parse_reply(std::string_view text) {
  const Parsed object = parse_object(text, "a reply");
  const Fields fields(object, "a reply");
  Reply reply;
  reply.sequence = fields.at_least("sequence", 0);
  reply.term = fields.at_least("term", 0);
  reply.epoch = fields.at_least("epoch", 0);
  reply.refusal = static_cast<Refusal>(fields.word("refusal", kRefusals));
  reply.refused = fields.text("refused");
  for (const Parsed& order : fields.list("orders")) reply.orders.push_back(order_from_json(order));
  return reply;
}

}  // namespace megascale::control
