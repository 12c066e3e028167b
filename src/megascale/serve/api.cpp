#include "megascale/serve/api.h"

#include <limits>

#include "megascale/base/error.h"
#include "megascale/serve/prometheus.h"

namespace megascale::serve {
namespace {

using Runs = std::span<const std::unique_ptr<RunView>>;

constexpr std::int64_t kMostSteps = 4096;     // of a heat map
constexpr std::int64_t kMostPoints = 10'000;  // of a plot
constexpr std::size_t kMostTimelineRanks = 256;
constexpr std::int64_t kAnyStep = std::numeric_limits<std::int64_t>::max();

Answer json_answer(const Json& json) {
  return {.status = 200,
          .type = "application/json",
          .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

Json list_of(Runs runs) {
  Json list = Json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Json summary = runs[i]->summary();
    summary["id"] = i;
    list.push_back(std::move(summary));
  }
  return {{"runs", list}};
}

Json metric_list() {
  Json list = Json::array();
  for (const observe::MetricKind& kind : observe::kMetricKinds)
    list.push_back({{"name", kind.name}, {"unit", kind.unit}, {"meaning", kind.meaning}});
  return {{"metrics", list}};
}

Answer answer_run(RunView& run, std::string_view what, const Parameters& parameters) {
  if (what.empty()) {
    const Query query(parameters, {});
    return json_answer(run.summary());
  }
  if (what == "metrics") {
    const Query query(parameters, {"after", "points"});
    return json_answer(
        run.metrics(query.integer("after", 0, kAnyStep, 0),
                    static_cast<std::size_t>(query.integer("points", 1, kMostPoints, 1000))));
  }
  if (what == "ranks") {
    const Query query(parameters, {"steps", "columns"});
    return json_answer(run.ranks(static_cast<std::size_t>(query.integer("steps", 1, kMostSteps, 8)),
                                 query.words("columns")));
  }
  if (what == "rank") {
    const Query query(parameters, {"rank", "steps"});
    const auto rank = query.integer("rank", 0, std::numeric_limits<std::uint32_t>::max(), 0);
    return json_answer(
        run.rank(static_cast<std::uint32_t>(rank),
                 static_cast<std::size_t>(query.integer("steps", 1, kMostSteps, 64))));
  }
  if (what == "peers") {
    const Query query(parameters, {"rank"});
    return json_answer(run.peers(static_cast<std::uint32_t>(
        query.integer("rank", 0, std::numeric_limits<std::uint32_t>::max(), 0))));
  }
  if (what == "timeline") {
    const Query query(parameters, {"ranks", "step"});
    return json_answer(run.timeline(query.ranks("ranks", run.world_size(), kMostTimelineRanks),
                                    query.integer("step", 0, kAnyStep, -1)));
  }
  if (what == "memory") {
    const Query query(parameters, {"rank", "step", "points"});
    const auto rank = query.integer("rank", 0, std::numeric_limits<std::uint32_t>::max(), 0);
    return json_answer(
        run.memory(static_cast<std::uint32_t>(rank), query.integer("step", 0, kAnyStep, -1),
                   static_cast<std::size_t>(query.integer("points", 1, kMostPoints, 1000))));
  }
  if (what == "routing") {
    const Query query(parameters, {"steps"});
    return json_answer(
        run.routing(static_cast<std::size_t>(query.integer("steps", 1, kMostSteps, 512))));
  }
  const Query query(parameters, {});
  if (what == "plan") return json_answer(run.plan());
  if (what == "job") return json_answer(run.job());
  if (what == "hang") return json_answer(run.hang());
  return error_answer(404,
                      "no such part of a run; expected metrics, ranks, rank, peers, timeline, "
                      "memory, routing, plan, job, hang or stream");
}

Answer answer_path(Runs runs, std::string_view path, const Parameters& parameters) {
  if (path == "/metrics") {
    return {.status = 200,
            .type = "text/plain; version=0.0.4; charset=utf-8",
            .body = prometheus_text(runs)};
  }
  if (path == "/api/runs" || path == "/api/metrics") {
    const Query query(parameters, {});
    return json_answer(path == "/api/runs" ? list_of(runs) : metric_list());
  }
  const auto found = parse_run_path(path);
  if (!found) return error_answer(404, "no such path; expected /api/runs, or /metrics");
  if (found->run >= runs.size())
    return error_answer(404, "no such run; /api/runs lists those that are served");
  return answer_run(*runs[found->run], found->what, parameters);
}

}  // namespace

Answer error_answer(int status, std::string_view text) {
  Answer answer = json_answer({{"error", text}});
  answer.status = status;
  return answer;
}

Answer answer(Runs runs, std::string_view path, const Parameters& parameters) {
  try {
    return answer_path(runs, path, parameters);
  } catch (const Error& error) {
    // bad_usage: the run does not have it.
    return error_answer(error.code() == ErrorCode::bad_input ? 400 : 404, error.message());
  } catch (const std::exception& error) {
    return error_answer(500, error.what());
  }
}

}  // namespace megascale::serve
