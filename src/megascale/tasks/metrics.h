#ifndef MEGASCALE_TASKS_METRICS_H_
#define MEGASCALE_TASKS_METRICS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Metrics of evaluation tasks, with the names and formulas of EleutherAI's lm-evaluation-harness.
namespace megascale::tasks {

struct Metric {
  std::string name;
  double value = 0;
  std::optional<double> standard_error;
  bool higher_is_better = true;
};

// The log-likelihoods of a document's choices.
struct ChoiceScores {
  std::vector<double> log_likelihoods;
  std::vector<std::size_t> nbytes;  // of each choice as UTF-8, without the delimiter before it
  std::size_t gold = 0;
};
// Returns acc, the share of documents whose right choice has the largest log-likelihood, and acc_norm,
// the same by log-likelihood per byte. Of equal ones the first counts.
[[nodiscard]] std::vector<Metric> choice_metrics(std::span<const ChoiceScores> documents);

struct ContinuationScore {
  double log_likelihood = 0;
  bool is_greedy = false;
};
// Returns perplexity, exp(-mean of the log-likelihoods), and acc, the share of continuations that are
// the most likely tokens. The error of the perplexity is that of the mean times the perplexity (the
// harness draws samples instead).
[[nodiscard]] std::vector<Metric> continuation_metrics(
    std::span<const ContinuationScore> documents);

struct TextScore {
  double log_likelihood = 0;
  std::size_t words = 0, nbytes = 0;
};
// Returns word_perplexity and byte_perplexity, exp(-sum of log-likelihoods / sum of words, or bytes), and
// bits_per_byte. They have no standard error.
[[nodiscard]] std::vector<Metric> text_metrics(std::span<const TextScore> documents);

// Returns the number of pieces into which white space divides a text, as Python's re.split(r"\s+") counts:
// an empty piece at either end is one.
[[nodiscard]] std::size_t count_words(std::string_view text);

// Returns the sample standard deviation over the root of the number of values; nothing for less than two.
[[nodiscard]] std::optional<double> standard_error_of_mean(std::span<const double> values);

}  // namespace megascale::tasks

#endif  // MEGASCALE_TASKS_METRICS_H_
