// A row holds numbers only. Their names, the host and the plan are the same in most rows, and are kept once,
// as a form.
#include "megascale/serve/step_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/serve/step_numbers.h"

namespace megascale::serve {
namespace {

using control::Database;

constexpr std::int64_t kVersion = 2;
constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS forms (form INTEGER PRIMARY KEY, host TEXT NOT NULL, work TEXT NOT NULL,
  names TEXT NOT NULL, UNIQUE (host, work, names));
CREATE TABLE IF NOT EXISTS steps (rank INTEGER NOT NULL, step INTEGER NOT NULL, form INTEGER NOT NULL,
  numbers BLOB NOT NULL, PRIMARY KEY (step, rank)) WITHOUT ROWID;
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

}  // namespace

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
  // Rows of version 1 are text. They are dropped; the run writes new ones.
  if (version == 1) database_.run("DROP TABLE IF EXISTS steps; DROP TABLE IF EXISTS counters");
  database_.run(kSchema);
  database_.run(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
}

void StepStore::write(std::span<const StoredStep> steps) {
  control::Transaction transaction(database_);
  control::Statement insert = database_.prepare("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?)");
  std::int64_t too_large = 0, newest = 0;
  for (const StoredStep& step : steps) {
    const StepNumbers packed = to_numbers(step.entry);
    newest = std::max(newest, step.step);
    if (packed.numbers.size() > kMostBytes) {
      ++too_large;
      continue;
    }
    insert.bind(std::int64_t{step.rank}).bind(step.step).bind(form_of(step, packed.names));
    insert.bind_bytes(packed.numbers);
    insert.run();
  }
  control::Statement remove = database_.prepare("DELETE FROM steps WHERE step <= ?");
  remove.bind(newest - most_steps_);
  remove.run();
  transaction.commit();
  if (too_large > 0) add_dropped(too_large);
}

std::int64_t StepStore::form_of(const StoredStep& step, const std::string& names) {
  const auto [known, is_new] = forms_.try_emplace(step.host + '\n' + step.work + '\n' + names, 0);
  if (is_new) {
    control::Statement add =
        database_.prepare("INSERT OR IGNORE INTO forms (host, work, names) VALUES (?, ?, ?)");
    add.bind(step.host).bind(step.work).bind(names);
    add.run();
    control::Statement find =
        database_.prepare("SELECT form FROM forms WHERE host = ? AND work = ? AND names = ?");
    find.bind(step.host).bind(step.work).bind(names);
    if (find.next()) known->second = find.integer();
  }
  return known->second;
}

void StepStore::add_dropped(std::int64_t count) {
  control::Statement add =
      database_.prepare("UPDATE counters SET value = value + ? WHERE name = 'dropped'");
  add.bind(count);
  add.run();
}

void read_stored_steps(const RunDirectory& run, std::int64_t first,
                       const std::function<bool(StoredStep&&)>& take) {
  bool goes_on = true;
  with_stores(run, [&](Database& database) {
    struct Form {
      std::string host, work;
      StepForm names;
    };
    std::map<std::int64_t, Form> forms;
    control::Statement all = database.prepare("SELECT form, host, work, names FROM forms");
    while (all.next()) {
      const std::int64_t form = all.integer();
      std::string host = all.text(), work = all.text();
      forms.emplace(form, Form{std::move(host), std::move(work), StepForm(all.text())});
    }
    control::Statement rows = database.prepare(
        "SELECT rank, step, form, numbers FROM steps WHERE step >= ? ORDER BY step, rank");
    rows.bind(first);
    while (goes_on && rows.next()) {
      StoredStep step{.rank = static_cast<std::uint32_t>(rows.integer()), .step = rows.integer()};
      const auto form = forms.find(rows.integer());
      if (form == forms.end()) continue;
      auto entry = form->second.names.read(rows.bytes());
      if (!entry) continue;
      step.host = form->second.host;
      step.work = form->second.work;
      step.entry = *std::move(entry);
      goes_on = take(std::move(step));
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
