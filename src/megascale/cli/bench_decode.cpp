// `megascale bench decode`: tokens per second of decoding, and the share of the memory bandwidth that it
// reaches.
#include <fmt/format.h>

#include "megascale/base/core_binding.h"
#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/study/measure/decode_rate.h"

namespace megascale::cli {
namespace {

struct DecodeArguments {
  ConfigArguments config;
  std::vector<std::int64_t> sequences{1, 8};
  study::DecodeOptions options;
};

Outcome run(const DecodeArguments& arguments) {
  const Config config = arguments.config.load();
  const std::int64_t needed = arguments.options.prompt + arguments.options.steps + 2;
  if (needed > config.model.max_position_embeddings) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected at most {} tokens (model.max_position_embeddings), found {} "
                            "with --prompt {}, --steps {} and two steps before them",
                            config.model.max_position_embeddings, needed, arguments.options.prompt,
                            arguments.options.steps));
  }
  constexpr std::size_t kTriad = std::size_t{256} << 20U;  // bytes of each array
  const double triad = kernels::cpu::triad_bandwidth(available_cores(), kTriad).best;
  fmt::print("triad of {} cores {:.1f} GB/s\n", available_cores(), triad * 1e-9);
  Outcome outcome{.json = {{"memory_bytes_per_second", triad}}};
  double one = 0;
  for (const std::int64_t sequences : arguments.sequences) {
    study::DecodeOptions options = arguments.options;
    options.sequences = sequences;
    const study::DecodeRate rate = study::measure_decode_rate(config, options);
    if (one == 0) one = rate.tokens_per_second();
    const double share = rate.bytes_per_second() / triad;
    fmt::print(
        "{:>3} sequences: {:8.1f} tokens/s ({:.2f} x the first), {:.2f} ms a step (best {:.2f}), "
        "{:.1f} MB of weights and {:.1f} MB of cache, {:.1f} GB/s, {:.2f} of the triad\n",
        sequences, rate.tokens_per_second(), rate.tokens_per_second() / one,
        rate.seconds_per_step * 1e3, rate.best_seconds * 1e3, rate.weight_nbytes * 1e-6,
        rate.cache_nbytes * 1e-6, rate.bytes_per_second() * 1e-9, share);
    outcome.json["decode"].push_back({{"sequences", sequences},
                                      {"tokens_per_second", rate.tokens_per_second()},
                                      {"step_seconds", rate.seconds_per_step},
                                      {"best_step_seconds", rate.best_seconds},
                                      {"weight_bytes", rate.weight_nbytes},
                                      {"cache_bytes", rate.cache_nbytes},
                                      {"bytes_per_second", rate.bytes_per_second()},
                                      {"of_triad", share}});
  }
  return outcome;
}

}  // namespace

void add_bench_decode(Command& bench) {
  const auto arguments = std::make_shared<DecodeArguments>();
  Command command = bench.subcommand(
      "decode", "tokens per second of decoding with random weights, beside the memory bandwidth");
  arguments->config.add_to(command);
  command.option("--sequences", arguments->sequences, "sequences that are decoded together")
      .separated_by_commas()
      .between(1, 64)
      .shows_default();
  command.option("--prompt", arguments->options.prompt, "tokens cached before the first step")
      .positive()
      .shows_default();
  command.option("--steps", arguments->options.steps, "steps that are measured")
      .positive()
      .shows_default();
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
