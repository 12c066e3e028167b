#ifndef MEGASCALE_CONTROL_JOB_DRIVER_H_
#define MEGASCALE_CONTROL_JOB_DRIVER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "megascale/base/run_directory.h"
#include "megascale/control/culprit.h"
#include "megascale/control/driver.h"
#include "megascale/control/job_record.h"

namespace megascale::control {

// A driver with its record: every decision is stored before it is said or answered. A driver that is
// killed at any moment goes on with what is stored. One thread at a time may use it.
class JobDriver {
 public:
  using Say = std::function<void(const std::string&)>;
  // Goes on with the job of the record, or begins the session that the record names.
  JobDriver(RunDirectory run, JobRecord& record, Say say, Driver::Tenure tenure = {});
  [[nodiscard]] Reply heartbeat(const Heartbeat& heartbeat);
  void tick();
  void leave();
  void block(const std::string& host, const std::string& why);
  void allow(const std::string& host);
  void request_stop();
  [[nodiscard]] const std::string& name() const noexcept { return job_.name; }
  [[nodiscard]] const DriverSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] const DriverState& state() const noexcept { return driver_->state(); }
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] const std::optional<std::string>& replaced() const { return driver_->replaced(); }

 private:
  [[nodiscard]] std::int64_t now_ns() const;
  Reply settle(Driver::Step step);
  void store(const Evidence& evidence);
  RunDirectory run_;
  JobRecord& record_;
  Say say_;
  CulpritFinder culprits_;
  JobRow job_;
  DriverSettings settings_;
  std::optional<Driver> driver_;
  std::int64_t clock_ns_ = 0;  // DriverState::clock_ns
  std::int64_t stored_ns_ = 0;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_JOB_DRIVER_H_
