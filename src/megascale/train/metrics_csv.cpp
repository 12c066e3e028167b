#include "megascale/train/metrics_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace megascale::train {
namespace {

// The members of to_json_line(), in its order.
constexpr std::array kColumns{"step",
                              "loss",
                              "grad_norm",
                              "lr",
                              "step_seconds",
                              "tokens_per_second",
                              "mfu",
                              "mfu_megatron",
                              "hfu",
                              "consumed_tokens",
                              "exposed_comm_seconds",
                              "bubble_seconds",
                              "data_wait_seconds",
                              "memory_bytes",
                              "skipped",
                              "skipped_steps",
                              "validation_loss",
                              "checkpoint_stall_seconds",
                              "expert_imbalance",
                              "expert_dropped_share",
                              "expert_imbalance_share"};

}  // namespace

std::string csv_head() { return fmt::format("{}\n", fmt::join(kColumns, ",")); }

std::string csv_line(const std::string& json_line) {
  const auto object = nlohmann::json::parse(json_line, nullptr, false);
  if (!object.is_object() || !object.contains("step")) return "";
  std::vector<std::string> cells;
  for (const char* column : kColumns) {
    const auto found = object.find(column);
    const bool there = found != object.end() && (found->is_number() || found->is_boolean());
    cells.push_back(there ? found->dump() : "");
  }
  return fmt::format("{}\n", fmt::join(cells, ","));
}

MetricsCsv::MetricsCsv(std::filesystem::path path, const std::filesystem::path& jsonl,
                       std::int64_t steps_done)
    : path_(std::move(path)) {
  std::string text = csv_head();
  if (std::filesystem::exists(jsonl)) {
    std::istringstream lines(read_text(jsonl));
    for (std::string line; std::getline(lines, line);) {
      const std::string cells = csv_line(line);
      if (!cells.empty() && std::stoll(cells) <= steps_done) text += cells;
    }
  }
  write_text_atomically(path_, text);
  file_ = open_file(path_, OpenMode::append);
}

void MetricsCsv::write(const StepMetrics& metrics) {
  write_all(file_, csv_line(to_json_line(metrics)), path_);
}

}  // namespace megascale::train
