#ifndef MEGASCALE_CONTROL_DATABASE_H_
#define MEGASCALE_CONTROL_DATABASE_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

// A thin layer over SQLite. Every function throws Error, which names the file, the statement and
// SQLite's reason: timeout if another program has locked the file for 5 s, else io. One thread at a time may use a database.
namespace megascale::control {

class Statement {
 public:
  // Binds the next parameter, from the first one on.
  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);
  Statement& bind_bytes(std::string_view value);
  // Goes to the next row. Returns false if there is none.
  bool next();
  // Runs a statement that returns no row, and makes it ready to be bound again.
  void run();
  // Returns the next column of the row, from the first one on.
  [[nodiscard]] std::int64_t integer();
  [[nodiscard]] double real();
  [[nodiscard]] std::string text();
  [[nodiscard]] std::string bytes();

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  Statement(sqlite3* database, sqlite3_stmt* statement, const std::filesystem::path& path)
      : database_(database), statement_(statement), path_(&path) {}
  void check(int code, int expected) const;
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  const std::filesystem::path* path_;
  int bound_ = 0, column_ = 0;
};

class Database {
 public:
  enum class Access : std::uint8_t { read, write };
  // SQLite appends these to the name of the database to name its files.
  static constexpr std::array<std::string_view, 3> kFiles{"", "-wal", "-shm"};
  // Opens the file; Access::write creates it if it does not exist, and makes every transaction
  // durable before it returns (write-ahead log, synchronous = FULL).
  Database(std::filesystem::path path, Access access);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  // A statement refers to the database, which must outlive it.
  [[nodiscard]] Statement prepare(const char* sql);
  void run(const char* sql);
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  struct Closer {
    void operator()(sqlite3* database) const noexcept;
  };
  void keep_log();  // makes the file one with a write-ahead log, for good
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Closer> database_;
};

// A transaction. Without commit(), the destructor takes its changes back.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DATABASE_H_
