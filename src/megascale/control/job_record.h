#ifndef MEGASCALE_CONTROL_JOB_RECORD_H_
#define MEGASCALE_CONTROL_JOB_RECORD_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "megascale/control/database.h"
#include "megascale/control/records.h"

// The durable state of a job: a SQLite database in its run directory. The driver writes it; the
// commands `status` and `incidents` read it, also while the driver runs or after it has died.
//
//   jobs       one row: name, session, settings, command line, the driver's state
//   attempts   one row per epoch
//   nodes      one row per host
//   incidents  evidence, rule, action and outcome
//   events     the append-only log; triggers refuse to change or delete a row
//
// Every commit() is one transaction, durable when it returns. A writer that is killed at any moment
// leaves the state of its last commit.
namespace megascale::control {

struct JobRow {
  std::string name;                 // unique for the run directory; "" in a new record
  std::int64_t session = 0;         // grows whenever the job is started
  std::string settings;             // DriverSettings as JSON
  std::string state;                // DriverState as JSON; "": none
  std::int64_t alive_ns = 0;        // when the driver was last seen alive
  std::string driver_host;          // of the newest driver
  std::int64_t driver_process = 0;  // likewise
};

class JobRecord {
 public:
  // Opens the record for reading or writing. Writing creates file and tables. Throws Error: io;
  // bad_usage if there is no record to read; unsupported if a newer version has written it.
  JobRecord(const std::filesystem::path& path, Database::Access access);

  [[nodiscard]] JobRow job();
  // Begins a session: raises the session number and stores the settings. Names a new job. Returns
  // the row.
  JobRow begin_session(const std::string& settings);
  // Gives the job another name.
  void set_name(std::string_view name);
  // Names the process of the driver.
  void set_driver(std::string_view host, std::int64_t process);
  // Stores a change, the driver's state after it, and that the driver was alive at `now_ns`. Throws
  // Error (failed) if another process has named itself the driver since set_driver().
  void commit(const Change& change, const std::string& state, std::int64_t now_ns);

  [[nodiscard]] std::vector<Attempt> attempts();
  [[nodiscard]] std::vector<Incident> incidents();
  [[nodiscard]] std::vector<Node> nodes();
  [[nodiscard]] std::vector<LogEntry> events();
  // Returns the time of the session that began last, as far as the wall clocks of hosts agree; at
  // least the time at which its driver was last alive.
  [[nodiscard]] std::int64_t session_time_ns();

 private:
  [[nodiscard]] std::int64_t version();
  void create_tables();
  void store(const LogEntry& entry);
  void store(const Incident& incident);
  void store(const Attempt& attempt);
  void store(const Node& node);
  void require_own();
  Database database_;
  std::string driver_host_;  // of set_driver()
  std::int64_t driver_process_ = 0;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_JOB_RECORD_H_
