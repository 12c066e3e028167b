#ifndef MEGASCALE_CLI_COMMAND_H_
#define MEGASCALE_CLI_COMMAND_H_

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/cli/arguments.h"
#include "megascale/config/load.h"

namespace megascale::cli {

// The result of a subcommand: the exit code of the program, and the object that --json prints as
// the last line of stdout.
struct Outcome {
  int exit_code = 0;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  bool json_is_printed = false;  // the action or a child process has already printed it on stdout
};

// Returns an object as a line with its end. Invalid bytes are replaced, since a message may contain a
// path that is not UTF-8.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& object);

// Writes `text` and `end` to stderr in one piece. If stderr cannot be written (a full disk, a
// closed pipe), the text is lost and the command continues. Any thread may call it.
void say(std::string_view text, std::string_view end = "\n") noexcept;

// Moves to the beginning of a terminal's line and erases it.
inline constexpr const char* kEraseLine = "\r\x1b[2K";

// Each function adds one subcommand: its options, and the action that runs it.
void add_ablate(Command& app);
void add_bench(Command& app);
// Subcommands of `bench`.
void add_bench_peak(Command& bench);
void add_bench_collectives(Command& bench);
void add_bench_startup(Command& bench);
void add_bench_device_ops(Command& bench);  // gemm, attention, experts
void add_bench_step(Command& bench);
void add_bench_decode(Command& bench);
void add_calibrate(Command& app);
void add_chat(Command& app);
void add_check(Command& app);
void add_checkpoint(Command& app);
void add_cluster(Command& app);
void add_cluster_joining(Command& cluster);  // serve, join
void add_compare(Command& app);
void add_completion(Command& app);
void add_config(Command& app);
void add_diagnose(Command& app);
void add_driver(Command& app);
void add_eval(Command& app);
void add_evaluate(Command& app);
void add_executor(Command& app);
void add_generate(Command& app);
void add_hang(Command& app);
void add_incidents(Command& app);
void add_logs(Command& app);
void add_man(Command& app);
void add_operator_commands(Command& app);  // submit, evict, stop
void add_plan(Command& app);
void add_prepare(Command& app);
void add_report(Command& app);
void add_serve(Command& app);
void add_simulate(Command& app);
void add_status(Command& app);
void add_tokenizer(Command& app);
void add_top(Command& app);
void add_trace(Command& app);
void add_train(Command& app);
void add_tune(Command& app);

// The arguments CONFIG, --set and --ranks, which several subcommands have.
struct ConfigArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;
  std::int64_t ranks = 0;  // 0: --ranks was not given
  // Whether load() leaves moe.token_dispatcher_type = "auto" as it is, also if
  // moe.token_dispatcher_rates names a cluster. Otherwise it chooses, and says how.
  bool keeps_dispatch_open = false;
  void add_to(Command& command);
  // Adds one more override. It wins over those of the command line.
  void set(std::string override) { overrides.push_back(std::move(override)); }
  // Loads the file, applies the overrides and resolves the configuration. `launched` is the number
  // of processes that a launcher started as ranks, which sets the number of ranks; 0: no launcher.
  // Throws Error (bad_usage) with all errors of the configuration, or if --ranks differs from
  // `launched`.
  // Keys of [model] that are not given come from the checkpoint that checkpoint.load names, if it
  // can be read here.
  [[nodiscard]] Config load(std::uint32_t launched = 0) const;
  // The same for a training, whose model comes from the checkpoint that it starts from, also from
  // one of its own. Also throws the errors of train::open_start_point().
  [[nodiscard]] LoadedConfig load_for_training(std::uint32_t launched = 0) const;

 private:
  [[nodiscard]] LoadedConfig load_on(std::uint32_t launched, const FindModel& find_model) const;
};

// Says that a command looks only at steps of the last size of the batch, if the batch grows.
void say_full_batch(const Config& config);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_COMMAND_H_
