// `megascale evaluate`: scores a checkpoint on evaluation tasks, and prints a table and a file in the
// form of EleutherAI's lm-evaluation-harness.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/cli/command.h"
#include "megascale/cli/model_arguments.h"
#include "megascale/cli/model_tokenizer.h"
#include "megascale/tasks/run_task.h"

namespace megascale::cli {
namespace {

using nlohmann::ordered_json;

struct EvaluateArguments {
  ModelArguments model;
  TokenizerChoice tokenizer;
  std::vector<std::filesystem::path> files;
  std::filesystem::path examples, output;
  std::int64_t num_fewshot = 0, limit = 0, batch_size = 8;
  std::string delimiter = " ";
};

tasks::Task read_task(const std::filesystem::path& path) {
  return tasks::parse_task(read_text(path, OpenMode::read_stream), path.string());
}

std::vector<tasks::Task> read_tasks(const std::vector<std::filesystem::path>& files) {
  std::vector<tasks::Task> all;
  std::set<std::string> names;
  for (const std::filesystem::path& file : files) {
    all.push_back(read_task(file));
    if (names.insert(all.back().name).second) continue;
    throw Error(ErrorCode::bad_usage,
                fmt::format("--tasks: expected files of different names, found two of the name {}",
                            all.back().name));
  }
  return all;
}

// Says on a terminal how many documents of a task are done.
class DocumentCount {
 public:
  DocumentCount(const std::string& task, std::size_t all) : task_(task), all_(all) {}
  ~DocumentCount() {
    if (shows_) say(kEraseLine, "");
  }
  DocumentCount(const DocumentCount&) = delete;
  DocumentCount& operator=(const DocumentCount&) = delete;
  void next() {
    ++done_;
    if (shows_) say(fmt::format("{}{}: {} of {} documents", kEraseLine, task_, done_, all_), "");
  }

 private:
  const std::string& task_;
  std::size_t all_, done_ = 0;
  bool shows_ = ::isatty(STDERR_FILENO) != 0;
};

// The keys of the harness: METRIC,FILTER, where the filter is always "none".
ordered_json metrics_json(const tasks::TaskResult& result) {
  ordered_json object{{"alias", result.name}};
  for (const tasks::Metric& metric : result.metrics) {
    object[metric.name + ",none"] = metric.value;
    object[metric.name + "_stderr,none"] =
        metric.standard_error ? ordered_json(*metric.standard_error) : ordered_json("N/A");
  }
  return object;
}

ordered_json results_json(const std::vector<tasks::TaskResult>& results, const LoadedModel& model,
                          const EvaluateArguments& arguments) {
  ordered_json json{{"results", ordered_json::object()}};
  for (const tasks::TaskResult& result : results) {
    json["results"][result.name] = metrics_json(result);
    json["n-shot"][result.name] = result.num_fewshot;
    json["n-samples"][result.name] = {{"original", result.documents}, {"effective", result.used}};
    for (const tasks::Metric& metric : result.metrics)
      json["higher_is_better"][result.name][metric.name] = metric.higher_is_better;
  }
  json["config"] = {
      {"model", "megascale"},
      {"model_args", fmt::format("checkpoint={}", model.path.string())},
      {"step", model.step},
      {"context", model.model->capacity()},
      {"batch_size", arguments.batch_size},
      {"limit", arguments.limit == 0 ? ordered_json() : ordered_json(arguments.limit)}};
  return json;
}

void print_table(const std::vector<tasks::TaskResult>& results) {
  std::size_t width = 4;
  for (const tasks::TaskResult& result : results) width = std::max(width, result.name.size());
  fmt::print("|{:<{}}|n-shot|{:<15}|   |   Value|   | Stderr|\n", "Task", width, "Metric");
  fmt::print("|{:-<{}}|-----:|{:-<15}|---|-------:|---|------:|\n", "", width, "");
  for (const tasks::TaskResult& result : results) {
    std::string_view name = result.name;
    for (const tasks::Metric& metric : result.metrics) {
      fmt::print("|{:<{}}|{:>6}|{:<15}|{:<3}|{:>8.4f}|±  |{:>7}|\n", name, width,
                 result.num_fewshot, metric.name, metric.higher_is_better ? "↑" : "↓", metric.value,
                 metric.standard_error ? fmt::format("{:.4f}", *metric.standard_error) : "N/A");
      name = "";
    }
  }
}

Outcome run(const EvaluateArguments& arguments) {
  if ((arguments.num_fewshot > 0) != !arguments.examples.empty()) {
    throw Error(ErrorCode::bad_usage,
                "expected --num-fewshot and --fewshot-file together: how many examples, and where "
                "they come from; found only one of them");
  }
  const std::vector<tasks::Task> all = read_tasks(arguments.files);
  std::optional<tasks::Task> examples;
  if (!arguments.examples.empty()) examples = read_task(arguments.examples);
  // Texts to be scored have logits at every token, so a step has as many rows as tokens.
  constexpr std::int64_t kRows = 256;
  ModelArguments model = arguments.model;
  model.decode = {.sequences = arguments.batch_size, .tokens = kRows, .last_rows = kRows};
  const LoadedModel loaded = load_model(model);
  const auto tokenizer = open_model_tokenizer(loaded, arguments.tokenizer);
  const tasks::TaskOptions options{.limit = static_cast<std::size_t>(arguments.limit),
                                   .num_fewshot = static_cast<std::size_t>(arguments.num_fewshot),
                                   .examples = examples ? &*examples : nullptr,
                                   .delimiter = arguments.delimiter,
                                   .vocabulary = loaded.config.model.vocab_size};
  std::vector<tasks::TaskResult> results;
  for (const tasks::Task& task : all) {
    DocumentCount count(task.name, options.limit == 0
                                       ? task.documents.size()
                                       : std::min(options.limit, task.documents.size()));
    results.push_back(
        tasks::run_task(*loaded.model, *tokenizer, task, options, [&] { count.next(); }));
  }
  print_table(results);
  Outcome outcome{.json = results_json(results, loaded, arguments)};
  if (!arguments.output.empty()) {
    constexpr int kIndent = 2;
    write_text_atomically(arguments.output, outcome.json.dump(kIndent) + "\n");
  }
  return outcome;
}

}  // namespace

void add_evaluate(Command& app) {
  const auto arguments = std::make_shared<EvaluateArguments>();
  Command command = app.subcommand(
      "evaluate", "scores a checkpoint on tasks: multiple choice, continuations, perplexity");
  arguments->model.add_to(command, /*positional=*/true);
  arguments->model.add_context_to(command);
  arguments->tokenizer.add_name_to(command);
  arguments->tokenizer.add_any_to(command);
  command.option("--tasks", arguments->files, "JSONL files, each a task").required();
  command.option("--num-fewshot", arguments->num_fewshot, "examples before each context")
      .at_least_zero()
      .shows_default();
  command.option("--fewshot-file", arguments->examples,
                 "JSONL file of the same kind that the examples are the first lines of");
  command.option("--target-delimiter", arguments->delimiter,
                 "text between the context and a choice; by default a space");
  command.option("--limit", arguments->limit, "only so many documents of each task (0: all)")
      .at_least_zero();
  command.option("--batch-size", arguments->batch_size, "documents that are scored together")
      .between(1, engine::Inference::kTokensTogether)
      .shows_default();
  command.option("--output", arguments->output, "write the results to this JSON file");
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
