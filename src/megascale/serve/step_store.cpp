// A row holds the numbers as JSON, which later versions can read even if they have more of them. Lanes that had no task are left
// out, so a row has one to three KB.
#include "megascale/serve/step_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "megascale/base/error.h"

namespace megascale::serve {
namespace {

using Json = nlohmann::ordered_json;
using control::Database;

constexpr std::int64_t kVersion = 1;
constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS steps (rank INTEGER NOT NULL, step INTEGER NOT NULL, host TEXT NOT NULL,
  work TEXT NOT NULL, numbers TEXT NOT NULL, PRIMARY KEY (step, rank)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
INSERT OR IGNORE INTO counters VALUES ('dropped', 0);
)";

std::int64_t version_of(Database& database) {
  control::Statement statement = database.prepare("PRAGMA user_version");
  return statement.next() ? statement.integer() : 0;
}

// Calls `read` with each file of the run that can be read.
template <class Read>
void with_stores(const RunDirectory& run, Read read) {
  for (const std::filesystem::path& path : run.step_stores()) {
    try {
      Database database(path, Database::Access::read);
      if (version_of(database) == kVersion) read(database);
    } catch (
        const Error&) {  // NOLINT(bugprone-empty-catch): the rings still tell of the last steps
    }
  }
}

std::vector<double> numbers_of(const Json& array) {
  std::vector<double> numbers;
  for (const Json& one : array) numbers.push_back(one.is_number() ? one.get<double>() : 0.0);
  return numbers;
}

// Takes the numbers of a row. Returns false if the object has another form.
bool fill(const Json& json, RankStepEntry& entry) {
  if (!json.is_object()) return false;
  for (const char* key : {"times", "phases", "moving"})
    if (!json.contains(key) || !json[key].is_array()) return false;
  for (const char* key : {"ops", "lanes"})
    if (!json.contains(key) || !json[key].is_object()) return false;
  const auto times = numbers_of(json["times"]), phases = numbers_of(json["phases"]);
  if (times.size() != 6 || phases.size() != observe::kPhaseCount) return false;
  entry.moving = numbers_of(json["moving"]);
  observe::StepTimes& to = entry.numbers.times;
  to.step = times[0];
  to.compute = times[1];
  to.exposed_comm = times[2];
  to.bubble = times[3];
  to.data_wait = times[4];
  to.other = times[5];
  for (const auto& [name, seconds] : json["ops"].items())
    if (seconds.is_number()) to.by_op[name] = seconds.get<double>();
  std::copy(phases.begin(), phases.end(), entry.numbers.phases.begin());
  for (std::size_t l = 0; l < graph::kLaneCount; ++l) {
    const auto found =
        json["lanes"].find(std::string(graph::to_string(static_cast<graph::Lane>(l))));
    if (found == json["lanes"].end()) continue;
    const auto lane = numbers_of(*found);
    if (lane.size() != 4) return false;
    entry.numbers.lanes[l] = {lane[0], lane[1], lane[2], lane[3]};
  }
  return true;
}

}  // namespace

std::string to_text(const RankStepEntry& entry) {
  const observe::StepTimes& times = entry.numbers.times;
  Json json{
      {"times",
       {times.step, times.compute, times.exposed_comm, times.bubble, times.data_wait, times.other}},
      {"phases", entry.numbers.phases},
      {"moving", entry.moving},
      {"ops", Json::object()},
      {"lanes", Json::object()}};
  for (const auto& [name, seconds] : times.by_op) json["ops"][name] = seconds;
  for (std::size_t l = 0; l < graph::kLaneCount; ++l) {
    const observe::LaneTime& lane = entry.numbers.lanes[l];
    if (lane.busy > 0 || lane.late > 0 || lane.partner > 0)
      json["lanes"][std::string(graph::to_string(static_cast<graph::Lane>(l)))] = {
          lane.busy, lane.hidden, lane.partner, lane.late};
  }
  return json.dump();
}

std::optional<RankStepEntry> parse_rank_step(std::string_view text) {
  std::optional<RankStepEntry> entry(std::in_place);
  if (!fill(Json::parse(text, nullptr, false), *entry)) entry.reset();
  return entry;
}

StepStore::StepStore(const std::filesystem::path& path, std::int64_t most_steps)
    : database_(path, Database::Access::write), most_steps_(most_steps) {
  // No decision depends on the rows. So a commit need not wait until they are on the disk.
  database_.run("PRAGMA synchronous = NORMAL");
  const std::int64_t version = version_of(database_);
  if (version > kVersion) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected version {} or older, found {}; a newer megascale has "
                            "written it",
                            path.string(), kVersion, version));
  }
  database_.run(kSchema);
  database_.run(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
}

void StepStore::write(std::span<const StoredStep> steps) {
  control::Transaction transaction(database_);
  control::Statement insert =
      database_.prepare("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?)");
  std::int64_t too_large = 0, newest = 0;
  for (const StoredStep& step : steps) {
    const std::string numbers = to_text(step.entry);
    newest = std::max(newest, step.step);
    if (numbers.size() > kMostBytes) {
      ++too_large;
      continue;
    }
    insert.bind(std::int64_t{step.rank})
        .bind(step.step)
        .bind(step.host)
        .bind(step.work)
        .bind(numbers);
    insert.run();
  }
  control::Statement remove = database_.prepare("DELETE FROM steps WHERE step <= ?");
  remove.bind(newest - most_steps_);
  remove.run();
  transaction.commit();
  if (too_large > 0) add_dropped(too_large);
}

void StepStore::add_dropped(std::int64_t count) {
  control::Statement add =
      database_.prepare("UPDATE counters SET value = value + ? WHERE name = 'dropped'");
  add.bind(count);
  add.run();
}

void read_stored_steps(const RunDirectory& run, std::int64_t first,
                       const std::function<void(StoredStep)>& take) {
  with_stores(run, [&](Database& database) {
    control::Statement rows = database.prepare(
        "SELECT rank, step, host, work, numbers FROM steps WHERE step >= ? ORDER BY step, rank");
    rows.bind(first);
    while (rows.next()) {
      StoredStep step{.rank = static_cast<std::uint32_t>(rows.integer()), .step = rows.integer()};
      step.host = rows.text();
      step.work = rows.text();
      auto entry = parse_rank_step(rows.text());
      if (!entry) continue;
      step.entry = *std::move(entry);
      take(std::move(step));
    }
  });
}

StoreFacts store_facts(const RunDirectory& run) {
  StoreFacts facts;
  with_stores(run, [&](Database& database) {
    control::Statement newest = database.prepare("SELECT COALESCE(MAX(step), -1) FROM steps");
    if (newest.next()) facts.newest_step = std::max(facts.newest_step, newest.integer());
    control::Statement dropped =
        database.prepare("SELECT value FROM counters WHERE name = 'dropped'");
    if (dropped.next()) facts.dropped += dropped.integer();
  });
  return facts;
}

}  // namespace megascale::serve
