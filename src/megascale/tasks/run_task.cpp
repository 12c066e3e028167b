// A task is run in three parts: all documents are encoded, so that every mistake of the file is found
// before the model computes; then they are scored; then the scores become metrics.
#include "megascale/tasks/run_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/tasks/requests.h"
#include "megascale/tasks/scorer.h"

namespace megascale::tasks {
namespace {

// The text between a context and the choice.
std::string delimiter_of(TaskKind kind, const TaskOptions& options) {
  return kind == TaskKind::multiple_choice ? options.delimiter : std::string();
}

void require_ids(std::span<const std::int32_t> ids, std::int64_t vocabulary) {
  for (const std::int32_t id : ids) {
    if (id < vocabulary) continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("expected token ids below {}, the vocabulary of the model, found {}",
                            vocabulary, id));
  }
}

RequestGroup requests_of(const engine::Inference& model, const Tokenizer& tokenizer,
                         const Task& task, const Document& document, const TaskOptions& options) {
  const std::int32_t prefix = tokenizer.eod();
  RequestGroup group;
  if (task.kind == TaskKind::perplexity) {
    std::vector<std::int32_t> ids;
    tokenizer.encode(document.context, ids);
    group = rolling_requests(ids, prefix, model.capacity());
  } else {
    const std::string context = fewshot_text(task, document, options) + document.context;
    for (const std::string& choice : document.choices) {
      const EncodedPair pair =
          encode_pair(tokenizer, prefix, context, delimiter_of(task.kind, options) + choice);
      group.push_back(pair_request(pair, model.capacity()));
    }
  }
  for (const Request& request : group) {
    require_ids(request.inputs, options.vocabulary);
    require_ids(request.targets, options.vocabulary);
  }
  return group;
}

std::vector<Metric> metrics_of(const Task& task, std::span<const std::vector<Score>> scores) {
  std::vector<ChoiceScores> choices;
  std::vector<ContinuationScore> continuations;
  std::vector<TextScore> texts;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Document& document = task.documents[i];
    if (task.kind == TaskKind::multiple_choice) {
      ChoiceScores one{.gold = document.gold};
      for (const Score& score : scores[i]) one.log_likelihoods.push_back(score.log_likelihood);
      for (const std::string& choice : document.choices) one.nbytes.push_back(choice.size());
      choices.push_back(std::move(one));
    } else if (task.kind == TaskKind::continuation) {
      continuations.push_back({scores[i][0].log_likelihood, scores[i][0].is_greedy});
    } else {
      TextScore one{.words = count_words(document.context), .nbytes = document.context.size()};
      for (const Score& score : scores[i]) one.log_likelihood += score.log_likelihood;
      texts.push_back(one);
    }
  }
  if (task.kind == TaskKind::multiple_choice) return choice_metrics(choices);
  return task.kind == TaskKind::continuation ? continuation_metrics(continuations)
                                             : text_metrics(texts);
}

}  // namespace

std::string fewshot_text(const Task& task, const Document& document, const TaskOptions& options) {
  if (task.kind == TaskKind::perplexity || options.num_fewshot == 0) return {};
  MEGASCALE_CHECK(options.examples != nullptr, "examples come from a file");
  const Task& from = *options.examples;
  std::string text;
  std::size_t count = 0;
  for (const Document& example : from.documents) {
    if (count == options.num_fewshot) break;
    // A document is no example of itself.
    if (from.file == task.file && example.line == document.line) continue;
    text +=
        example.context + delimiter_of(from.kind, options) + example.choices[example.gold] + "\n\n";
    ++count;
  }
  if (count == options.num_fewshot) return text;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: expected {} examples beside the document, found {}", from.file,
                          options.num_fewshot, count));
}

TaskResult run_task(engine::Inference& model, const Tokenizer& tokenizer, const Task& task,
                    const TaskOptions& options, const std::function<void()>& on_done) {
  if (options.num_fewshot > 0 && task.kind != TaskKind::perplexity &&
      options.examples->kind != task.kind) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected examples of the kind {} for {}, found {}", options.examples->file,
                    to_string(task.kind), task.file, to_string(options.examples->kind)));
  }
  TaskResult result{.name = task.name,
                    .num_fewshot = task.kind == TaskKind::perplexity ? 0 : options.num_fewshot,
                    .documents = task.documents.size()};
  result.used = options.limit == 0 ? result.documents : std::min(options.limit, result.documents);
  std::vector<RequestGroup> groups;
  for (const Document& document : std::span(task.documents).first(result.used)) {
    try {
      groups.push_back(requests_of(model, tokenizer, task, document, options));
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}:{}: {}", task.file, document.line, error.message()));
    }
  }
  result.metrics = metrics_of(task, score(model, groups, on_done));
  return result;
}

}  // namespace megascale::tasks
