#ifndef MEGASCALE_OBSERVE_METRICS_HISTORY_H_
#define MEGASCALE_OBSERVE_METRICS_HISTORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megascale::observe {

// A number that every line of metrics.jsonl has, or some have.
struct MetricKind {
  std::string_view name, unit, meaning;
};
// All of them. Pages, /metrics and docs/observability.md are made from this table.
inline constexpr std::array kMetricKinds{
    MetricKind{"loss", "nats", "mean loss over the valid tokens of the step"},
    MetricKind{"validation_loss", "nats", "mean loss over the validation set"},
    MetricKind{"grad_norm", "", "norm of the gradients before clipping"},
    MetricKind{"lr", "", "learning rate"},
    MetricKind{"step_seconds", "seconds", "wall time of the step"},
    MetricKind{"tokens_per_second", "tokens/s", "tokens of the step relative to its wall time"},
    MetricKind{"mfu", "ratio", "model FLOPs relative to the peak of all ranks"},
    MetricKind{"mfu_megatron", "ratio", "the same, with the full square of attention"},
    MetricKind{"hfu", "ratio", "executed FLOPs relative to the peak, recomputation included"},
    MetricKind{"consumed_tokens", "tokens", "tokens of all steps done"},
    MetricKind{"exposed_comm_seconds", "seconds", "rank 0 waited while transfers moved bytes"},
    MetricKind{"bubble_seconds", "seconds", "rank 0 waited until a partner started its transfer"},
    MetricKind{"data_wait_seconds", "seconds", "rank 0 waited for its batch"},
    MetricKind{"memory_bytes", "bytes", "the largest arena of all ranks"},
    MetricKind{"skipped_steps", "steps", "steps without an update, since the start"},
    MetricKind{"checkpoint_stall_seconds", "seconds", "training stood still for a checkpoint"},
    MetricKind{"expert_imbalance", "ratio",
               "largest load of an expert relative to the mean, worst layer"},
    MetricKind{"expert_dropped_share", "ratio", "choices of experts that got no row"},
    MetricKind{"expert_imbalance_share", "ratio",
               "share of the step for which full experts compute longer than the mean"},
    MetricKind{"rewards/margins", "",
               "reward of the chosen answers minus that of the rejected ones"},
    MetricKind{"rewards/accuracies", "ratio", "pairs whose chosen answer has the larger reward"},
    MetricKind{"validation_rewards/margins", "", "the margin of rewards of the validation set"},
    MetricKind{"validation_rewards/accuracies", "ratio",
               "pairs of the validation set whose chosen answer has the larger reward"},
};
inline constexpr std::size_t kMetricCount = kMetricKinds.size();
// Returns the index of a metric in kMetricKinds, which must have it.
[[nodiscard]] constexpr std::size_t metric_index(std::string_view name) {
  std::size_t i = 0;
  while (kMetricKinds.at(i).name != name) ++i;
  return i;
}

// The loss of a set of data.validation_sets, in nats.
struct NamedLoss {
  std::string name;
  double loss = 0;
};
struct MetricsRow {
  std::int64_t step = 0;                      // steps done
  std::array<double, kMetricCount> values{};  // NaN: absent, or not finite
  // Of steps that were evaluated, by name; those that are not finite are left out.
  std::vector<NamedLoss> validation_losses{};
};
// Parses a line. Returns nothing if it is no object with a step.
[[nodiscard]] std::optional<MetricsRow> parse_metrics_line(std::string_view line);

// The content of a metrics.jsonl, which may grow, be replaced or be removed at any time. One thread
// may use it.
class MetricsHistory {
 public:
  explicit MetricsHistory(std::filesystem::path path) : path_(std::move(path)) {}
  // Reads the lines that were added. If the file was replaced (a run that resumes removes lines of
  // later steps), all are read again. A file that does not exist has no rows. A last line without
  // an end, and lines that cannot be parsed, are left out. Throws Error (io).
  void update();
  [[nodiscard]] const std::vector<MetricsRow>& rows() const noexcept { return rows_; }
  // Grows whenever the rows are read again, so that earlier rows may be gone.
  [[nodiscard]] std::int64_t generation() const noexcept { return generation_; }

 private:
  void take(std::string_view line);
  std::filesystem::path path_;
  std::vector<MetricsRow> rows_;
  std::uint64_t inode_ = 0, offset_ = 0;  // offset_: of the first byte that was not parsed
  std::int64_t generation_ = 0;
};

// Returns the names of all sets whose losses the rows have, sorted.
[[nodiscard]] std::vector<std::string> validation_names(const std::vector<MetricsRow>& rows);
// Returns the loss of a set in a row; NaN if the row has none.
[[nodiscard]] double validation_loss(const MetricsRow& row, std::string_view name) noexcept;

// Rows that thin_out() keeps as they are: the newest ones, from which a page tells how a run stands.
inline constexpr std::size_t kNewestRows = 50;
// Reduces rows to at most `points`: consecutive rows become their mean, without those that are
// absent, and the step of the last. The newest kNewestRows, or half of the points if that is less,
// stay as they are, and so do `rows` with at most `points`. points >= 1.
[[nodiscard]] std::vector<MetricsRow> thin_out(const std::vector<MetricsRow>& rows,
                                               std::size_t points);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_METRICS_HISTORY_H_
