// The schema has a version (PRAGMA user_version). A later version adds to create_tables() what an
// older record lacks.
#include "megascale/control/job_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "megascale/base/error.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kVersion = 1;

constexpr const char* kSchema = R"(
CREATE TABLE jobs (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, session INTEGER NOT NULL,
  settings TEXT NOT NULL, state TEXT NOT NULL, alive_ns INTEGER NOT NULL,
  driver_host TEXT NOT NULL, driver_process INTEGER NOT NULL);
CREATE TABLE attempts (epoch INTEGER PRIMARY KEY, session INTEGER NOT NULL, started_ns INTEGER NOT NULL,
  ended_ns INTEGER NOT NULL, resumed_step INTEGER NOT NULL, steps_done INTEGER NOT NULL, outcome TEXT NOT NULL);
CREATE TABLE nodes (host TEXT PRIMARY KEY, incarnation INTEGER NOT NULL, cores INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL, state TEXT NOT NULL);
CREATE TABLE incidents (number INTEGER PRIMARY KEY, session INTEGER NOT NULL, epoch INTEGER NOT NULL,
  opened_ns INTEGER NOT NULL, closed_ns INTEGER NOT NULL, rule TEXT NOT NULL, rank INTEGER NOT NULL,
  host TEXT NOT NULL, step INTEGER NOT NULL, what TEXT NOT NULL, evidence TEXT NOT NULL,
  action TEXT NOT NULL, outcome TEXT NOT NULL);
CREATE TABLE events (number INTEGER PRIMARY KEY AUTOINCREMENT, wall_seconds REAL NOT NULL,
  session INTEGER NOT NULL, time_ns INTEGER NOT NULL, kind TEXT NOT NULL, epoch INTEGER NOT NULL,
  rank INTEGER NOT NULL, step INTEGER NOT NULL, incident INTEGER NOT NULL, seconds REAL NOT NULL,
  text TEXT NOT NULL);
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
)";

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string new_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

const std::filesystem::path& require_present(const std::filesystem::path& path,
                                             Database::Access access) {
  std::error_code ignored;
  if (access == Database::Access::read && !std::filesystem::exists(path, ignored)) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected the record of a job that was started with `megascale train "
                            "CONFIG --robust`, {} does not exist",
                            path.string()));
  }
  return path;
}

}  // namespace

JobRecord::JobRecord(const std::filesystem::path& path, Database::Access access)
    : database_(require_present(path, access), access) {
  const std::int64_t found = version();
  if (found > kVersion) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected a job record of version {} or older, found version {}; "
                            "use the version of megascale that wrote it",
                            path.string(), kVersion, found));
  }
  if (found == 0 && access == Database::Access::write) create_tables();
  if (found == 0 && access == Database::Access::read) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{}: expected a job record, found an empty one", path.string()));
  }
}

// The statement ends here: within one that still reads, SQLite does not wait for the lock of another
// connection, but refuses to begin a transaction.
std::int64_t JobRecord::version() {
  Statement row = database_.prepare("PRAGMA user_version");
  row.next();
  return row.integer();
}

void JobRecord::create_tables() {
  Transaction transaction(database_);
  if (version() != 0) return;  // another driver has created them meanwhile
  database_.run(kSchema);
  database_.prepare("INSERT INTO jobs VALUES (1, ?, 0, '', '', 0, '', 0)").bind(new_name()).run();
  database_.run(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
  transaction.commit();
}

JobRow JobRecord::job() {
  Statement row = database_.prepare(
      "SELECT name, session, settings, state, alive_ns, driver_host, driver_process FROM jobs");
  if (!row.next()) {
    throw Error(ErrorCode::corrupt_data, fmt::format("{}: expected a row of the job, found none",
                                                     database_.path().string()));
  }
  JobRow job;
  job.name = row.text();
  job.session = row.integer();
  job.settings = row.text();
  job.state = row.text();
  job.alive_ns = row.integer();
  job.driver_host = row.text();
  job.driver_process = row.integer();
  return job;
}

JobRow JobRecord::begin_session(const std::string& settings) {
  Transaction transaction(database_);
  database_.prepare("UPDATE jobs SET session = session + 1, settings = ?").bind(settings).run();
  transaction.commit();
  return job();
}

void JobRecord::set_name(std::string_view name) {
  database_.prepare("UPDATE jobs SET name = ?").bind(name).run();
}

void JobRecord::set_driver(std::string_view host, std::int64_t process) {
  database_.prepare("UPDATE jobs SET driver_host = ?, driver_process = ?")
      .bind(host)
      .bind(process)
      .run();
  driver_host_ = host;
  driver_process_ = process;
}

// Called in a transaction. A driver that was frozen, or cut off, while another one took its place
// must not mix its decisions with those of the other.
void JobRecord::require_own() {
  if (driver_process_ == 0) return;
  Statement row = database_.prepare("SELECT driver_host, driver_process FROM jobs");
  row.next();
  const std::string host = row.text();
  const std::int64_t process = row.integer();
  if (host == driver_host_ && process == driver_process_) return;
  throw Error(ErrorCode::failed,
              fmt::format("{}: another driver keeps the record of the job now: host {}, process {}",
                          database_.path().string(), host, process));
}

void JobRecord::commit(const Change& change, const std::string& state, std::int64_t now_ns) {
  Transaction transaction(database_);
  require_own();
  for (const Attempt& attempt : change.attempts) store(attempt);
  for (const Incident& incident : change.incidents) store(incident);
  for (const Node& node : change.nodes) store(node);
  for (const LogEntry& entry : change.entries) store(entry);
  database_.prepare("UPDATE jobs SET state = ?, alive_ns = ?").bind(state).bind(now_ns).run();
  transaction.commit();
}

void JobRecord::store(const LogEntry& e) {
  database_.prepare("INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(wall_seconds())
      .bind(e.session)
      .bind(e.time_ns)
      .bind(to_string(e.kind))
      .bind(e.epoch)
      .bind(e.rank)
      .bind(e.step)
      .bind(e.incident)
      .bind(e.seconds)
      .bind(e.text)
      .run();
}

void JobRecord::store(const Incident& i) {
  database_
      .prepare("INSERT OR REPLACE INTO incidents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(i.number)
      .bind(i.session)
      .bind(i.epoch)
      .bind(i.opened_ns)
      .bind(i.closed_ns)
      .bind(i.rule)
      .bind(i.rank)
      .bind(i.host)
      .bind(i.step)
      .bind(i.what)
      .bind(i.evidence)
      .bind(i.action)
      .bind(i.outcome)
      .run();
}

void JobRecord::store(const Attempt& a) {
  database_.prepare("INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?)")
      .bind(a.epoch)
      .bind(a.session)
      .bind(a.started_ns)
      .bind(a.ended_ns)
      .bind(a.resumed_step)
      .bind(a.steps_done)
      .bind(a.outcome)
      .run();
}

void JobRecord::store(const Node& n) {
  database_.prepare("INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?)")
      .bind(n.host)
      .bind(n.incarnation)
      .bind(std::int64_t{n.cores})
      .bind(static_cast<std::int64_t>(n.memory_bytes))
      .bind(n.state)
      .run();
}

std::vector<Attempt> JobRecord::attempts() {
  Statement rows = database_.prepare(
      "SELECT epoch, session, started_ns, ended_ns, resumed_step, steps_done, outcome "
      "FROM attempts ORDER BY epoch");
  std::vector<Attempt> found;
  while (rows.next()) {
    Attempt& a = found.emplace_back();
    a.epoch = rows.integer();
    a.session = rows.integer();
    a.started_ns = rows.integer();
    a.ended_ns = rows.integer();
    a.resumed_step = rows.integer();
    a.steps_done = rows.integer();
    a.outcome = rows.text();
  }
  return found;
}

std::vector<Incident> JobRecord::incidents() {
  Statement rows = database_.prepare(
      "SELECT number, session, epoch, opened_ns, closed_ns, rule, rank, host, step, what, "
      "evidence, "
      "action, outcome FROM incidents ORDER BY number");
  std::vector<Incident> found;
  while (rows.next()) {
    Incident& i = found.emplace_back();
    i.number = rows.integer();
    i.session = rows.integer();
    i.epoch = rows.integer();
    i.opened_ns = rows.integer();
    i.closed_ns = rows.integer();
    i.rule = rows.text();
    i.rank = rows.integer();
    i.host = rows.text();
    i.step = rows.integer();
    i.what = rows.text();
    i.evidence = rows.text();
    i.action = rows.text();
    i.outcome = rows.text();
  }
  return found;
}

std::vector<Node> JobRecord::nodes() {
  Statement rows = database_.prepare(
      "SELECT host, incarnation, cores, memory_bytes, state FROM nodes ORDER BY host");
  std::vector<Node> found;
  while (rows.next()) {
    Node& n = found.emplace_back();
    n.host = rows.text();
    n.incarnation = rows.integer();
    n.cores = static_cast<std::uint32_t>(rows.integer());
    n.memory_bytes = static_cast<std::uint64_t>(rows.integer());
    n.state = rows.text();
  }
  return found;
}

std::vector<LogEntry> JobRecord::events() {
  Statement rows = database_.prepare(
      "SELECT number, session, time_ns, kind, epoch, rank, step, incident, seconds, text "
      "FROM events ORDER BY number");
  std::vector<LogEntry> found;
  while (rows.next()) {
    LogEntry& e = found.emplace_back();
    e.number = rows.integer();
    e.session = rows.integer();
    e.time_ns = rows.integer();
    const std::string word = rows.text();
    const auto kind = parse_entry_kind(word);
    if (!kind) {
      throw Error(ErrorCode::corrupt_data,
                  fmt::format("{}: event {}: expected a kind of this version, found \"{}\"",
                              database_.path().string(), e.number, word));
    }
    e.kind = *kind;
    e.epoch = rows.integer();
    e.rank = rows.integer();
    e.step = rows.integer();
    e.incident = rows.integer();
    e.seconds = rows.real();
    e.text = rows.text();
  }
  return found;
}

std::int64_t JobRecord::session_time_ns() {
  const std::int64_t alive_ns = job().alive_ns;
  Statement last =
      database_.prepare("SELECT wall_seconds, time_ns FROM events ORDER BY number DESC LIMIT 1");
  if (!last.next()) return alive_ns;
  const double passed = std::max(wall_seconds() - last.real(), 0.0);
  return std::max(alive_ns, last.integer() + static_cast<std::int64_t>(passed * 1e9));
}

}  // namespace megascale::control
