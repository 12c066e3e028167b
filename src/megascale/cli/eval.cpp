// `megascale eval`: computes the loss of a checkpoint on a dataset.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/model_arguments.h"
#include "megascale/cli/model_tokenizer.h"

namespace megascale::cli {

namespace {

struct EvalArguments {
  ModelArguments model;
  TokenizerChoice tokenizer;
  std::string data, split;
  std::int64_t steps = 0;
};

constexpr std::array kSplits{Split::train, Split::validation, Split::test};

std::vector<std::string> names_of_splits() {
  std::vector<std::string> names;
  names.reserve(kSplits.size());
  for (const Split split : kSplits) names.emplace_back(to_string(split));
  return names;
}

// Throws Error (bad_usage) unless exactly one of --data and --split says what to read.
EvaluationData data_of(const EvalArguments& arguments) {
  if (arguments.data.empty() == arguments.split.empty()) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected either --data, the prefix of a dataset's .bin and .idx, or "
                            "--split, a share of the data of the training; found {}",
                            arguments.data.empty() ? "neither" : "both"));
  }
  const auto* split = std::find_if(kSplits.begin(), kSplits.end(),
                                   [&](Split one) { return to_string(one) == arguments.split; });
  return {.prefix = arguments.data,
          .split = split == kSplits.end() ? std::nullopt : std::optional(*split)};
}

}  // namespace

void add_eval(Command& app) {
  using Arguments = EvalArguments;
  const auto arguments = std::make_shared<Arguments>();
  Command command =
      app.subcommand("eval", "computes loss and perplexity of a checkpoint on a dataset");
  arguments->model.add_to(command);
  arguments->tokenizer.add_any_to(command);
  command.option("--data", arguments->data, "a dataset, all of it: the prefix of .bin and .idx");
  command
      .option("--split", arguments->split,
              "this share of the data of the training, as the checkpoint's configuration says")
      .one_of(names_of_splits());
  command.option("--steps", arguments->steps, "global batches (0: until a sample would come twice)")
      .at_least_zero();
  command.does([arguments] {
    const LoadedModel loaded = load_model(arguments->model, data_of(*arguments));
    require_tokenizer_of_data(loaded, arguments->tokenizer);
    const std::int64_t all = std::max<std::int64_t>(
        1, loaded.data->samples_per_epoch() / loaded.config.train.global_batch_size);
    const std::int64_t steps = arguments->steps > 0 ? arguments->steps : all;
    const double loss = loaded.model->evaluate(steps);
    fmt::print("loss {:.6f} nats per token, perplexity {:.4f}, over {} batches of {} sequences\n",
               loss, std::exp(loss), steps, loaded.config.train.global_batch_size);
    Outcome outcome{.json = {{"loss", loss},
                             {"perplexity", std::exp(loss)},
                             {"batches", steps},
                             {"step", loaded.step}}};
    // The loss of a byte, unlike that of a token, can be compared between tokenizers.
    if (const auto bytes = loaded.data->bytes_per_token(); bytes && *bytes > 0) {
      const double bits = loss / std::log(2.0) / *bytes;
      fmt::print("{:.4f} bits per byte of text, {:.3f} bytes per token\n", bits, *bytes);
      outcome.json["bits_per_byte"] = bits;
      outcome.json["bytes_per_token"] = *bytes;
    }
    return outcome;
  });
}

}  // namespace megascale::cli
