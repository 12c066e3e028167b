#include "megascale/observe/metrics_history.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>

#include "megascale/base/files.h"

namespace megascale::observe {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kReadNbytes = std::size_t{1} << 20U;

}  // namespace

std::optional<MetricsRow> parse_metrics_line(std::string_view line) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  const auto step = object.find("step");
  if (step == object.end() || !step->is_number_integer()) return std::nullopt;
  MetricsRow row{.step = step->get<std::int64_t>()};
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const auto found = object.find(kMetricKinds[i].name);
    row.values[i] = kAbsent;
    if (found == object.end() || !found->is_number()) continue;
    const double value = found->get<double>();
    if (std::isfinite(value)) row.values[i] = value;
  }
  const auto losses = object.find("validation_losses");
  if (losses == object.end() || !losses->is_object()) return row;
  for (const auto& [name, loss] : losses->items()) {
    if (loss.is_number() && std::isfinite(loss.get<double>()))
      row.validation_losses.push_back({name, loss.get<double>()});
  }
  return row;
}

void MetricsHistory::take(std::string_view line) {
  if (const auto row = parse_metrics_line(line)) rows_.push_back(*row);
}

void MetricsHistory::update() {
  struct stat facts {};
  const bool exists = ::stat(path_.c_str(), &facts) == 0;
  const auto nbytes = exists ? static_cast<std::uint64_t>(facts.st_size) : 0;
  if (!exists || facts.st_ino != inode_ || nbytes < offset_) {
    if (!rows_.empty()) ++generation_;
    rows_.clear();
    offset_ = 0;
    inode_ = exists ? facts.st_ino : 0;
  }
  if (nbytes == offset_) return;
  const FileHandle file = open_file(path_, OpenMode::read);
  std::string text;  // of lines that have no end yet
  std::uint64_t at = offset_;
  while (at < nbytes) {
    const std::size_t before = text.size();
    text.resize(before + std::min<std::uint64_t>(kReadNbytes, nbytes - at));
    const std::size_t read =
        read_at(file, at, std::as_writable_bytes(std::span(text).subspan(before)), path_);
    text.resize(before + read);
    if (read == 0) break;
    at += read;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
      take(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    text.erase(0, begin);
  }
  offset_ = at - text.size();
}

std::vector<std::string> validation_names(const std::vector<MetricsRow>& rows) {
  std::set<std::string> names;
  for (const MetricsRow& row : rows) {
    for (const NamedLoss& one : row.validation_losses) names.insert(one.name);
  }
  return {names.begin(), names.end()};
}

double validation_loss(const MetricsRow& row, std::string_view name) noexcept {
  for (const NamedLoss& one : row.validation_losses)
    if (one.name == name) return one.loss;
  return kAbsent;
}

std::vector<MetricsRow> thin_out(const std::vector<MetricsRow>& rows, std::size_t points) {
  if (rows.size() <= points) return rows;
  const std::vector<std::string> names = validation_names(rows);
  const std::size_t newest = std::min(kNewestRows, points / 2), older = rows.size() - newest,
                    means = points - newest;
  std::vector<MetricsRow> thin;
  for (std::size_t p = 0; p < means; ++p) {
    const std::size_t begin = p * older / means, end = (p + 1) * older / means;
    MetricsRow row{.step = rows[end - 1].step};
    // Returns the mean of the rows that have the value.
    const auto mean = [&](const auto& value_of) {
      double sum = 0, count = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double value = value_of(rows[i]);
        if (std::isnan(value)) continue;
        sum += value;
        ++count;
      }
      return count > 0 ? sum / count : kAbsent;
    };
    for (std::size_t m = 0; m < kMetricCount; ++m)
      row.values[m] = mean([m](const MetricsRow& one) { return one.values[m]; });
    for (const std::string& name : names) {
      const double loss = mean([&](const MetricsRow& one) { return validation_loss(one, name); });
      if (!std::isnan(loss)) row.validation_losses.push_back({name, loss});
    }
    thin.push_back(std::move(row));
  }
  thin.insert(thin.end(), rows.begin() + static_cast<std::ptrdiff_t>(older), rows.end());
  return thin;
}

}  // namespace megascale::observe
