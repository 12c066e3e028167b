// `megascale eval`: computes the loss of a checkpoint on a dataset.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/model_arguments.h"
#include "megascale/cli/model_tokenizer.h"

namespace megascale::cli {

void add_eval(Command& app) {
  struct Arguments {
    ModelArguments model;
    TokenizerChoice tokenizer;
    std::string data;
    std::int64_t steps = 0;
  };
  const auto arguments = std::make_shared<Arguments>();
  Command command =
      app.subcommand("eval", "computes loss and perplexity of a checkpoint on a dataset");
  arguments->model.add_to(command);
  arguments->tokenizer.add_any_to(command);
  command.option("--data", arguments->data, "prefix of the dataset's .bin and .idx").required();
  command.option("--steps", arguments->steps, "global batches (0: all the data once)")
      .at_least_zero();
  command.does([arguments] {
    if (arguments->data.empty())
      throw Error(ErrorCode::bad_usage,
                  "--data: expected the prefix of a dataset's .bin and .idx, found nothing");
    const LoadedModel loaded = load_model(arguments->model, arguments->data);
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
