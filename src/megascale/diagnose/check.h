#ifndef MEGASCALE_DIAGNOSE_CHECK_H_
#define MEGASCALE_DIAGNOSE_CHECK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The self-checks of a host (`megascale diagnose`): each check tests one part of the machine that
// training needs, and returns a CheckReport. A check never throws for what it finds; a machine that
// fails is its result.
namespace megascale::diagnose {

enum class CheckOutcome : std::uint8_t { passed, failed, skipped };
[[nodiscard]] std::string_view to_string(CheckOutcome outcome) noexcept;

// A figure of a check of which more is better. The baseline keeps it, and a later check fails if it
// has become much smaller or is not there any more.
struct Rate {
  std::string name;  // such as "memory.node0.node0"; unique in a host's report
  double value = 0;
  std::string unit;  // such as "GB/s"
  // The least share of the baseline's value that passes; 0: that of the options (Baseline).
  double least_share = 0;
  bool operator==(const Rate&) const = default;
};

struct CheckReport {
  std::string name;
  CheckOutcome outcome = CheckOutcome::passed;
  std::string text;  // what was found, in a clause
  std::vector<Rate> rates;
  double seconds = 0;

  // Makes it a failure and adds `why` to its text.
  void fail(std::string_view why);
};

// Runs a check: takes its time, and turns an Error that it throws into a failure.
[[nodiscard]] CheckReport run_check(std::string_view name,
                                    const std::function<void(CheckReport&)>& check);

// What the host is and what its checks have found.
struct HostReport {
  std::string host;
  // Describes the processor, as far as the bits of results depend on it. Hosts of the same kind must
  // have the same digest.
  std::string compute_kind, compute_digest;
  std::vector<CheckReport> checks;
  [[nodiscard]] bool passed() const noexcept;
  // The names of the failed checks with their texts: "memory: ...; disk: ...". Empty: none failed.
  [[nodiscard]] std::string failures() const;
};

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_CHECK_H_
