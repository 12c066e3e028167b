#include <cmath>

#include "megascale/report/text.h"

namespace megascale::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json times_json(const observe::StepTimes& times) {
  return {{"step_seconds", times.step},
          {"compute_seconds", times.compute},
          {"exposed_comm_seconds", times.exposed_comm},
          {"bubble_seconds", times.bubble},
          {"data_wait_seconds", times.data_wait},
          {"other_seconds", times.other}};
}

Json job_json(const JobFacts& job) {
  Json json{{"ranks", job.ranks},
            {"tensor", job.tensor},
            {"context", job.context},
            {"data", job.data},
            {"pipeline", job.pipeline},
            {"parameters", job.parameters},
            {"tokens_per_step", job.tokens_per_step},
            {"train_iters", job.train_iters},
            {"memory_bytes", Json::array()}};
  for (const JobFacts::Stage& stage : job.stages) {
    Json memory{{"arena", stage.arena_bytes}};
    for (std::size_t c = 0; c < plan::kCategoryCount; ++c)
      memory[std::string(plan::to_string(static_cast<plan::Category>(c)))] = stage.by_category[c];
    json["memory_bytes"].push_back(std::move(memory));
  }
  return json;
}

Json records_json(const RecordFacts& records) {
  Json json{{"steps", records.steps},       {"times", times_json(records.times)},
            {"op_seconds", Json::object()}, {"lanes", Json::array()},
            {"ranks", Json::array()},       {"slow", Json::array()},
            {"dropped", records.dropped},   {"problems", records.problems}};
  for (const auto& [name, seconds] : records.times.by_op) json["op_seconds"][name] = seconds;
  for (const LaneFacts& lane : records.lanes) {
    json["lanes"].push_back({{"lane", graph::to_string(lane.lane)},
                             {"busy_seconds", lane.time.busy},
                             {"overlap_ratio", lane.time.overlap_share()},
                             {"partner_seconds", lane.time.partner},
                             {"late_seconds", lane.time.late}});
  }
  for (const RankLine& line : records.ranks) {
    Json rank{{"rank", line.rank}, {"host", line.host}};
    rank.update(times_json(line.times));
    rank["usual_compute_seconds"] = line.usual_compute;
    json["ranks"].push_back(std::move(rank));
  }
  for (const observe::Straggler& one : records.stragglers)
    json["slow"].push_back({{"cause", observe::to_string(one.cause)},
                            {"ranks", one.ranks},
                            {"excess_seconds", one.excess()},
                            {"text", to_string(one)}});
  return json;
}

Json anomaly_json(const observe::Anomaly& one) {
  constexpr std::array kKinds{"not_finite", "spike", "rise"};
  return {{"kind", kKinds[static_cast<std::size_t>(one.kind)]},
          {"metric", observe::kMetricKinds[one.metric].name},
          {"first_step", one.first_step},
          {"last_step", one.last_step},
          {"worst", one.worst},
          {"usual", one.usual},
          {"text", to_string(one)}};
}

Json driver_json(const DriverFacts& driver) {
  Json json{{"status", to_json(driver.status)}, {"incidents", Json::array()}};
  for (const control::Incident& one : driver.incidents)
    json["incidents"].push_back({{"number", one.number},
                                 {"what", one.what},
                                 {"step", one.step},
                                 {"outcome", one.outcome},
                                 {"open", one.closed_ns == 0}});
  return json;
}

}  // namespace

Json to_json(const RunFacts& facts) {
  Json json{{"run", facts.path},
            {"state", to_string(facts.state)},
            {"steps_done", facts.steps_done()},
            {"age_seconds", facts.age_seconds}};
  if (const auto left = facts.seconds_left()) json["seconds_left"] = *left;
  json["newest"] = Json::object();
  for (const observe::MetricKind& kind : observe::kMetricKinds)
    if (const auto value = facts.newest(kind.name)) json["newest"][std::string(kind.name)] = *value;
  for (const observe::NamedLoss& one : facts.newest_validation())
    json["newest"]["validation_losses"][one.name] = one.loss;
  json["rates"] = {{"steps", facts.rates.steps},
                   {"step_seconds", number(facts.rates.step_seconds)},
                   {"tokens_per_second", number(facts.rates.tokens_per_second)},
                   {"mfu", number(facts.rates.mfu)},
                   {"hfu", number(facts.rates.hfu)}};
  if (facts.job.ranks > 0) json["job"] = job_json(facts.job);
  if (facts.records) {
    json["records"] = records_json(*facts.records);
  } else {
    json["no_records"] = facts.no_records;
  }
  json["anomalies"] = Json::array();
  for (const observe::Anomaly& one : facts.anomalies)
    json["anomalies"].push_back(anomaly_json(one));
  if (facts.decline) {
    json["decline"] = {{"until_step", facts.decline->until_step},
                       {"before_seconds", facts.decline->before},
                       {"now_seconds", facts.decline->now},
                       {"cause", observe::to_string(facts.decline->cause)},
                       {"text", to_string(*facts.decline)}};
  }
  if (facts.driver) json["driver"] = driver_json(*facts.driver);
  return json;
}

}  // namespace megascale::report
