#ifndef MEGASCALE_DIAGNOSE_HOST_CHECKS_H_
#define MEGASCALE_DIAGNOSE_HOST_CHECKS_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

struct HostOptions {
  std::filesystem::path directory = ".";  // whose disk is checked
  std::uint64_t free_disk_nbytes = std::uint64_t{1} << 30U;
  std::uint64_t free_memory_nbytes = std::uint64_t{1} << 30U;
  std::uint32_t ranks = 0;  // of all_to_all; 0: one for each core, at most 16
  // The file of the machine's healthy rates, or a directory of such files. A missing file is
  // written if all checks pass.
  std::optional<std::filesystem::path> baseline;
  double least_share = 0.7;       // of the rates of the baseline
  std::vector<std::string> only;  // names of checks; empty: all
};

// The names of all checks, in the order in which they run.
[[nodiscard]] const std::vector<std::string_view>& check_names();

// Runs the checks of this host, one after the other. A check whose rates are below the baseline is
// repeated, at most twice, since other programs may have disturbed it. It forks and then makes
// threads: call it before this process has threads. Throws Error: bad_usage (an unknown name in
// `only`), and errors of the baseline's file.
[[nodiscard]] HostReport check_host(const HostOptions& options);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_HOST_CHECKS_H_
