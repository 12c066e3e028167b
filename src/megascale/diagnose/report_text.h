#ifndef MEGASCALE_DIAGNOSE_REPORT_TEXT_H_
#define MEGASCALE_DIAGNOSE_REPORT_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

// Returns a table for people: a line for each check.
[[nodiscard]] std::string to_table(const HostReport& report);
[[nodiscard]] nlohmann::ordered_json to_json(const HostReport& report);
// Reads the JSON text that to_json() has made. Throws Error (bad_input).
[[nodiscard]] HostReport parse_host_report(std::string_view text);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_REPORT_TEXT_H_
