#include "megascale/diagnose/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::diagnose {
namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMostLossesTold = 4;

// A real number, or one that is too large, would be read as another one.
std::int64_t time_from_json(const nlohmann::json& json) {
  constexpr auto kLargest = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!json.is_number_integer() ||
      (json.is_number_unsigned() && json.get<std::uint64_t>() > kLargest)) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("written_ns: expected a whole number of nanoseconds, found {}", json.dump()));
  }
  return json.get<std::int64_t>();
}

}  // namespace

Baseline make_baseline(const HostReport& report, std::int64_t written_ns) {
  Baseline baseline{.written_ns = written_ns,
                    .compute_kind = report.compute_kind,
                    .compute_digest = report.compute_digest,
                    .rates = {}};
  for (const CheckReport& check : report.checks)
    for (const Rate& rate : check.rates) baseline.rates[check.name][rate.name] = rate;
  return baseline;
}

std::string to_text(const Baseline& baseline) {
  nlohmann::ordered_json json{{"format", kFormat},
                              {"written_ns", baseline.written_ns},
                              {"compute_kind", baseline.compute_kind},
                              {"compute_digest", baseline.compute_digest}};
  json["checks"] = nlohmann::ordered_json::object();
  for (const auto& [check, rates] : baseline.rates) {
    for (const auto& [name, rate] : rates) {
      nlohmann::ordered_json one{{"value", rate.value}, {"unit", rate.unit}};
      if (rate.least_share > 0) one["least_share"] = rate.least_share;
      json["checks"][check][name] = std::move(one);
    }
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Baseline parse_baseline(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.at("format") != kFormat) {
      throw Error(ErrorCode::bad_input, fmt::format("expected a baseline of format {}, found {}",
                                                    kFormat, json.at("format").dump()));
    }
    Baseline baseline{.written_ns = time_from_json(json.at("written_ns")),
                      .compute_kind = json.at("compute_kind").get<std::string>(),
                      .compute_digest = json.at("compute_digest").get<std::string>(),
                      .rates = {}};
    for (const auto& [check, rates] : json.at("checks").items()) {
      for (const auto& [name, rate] : rates.items()) {
        const Rate parsed{name, rate.at("value").get<double>(), rate.at("unit").get<std::string>(),
                          rate.value("least_share", 0.0)};
        if (!std::isfinite(parsed.value) || !(parsed.least_share >= 0 && parsed.least_share <= 1))
          throw Error(ErrorCode::bad_input, fmt::format("{}: expected finite values", name));
        baseline.rates[check][name] = parsed;
      }
    }
    return baseline;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::bad_input, fmt::format("not a baseline of diagnose: {}", error.what()));
  }
}

std::filesystem::path baseline_file(const std::filesystem::path& path, std::string_view host) {
  return std::filesystem::is_directory(path) ? path / fmt::format("{}.json", host) : path;
}

std::optional<Baseline> read_baseline(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return parse_baseline(read_text(file));
  } catch (Error& error) {
    error.add_context(fmt::format("reading {}", file.string()));
    throw;
  }
}

void judge_rates(const Baseline& baseline, double least_share, CheckReport& check) {
  const auto known = baseline.rates.find(check.name);
  if (known == baseline.rates.end()) return;
  std::size_t losses = 0;
  for (const auto& entry : known->second) {
    const Rate& then = entry.second;
    const auto now = std::find_if(check.rates.begin(), check.rates.end(),
                                  [&](const Rate& rate) { return rate.name == then.name; });
    const double share = then.least_share > 0 ? then.least_share : least_share;
    if (now != check.rates.end() && now->value >= share * then.value) continue;
    if (++losses > kMostLossesTold) continue;
    if (now == check.rates.end()) {
      check.fail(fmt::format("{} is not there any more (baseline: {:.6g} {})", then.name,
                             then.value, then.unit));
    } else {
      check.fail(fmt::format(
          "{} is {:.4g} {}, expected at least {:.4g}: {:.0f} % of the baseline's {:.4g}", then.name,
          now->value, now->unit, share * then.value, 100 * share, then.value));
    }
  }
  if (losses > kMostLossesTold) check.fail(fmt::format("and {} more", losses - kMostLossesTold));
}

void judge_digest(const Baseline& baseline, const HostReport& report, CheckReport& check) {
  if (report.compute_digest.empty() || baseline.compute_digest.empty()) return;
  if (baseline.compute_kind != report.compute_kind) {
    check.fail(
        fmt::format("the baseline is of another processor: expected \"{}\", found \"{}\"; "
                    "remove the baseline of a machine that was changed",
                    baseline.compute_kind, report.compute_kind));
  } else if (baseline.compute_digest != report.compute_digest) {
    check.fail(fmt::format(
        "the digest of its results was {} when the baseline was written: this "
        "processor computes wrongly, or the program was changed (then remove the baseline)",
        baseline.compute_digest.substr(0, 8)));
  }
}

}  // namespace megascale::diagnose
