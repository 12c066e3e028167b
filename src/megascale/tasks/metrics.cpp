#include "megascale/tasks/metrics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "megascale/data/tokenizers/unicode.h"

namespace megascale::tasks {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Metric mean_metric(std::string name, std::span<const double> values) {
  return {.name = std::move(name),
          .value = mean(values),
          .standard_error = standard_error_of_mean(values)};
}

std::size_t index_of_largest(std::span<const double> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

std::optional<double> standard_error_of_mean(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

std::vector<Metric> choice_metrics(std::span<const ChoiceScores> documents) {
  std::vector<double> hits, normed_hits;
  for (const ChoiceScores& document : documents) {
    std::vector<double> per_byte;
    for (std::size_t i = 0; i < document.nbytes.size(); ++i)
      per_byte.push_back(document.log_likelihoods[i] / static_cast<double>(document.nbytes[i]));
    hits.push_back(index_of_largest(document.log_likelihoods) == document.gold ? 1 : 0);
    normed_hits.push_back(index_of_largest(per_byte) == document.gold ? 1 : 0);
  }
  return {mean_metric("acc", hits), mean_metric("acc_norm", normed_hits)};
}

std::vector<Metric> continuation_metrics(std::span<const ContinuationScore> documents) {
  std::vector<double> hits, log_likelihoods;
  for (const ContinuationScore& document : documents) {
    hits.push_back(document.is_greedy ? 1 : 0);
    log_likelihoods.push_back(document.log_likelihood);
  }
  Metric perplexity{.name = "perplexity",
                    .value = std::exp(-mean(log_likelihoods)),
                    .standard_error = standard_error_of_mean(log_likelihoods),
                    .higher_is_better = false};
  if (perplexity.standard_error) *perplexity.standard_error *= perplexity.value;
  return {mean_metric("acc", hits), perplexity};
}

std::vector<Metric> text_metrics(std::span<const TextScore> documents) {
  double log_likelihood = 0, words = 0, nbytes = 0;
  for (const TextScore& document : documents) {
    log_likelihood += document.log_likelihood;
    words += static_cast<double>(document.words);
    nbytes += static_cast<double>(document.nbytes);
  }
  const auto lower = [](std::string name, double value) {
    return Metric{.name = std::move(name),
                  .value = value,
                  .standard_error = std::nullopt,
                  .higher_is_better = false};
  };
  return {lower("word_perplexity", std::exp(-log_likelihood / words)),
          lower("byte_perplexity", std::exp(-log_likelihood / nbytes)),
          lower("bits_per_byte", -log_likelihood / nbytes / std::numbers::ln2)};
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 1;
  while (!text.empty()) {
    const std::size_t space = tokenizers::leading_white_space(text);
    if (space > 0) {
      ++words;
      text.remove_prefix(space);
      continue;
    }
    // To the next character.
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) ++size;
    text.remove_prefix(size);
  }
  return words;
}

}  // namespace megascale::tasks
