// `megascale generate`: continues prompts with a checkpoint. The text of a single prompt is printed
// token by token; those of several when they end, in the order of the prompts.
#include "megascale/generate/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/generate_prompts.h"
#include "megascale/cli/sampling_arguments.h"
#include "megascale/generate/text_row.h"

namespace megascale::cli {
namespace {

using nlohmann::ordered_json;

struct Arguments {
  ModelArguments model;
  TokenizerChoice tokenizer;
  PromptArguments prompts;
  generate::GenerateOptions options;
  std::vector<std::string> stops;
  std::int64_t batch_size = 8, top_logprobs = 0;
  bool no_cache = false, to_the_end = false, logprobs = false;
};

// The state of a prompt: what has been generated for it so far.
struct Row {
  std::optional<generate::TextRow> text;  // empty without a tokenizer
  std::vector<std::int32_t> ids;
  ordered_json logprobs = ordered_json::array();
  std::optional<generate::FinishReason> finish;
};

ordered_json json_of(const generate::NewToken& token) {
  ordered_json object{{"token", token.id}, {"logprob", token.log_probability}};
  for (const generate::TokenLogProbability& one : token.most_likely)
    object["top"].push_back({{"token", one.token}, {"logprob", one.value}});
  return object;
}

// Prints the results in the order of the prompts.
class Printer {
 public:
  Printer(const Arguments& arguments, const Prompts& prompts, bool lines_of_json)
      : arguments_(arguments),
        prompts_(prompts),
        rows_(prompts.ids.size()),
        lines_of_json_(lines_of_json) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (prompts.tokenizer != nullptr)
        rows_[i].text.emplace(*prompts.tokenizer, prompts.ids[i], arguments.stops);
    }
    if (is_single()) print(prompts.texts[0]);
  }
  // Returns false if the text ends with a stop string.
  bool take(std::size_t prompt, const generate::NewToken& token) {
    Row& row = rows_[prompt];
    row.ids.push_back(token.id);
    if (arguments_.logprobs) row.logprobs.push_back(json_of(token));
    if (!row.text) {
      if (is_single()) print(fmt::format("{}{}", row.ids.size() > 1 ? " " : "", token.id));
      return true;
    }
    const std::string part = row.text->push(token.id);
    if (is_single()) print(part);
    return !row.text->stopped();
  }
  void end(std::size_t prompt, generate::FinishReason reason) {
    Row& row = rows_[prompt];
    row.finish = reason;
    const std::string rest = row.text ? row.text->finish() : std::string();
    if (is_single()) return print(rest + "\n");
    for (; printed_ < rows_.size() && rows_[printed_].finish; ++printed_) print_whole(printed_);
  }
  [[nodiscard]] ordered_json json(std::size_t prompt) const {
    const Row& row = rows_[prompt];
    ordered_json object{{"tokens", row.ids}};
    // The last character may be incomplete, and byte tokens need not be UTF-8. Printing the JSON
    // replaces invalid bytes.
    if (row.text) object["text"] = row.text->text();
    object["finish_reason"] = generate::to_string(*row.finish);
    if (arguments_.logprobs) object["logprobs"] = row.logprobs;
    return object;
  }
  [[nodiscard]] std::size_t tokens() const {
    std::size_t sum = 0;
    for (const Row& row : rows_) sum += row.ids.size();
    return sum;
  }

 private:
  [[nodiscard]] bool is_single() const noexcept { return arguments_.prompts.file.empty(); }
  static void print(const std::string& text) {
    fmt::print("{}", text);
    std::fflush(stdout);
  }
  void print_whole(std::size_t prompt) const {
    if (lines_of_json_) {
      ordered_json line{{"prompt", prompt}};
      line.update(json(prompt));
      return print(json_line(line));
    }
    const Row& row = rows_[prompt];
    const std::string result =
        row.text ? row.text->text() : fmt::format("{}", fmt::join(row.ids, " "));
    print(fmt::format("--- {}\n{}{}\n", prompt + 1, prompts_.texts[prompt], result));
  }

  const Arguments& arguments_;
  const Prompts& prompts_;
  std::vector<Row> rows_;  // by prompt
  std::size_t printed_ = 0;
  bool lines_of_json_;
};

// Returns the token that ends a document, as far as it is known.
std::int32_t end_token(const LoadedModel& model, const Prompts& prompts) {
  if (prompts.tokenizer != nullptr) return prompts.tokenizer->eod();
  const bool is_known = model.tokenizer && model.tokenizer->eod;
  return is_known ? static_cast<std::int32_t>(*model.tokenizer->eod) : -1;
}

Outcome run(const Arguments& arguments, bool json) {
  if (std::any_of(arguments.stops.begin(), arguments.stops.end(),
                  [](const std::string& stop) { return stop.empty(); }))
    throw Error(ErrorCode::bad_usage, "--stop: expected a text, found \"\"");
  const PromptLines given = read_prompts(arguments.prompts);
  ModelArguments model = arguments.model;
  model.decode.sequences =
      std::min(arguments.batch_size, static_cast<std::int64_t>(given.lines.size()));
  model.decode.last_rows = model.decode.sequences;
  const LoadedModel loaded = load_model(model);
  const Prompts prompts =
      encode_prompts(given, loaded, arguments.tokenizer, !arguments.stops.empty());
  generate::GenerateOptions options = arguments.options;
  options.use_cache = !arguments.no_cache;
  options.log_probabilities = arguments.logprobs;
  options.most_likely = static_cast<std::size_t>(arguments.top_logprobs);
  if (!arguments.to_the_end) options.stop_token = end_token(loaded, prompts);
  const bool single = arguments.prompts.file.empty();
  Printer printer(arguments, prompts, json && !single);
  const std::int64_t begin = monotonic_ns();
  generate::generate(
      *loaded.model, prompts.ids, options,
      {.on_token = [&](std::size_t prompt,
                       const generate::NewToken& token) { return printer.take(prompt, token); },
       .on_end = [&](std::size_t prompt,
                     generate::FinishReason reason) { printer.end(prompt, reason); }});
  const double seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
  const double rate = static_cast<double>(printer.tokens()) / seconds;
  Outcome outcome{.json = {{"step", loaded.step}}};
  outcome.json_is_printed = !single;
  if (single) outcome.json.update(printer.json(0));
  outcome.json["tokens_per_second"] = rate;
  if (!single)
    say(fmt::format("{} prompts, {} tokens, {:.1f} tokens/s", prompts.ids.size(), printer.tokens(),
                    rate));
  return outcome;
}

}  // namespace

void add_generate(Command& app) {
  const auto arguments = std::make_shared<Arguments>();
  Command command = app.subcommand("generate", "continues texts with a checkpoint");
  arguments->model.add_to(command);
  arguments->model.add_context_to(command);
  arguments->tokenizer.add_name_to(command);
  arguments->tokenizer.add_any_to(command);
  arguments->prompts.add_to(command);
  command.option("--batch-size", arguments->batch_size, "prompts that are decoded together")
      .between(1, engine::Inference::kTokensTogether)
      .shows_default();
  command.option("--max-tokens", arguments->options.max_tokens, "most new tokens of each prompt")
      .at_least_zero()
      .shows_default();
  command.option("--stop", arguments->stops, "a text that ends the output (may be repeated)");
  add_sampling_to(command, arguments->options.sampler);
  command.flag("--logprobs", arguments->logprobs,
               "with --json: the log-probability of each new token");
  command
      .option("--top-logprobs", arguments->top_logprobs,
              "with --logprobs: also those of so many most likely tokens")
      .between(0, 1000);
  command.flag("--no-cache", arguments->no_cache,
               "recompute the whole text for every token (slow)");
  command.flag("--ignore-end", arguments->to_the_end, "continue after an end-of-document token");
  command.does([arguments, json = command.json()] { return run(*arguments, *json); });
}

}  // namespace megascale::cli
