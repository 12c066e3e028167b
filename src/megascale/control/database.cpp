// Wraps the C interface of SQLite in objects that release what they own.
#include "megascale/control/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "megascale/base/error.h"

namespace megascale::control {
namespace {

// How long a writer waits for readers that hold a lock, such as `megascale status`.
constexpr int kBusyMilliseconds = 5000;

[[noreturn]] void fail(const std::filesystem::path& path, sqlite3* database, const char* action) {
  const char* reason = database != nullptr ? ::sqlite3_errmsg(database) : "out of memory";
  const bool is_busy = database != nullptr && ::sqlite3_errcode(database) == SQLITE_BUSY;
  throw Error(is_busy ? ErrorCode::timeout : ErrorCode::io,
              fmt::format("{}: the job record: {}: {}", path.string(), action, reason));
}

}  // namespace

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const noexcept {
  (void)::sqlite3_finalize(statement);
}

void Statement::check(int code, int expected) const {
  if (code != expected) fail(*path_, database_, ::sqlite3_sql(statement_.get()));
}

Statement& Statement::bind(std::int64_t value) {
  check(::sqlite3_bind_int64(statement_.get(), ++bound_, value), SQLITE_OK);
  return *this;
}

Statement& Statement::bind(double value) {
  check(::sqlite3_bind_double(statement_.get(), ++bound_, value), SQLITE_OK);
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  // Null would be bound as NULL, which is another value than the empty text.
  const char* data = value.data() == nullptr ? "" : value.data();
  check(::sqlite3_bind_text64(statement_.get(), ++bound_, data, value.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8),
        SQLITE_OK);
  return *this;
}

Statement& Statement::bind_bytes(std::string_view value) {
  check(::sqlite3_bind_blob64(statement_.get(), ++bound_, value.data(), value.size(),
                              SQLITE_TRANSIENT),
        SQLITE_OK);
  return *this;
}

bool Statement::next() {
  column_ = 0;
  const int code = ::sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  check(code, SQLITE_DONE);
  return false;
}

void Statement::run() {
  while (next()) {
  }
  check(::sqlite3_reset(statement_.get()), SQLITE_OK);
  bound_ = 0;
}

std::int64_t Statement::integer() { return ::sqlite3_column_int64(statement_.get(), column_++); }

double Statement::real() { return ::sqlite3_column_double(statement_.get(), column_++); }

std::string Statement::text() {
  const unsigned char* data = ::sqlite3_column_text(statement_.get(), column_);
  const int nbytes = ::sqlite3_column_bytes(statement_.get(), column_);
  ++column_;
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(nbytes)};
}

std::string Statement::bytes() {
  const void* data = ::sqlite3_column_blob(statement_.get(), column_);
  const int nbytes = ::sqlite3_column_bytes(statement_.get(), column_);
  ++column_;
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(nbytes)};
}

void Database::Closer::operator()(sqlite3* database) const noexcept {
  (void)::sqlite3_close(database);
}

Database::Database(std::filesystem::path path, Access access) : path_(std::move(path)) {
  const int flags =
      access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  sqlite3* opened = nullptr;
  int code = ::sqlite3_open_v2(path_.c_str(), &opened, flags, nullptr);
  if (code != SQLITE_OK && access == Access::read) {  // another user's record
    (void)::sqlite3_close(opened);
    code = ::sqlite3_open_v2(path_.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  }
  database_.reset(opened);
  if (code != SQLITE_OK) fail(path_, opened, "open");
  (void)::sqlite3_busy_timeout(opened, kBusyMilliseconds);
  if (access == Access::read) return;
  keep_log();
  run("PRAGMA synchronous = FULL");
  run("PRAGMA foreign_keys = ON");
}

// SQLite does not wait for other connections here: the change needs a stronger lock than the one that the
// connection has by then, and two that waited for each other would never end.
void Database::keep_log() {
  const char* const change = "PRAGMA journal_mode = WAL";
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
  for (;;) {
    const int code = ::sqlite3_exec(database_.get(), change, nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if (code != SQLITE_BUSY || std::chrono::steady_clock::now() > end)
      fail(path_, database_.get(), change);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Statement Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (::sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr) != SQLITE_OK)
    fail(path_, database_.get(), sql);
  return {database_.get(), statement, path_};
}

void Database::run(const char* sql) {
  if (::sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(path_, database_.get(), sql);
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const Error&) {  // the next open takes the changes back
    return;
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace megascale::control
