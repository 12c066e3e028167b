#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fuzz/reads_back.h"
#include "fuzz/targets.h"
#include "megascale/diagnose/baseline.h"
#include "megascale/diagnose/report_text.h"

namespace megascale::fuzz {
namespace {

// A report without the limits that only a baseline keeps.
struct ReportText {
  std::string text;
  bool operator==(const ReportText&) const = default;
};
std::string to_text(const ReportText& report) { return report.text; }
ReportText parse_report(std::string_view text) {
  return {diagnose::to_json(diagnose::parse_host_report(text)).dump()};
}

}  // namespace

bool diagnose_texts(std::span<const std::byte> input) {
  const std::string_view text = as_text(input);
  const bool baseline = reads_back_as_text(text, diagnose::parse_baseline);
  const bool report = reads_back_as_text(text, parse_report);
  return baseline || report;
}

}  // namespace megascale::fuzz
