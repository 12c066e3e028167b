// Writes the metrics of steps as text. A reader of metrics.jsonl must always find whole lines and
// no step twice, also after a crash, a resume or a full disk. So a torn last line is dropped when
// the file is opened, and a line that was written in part is cut off before the next attempt.
#include "megascale/train/metrics.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "megascale/checkpoint/json_text.h"

namespace megascale::train {

namespace {

nlohmann::ordered_json routing_json(const RoutingMetrics& routing, std::int64_t step) {
  nlohmann::ordered_json json{{"layers", routing.layers},
                              {"imbalance", routing.imbalance},
                              {"rank_imbalance", routing.rank_imbalance},
                              {"dropped", routing.dropped},
                              {"aux_loss", routing.aux_loss},
                              {"z_loss", routing.z_loss}};
  if (routing.writes_loads(step)) json["loads"] = routing.loads;
  return json;
}

// Names are those of TRL.
void add_rewards(nlohmann::ordered_json& line, const std::string& prefix,
                 const std::optional<RewardMetrics>& rewards) {
  if (!rewards) return;
  line[prefix + "rewards/chosen"] = rewards->chosen;
  line[prefix + "rewards/rejected"] = rewards->rejected;
  line[prefix + "rewards/margins"] = rewards->margin();
  line[prefix + "rewards/accuracies"] = rewards->accuracy;
}

std::string rewards_text(const RewardMetrics& rewards) {
  return fmt::format("margin {:.4f}, accuracy {:.1f} %", rewards.margin(), rewards.accuracy * 100);
}

}  // namespace

std::string to_json_line(const StepMetrics& m) {
  // Ordered as documented. JSON has no NaN: a loss that is not finite is written as null.
  nlohmann::ordered_json line{{"step", m.step},
                              {"loss", m.loss},
                              {"grad_norm", m.grad_norm},
                              {"lr", m.lr},
                              {"step_seconds", m.step_seconds},
                              {"tokens_per_second", m.tokens_per_second},
                              {"mfu", m.mfu},
                              {"mfu_megatron", m.mfu_megatron},
                              {"hfu", m.hfu},
                              {"consumed_tokens", m.consumed_tokens},
                              {"exposed_comm_seconds", m.exposed_comm_seconds},
                              {"bubble_seconds", m.bubble_seconds},
                              {"data_wait_seconds", m.data_wait_seconds},
                              {"memory_bytes", m.memory_bytes},
                              {"skipped", m.skipped},
                              {"skipped_steps", m.skipped_steps}};
  if (m.validation_loss) line["validation_loss"] = *m.validation_loss;
  for (const auto& [name, loss] : m.validation_losses) line["validation_losses"][name] = loss;
  if (m.checkpoint_stall_seconds) line["checkpoint_stall_seconds"] = *m.checkpoint_stall_seconds;
  add_rewards(line, "", m.rewards);
  add_rewards(line, "validation_", m.validation_rewards);
  if (m.routing) {
    line["expert_imbalance"] = m.routing->worst_imbalance();
    line["expert_dropped_share"] = m.routing->dropped_share();
    line["expert_imbalance_share"] = m.routing->imbalance_share;
    line["routing"] = routing_json(*m.routing, m.step);
  }
  return line.dump();
}

std::string to_log_line(const StepMetrics& m, std::int64_t train_iters, double eta_seconds) {
  std::string line = fmt::format(
      "step {}/{} | loss {:.4f} | grad norm {:.3f} | lr {:.3e} | {:.1f} ms | {:.0f} tokens/s | mfu "
      "{:.1f} %",
      m.step, train_iters, m.mean_loss, m.grad_norm, m.lr, m.step_seconds * 1e3,
      m.tokens_per_second, m.mfu * 100);
  if (m.skipped_steps > 0) line += fmt::format(" | skipped {}", m.skipped_steps);
  if (m.rewards) line += " | " + rewards_text(*m.rewards);
  // The loss of pairs has no perplexity.
  const auto perplexity = [&](double loss) {
    return m.rewards ? std::string() : fmt::format(" (perplexity {:.3f})", std::exp(loss));
  };
  if (m.validation_loss)
    line += fmt::format(" | validation loss {:.4f}{}", *m.validation_loss,
                        perplexity(*m.validation_loss));
  if (m.validation_rewards) line += fmt::format(" ({})", rewards_text(*m.validation_rewards));
  for (const auto& [name, loss] : m.validation_losses)
    line += fmt::format(" | loss on {} {:.4f}{}", name, loss, perplexity(loss));
  const auto eta = static_cast<std::int64_t>(eta_seconds);
  return line + fmt::format(" | ETA {}:{:02}:{:02}", eta / 3600, eta / 60 % 60, eta % 60);
}

namespace {

// Returns the step of a line of metrics.jsonl; nothing if it is no such line.
std::optional<std::int64_t> step_of(const std::string& line) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  const auto step = object.find("step");
  if (step == object.end() || !step->is_number_integer()) return std::nullopt;
  return step->get<std::int64_t>();
}

}  // namespace

double MeanLoss::add(double loss, bool ends) noexcept {
  if (std::isfinite(loss)) {
    sum_ += loss;
    ++count_;
  }
  const double mean = count_ == 0 ? std::nan("") : sum_ / static_cast<double>(count_);
  if (ends) *this = MeanLoss();
  return mean;
}

MetricsFile::MetricsFile(std::filesystem::path path, std::int64_t steps_done,
                         const std::function<void(const std::string&)>& on_message)
    : path_(std::move(path)) {
  if (std::filesystem::exists(path_)) {
    std::string kept;
    std::istringstream lines(read_text(path_));
    std::int64_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const auto step = step_of(line);
      const bool is_torn = !step && lines.eof();  // without a line end
      if (step && *step <= steps_done) kept += line + "\n";
      if (step || is_torn) continue;
      on_message(
          fmt::format("{}:{}: expected an object with an integer \"step\", found {}; the "
                      "line is removed",
                      path_.string(), number, checkpoint::shown(std::string_view(line))));
    }
    write_text_atomically(path_, kept);
  }
  file_ = open_file(path_, OpenMode::append);
  nbytes_ = std::filesystem::file_size(path_);
}

std::optional<Error> MetricsFile::write(const StepMetrics& metrics) {
  unwritten_ += to_json_line(metrics) + "\n";
  try {
    write_all(file_, unwritten_, path_);
    nbytes_ += unwritten_.size();
    unwritten_.clear();
    return std::nullopt;
  } catch (const Error& error) {
    // Cuts off what was written of the lines. Making a file shorter needs no space on the disk.
    if (::ftruncate(file_.get(), static_cast<off_t>(nbytes_)) != 0) throw;
    return error;
  }
}

bool MetricsFile::is_in_place() const noexcept {
  struct stat named {
  }, open{};
  return ::fstat(file_.get(), &open) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

}  // namespace megascale::train
