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
                              "expert_imbalance_share",
                              "rewards/chosen",
                              "rewards/rejected",
                              "rewards/margins",
                              "rewards/accuracies",
                              "validation_rewards/chosen",
                              "validation_rewards/rejected",
                              "validation_rewards/margins",
                              "validation_rewards/accuracies"};

// Returns the member as text, or an empty text if it is absent or no number.
std::string cell_of(const nlohmann::json& object, const std::string& member) {
  const auto found = object.find(member);
  const bool there = found != object.end() && (found->is_number() || found->is_boolean());
  return there ? found->dump() : "";
}

}  // namespace

std::string csv_head(std::span<const std::string> validation_names) {
  std::string head = fmt::format("{}", fmt::join(kColumns, ","));
  for (const std::string& name : validation_names) head += ",validation_loss_" + name;
  return head + "\n";
}

std::string csv_line(const std::string& json_line, std::span<const std::string> validation_names) {
  const auto object = nlohmann::json::parse(json_line, nullptr, false);
  if (!object.is_object() || !object.contains("step")) return "";
  std::vector<std::string> cells;
  cells.reserve(kColumns.size() + validation_names.size());
  for (const char* column : kColumns) cells.push_back(cell_of(object, column));
  const auto losses = object.value("validation_losses", nlohmann::json::object());
  for (const std::string& name : validation_names) cells.push_back(cell_of(losses, name));
  return fmt::format("{}\n", fmt::join(cells, ","));
}

MetricsCsv::MetricsCsv(std::filesystem::path path, const std::filesystem::path& jsonl,
                       std::int64_t steps_done, std::vector<std::string> validation_names)
    : path_(std::move(path)), validation_names_(std::move(validation_names)) {
  std::string text = csv_head(validation_names_);
  if (std::filesystem::exists(jsonl)) {
    std::istringstream lines(read_text(jsonl));
    for (std::string line; std::getline(lines, line);) {
      const std::string cells = csv_line(line, validation_names_);
      if (!cells.empty() && std::stoll(cells) <= steps_done) text += cells;
    }
  }
  write_text_atomically(path_, text);
  file_ = open_file(path_, OpenMode::append);
}

void MetricsCsv::write(const StepMetrics& metrics) {
  write_all(file_, csv_line(to_json_line(metrics), validation_names_), path_);
}

}  // namespace megascale::train
