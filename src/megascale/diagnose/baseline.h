#ifndef MEGASCALE_DIAGNOSE_BASELINE_H_
#define MEGASCALE_DIAGNOSE_BASELINE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/diagnose/check.h"

// A baseline holds the rates and the digest of the first checks of a machine that passed. Later
// checks are judged by it, so no table of machines is needed.
namespace megascale::diagnose {

struct Baseline {
  std::int64_t written_ns = 0;  // wall clock
  std::string compute_kind, compute_digest;
  std::map<std::string, std::map<std::string, Rate>> rates;  // by check, by name
  bool operator==(const Baseline&) const = default;
};
[[nodiscard]] Baseline make_baseline(const HostReport& report, std::int64_t written_ns);
[[nodiscard]] std::string to_text(const Baseline& baseline);
// Throws Error (bad_input).
[[nodiscard]] Baseline parse_baseline(std::string_view text);

// Returns the file of a host: `path`, or PATH/HOST.json if it is a directory.
[[nodiscard]] std::filesystem::path baseline_file(const std::filesystem::path& path,
                                                  std::string_view host);
// Returns nothing if the file does not exist. Throws Error: bad_input, io.
[[nodiscard]] std::optional<Baseline> read_baseline(const std::filesystem::path& file);

// Makes a check fail whose rates are below `least_share` of the baseline's, or that has lost one.
void judge_rates(const Baseline& baseline, double least_share, CheckReport& check);
// Makes the check of a report's digest fail if the baseline has another one of the same kind.
void judge_digest(const Baseline& baseline, const HostReport& report, CheckReport& check);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_BASELINE_H_
