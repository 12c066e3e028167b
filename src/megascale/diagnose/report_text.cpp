#include "megascale/diagnose/report_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "megascale/base/error.h"

namespace megascale::diagnose {
namespace {

CheckOutcome parse_outcome(const std::string& text) {
  for (const auto outcome : {CheckOutcome::passed, CheckOutcome::failed, CheckOutcome::skipped})
    if (to_string(outcome) == text) return outcome;
  throw Error(ErrorCode::bad_input,
              fmt::format("expected passed, failed or skipped, found \"{}\"", text));
}

}  // namespace

std::string to_table(const HostReport& report) {
  std::string text = fmt::format("host {} ({})\n", report.host, report.compute_kind);
  for (const CheckReport& check : report.checks) {
    text += fmt::format("  {:<11} {:<8} {:5.1f} s  {}\n", check.name, to_string(check.outcome),
                        check.seconds, check.text);
  }
  return text;
}

nlohmann::ordered_json to_json(const HostReport& report) {
  nlohmann::ordered_json json{{"host", report.host},
                              {"passed", report.passed()},
                              {"compute_kind", report.compute_kind},
                              {"compute_digest", report.compute_digest},
                              {"checks", nlohmann::ordered_json::array()}};
  for (const CheckReport& check : report.checks) {
    nlohmann::ordered_json one{{"check", check.name},
                               {"outcome", to_string(check.outcome)},
                               {"text", check.text},
                               {"seconds", check.seconds},
                               {"rates", nlohmann::ordered_json::object()}};
    for (const Rate& rate : check.rates)
      one["rates"][rate.name] = {{"value", rate.value}, {"unit", rate.unit}};
    json["checks"].push_back(std::move(one));
  }
  return json;
}

HostReport parse_host_report(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    HostReport report{.host = json.at("host").get<std::string>(),
                      .compute_kind = json.at("compute_kind").get<std::string>(),
                      .compute_digest = json.at("compute_digest").get<std::string>(),
                      .checks = {}};
    for (const auto& one : json.at("checks")) {
      CheckReport check{.name = one.at("check").get<std::string>(),
                        .outcome = parse_outcome(one.at("outcome").get<std::string>()),
                        .text = one.at("text").get<std::string>(),
                        .rates = {},
                        .seconds = one.at("seconds").get<double>()};
      for (const auto& [name, rate] : one.at("rates").items()) {
        check.rates.push_back(
            {name, rate.at("value").get<double>(), rate.at("unit").get<std::string>()});
      }
      report.checks.push_back(std::move(check));
    }
    return report;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::bad_input, fmt::format("not a report of diagnose: {}", error.what()));
  }
}

}  // namespace megascale::diagnose
