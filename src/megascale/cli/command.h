#ifndef MEGASCALE_CLI_COMMAND_H_
#define MEGASCALE_CLI_COMMAND_H_

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/cli/arguments.h"
#include "megascale/config/config.h"

namespace megascale::cli {

// What a subcommand's run leaves behind: the exit status, and the object that --json prints as the
// last line of stdout.
struct Outcome {
  int exit_code = 0;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  bool json_is_printed = false;  // by a child of this process, on the same stdout
};

// A line to stderr. A stderr that takes nothing (a full disk, a closed pipe) stops no command.
void say(std::string_view text, std::string_view end = "\n") noexcept;

// Adds a subcommand.
void add_ablate(Command& app);
void add_bench(Command& app);
// Of `bench`.
void add_bench_peak(Command& bench);
void add_bench_collectives(Command& bench);
void add_bench_startup(Command& bench);
void add_bench_gemm(Command& bench);
void add_bench_attention(Command& bench);
void add_bench_step(Command& bench);
void add_calibrate(Command& app);
void add_check(Command& app);
void add_checkpoint(Command& app);
void add_eval(Command& app);
void add_generate(Command& app);
void add_plan(Command& app);
void add_prepare(Command& app);
void add_simulate(Command& app);
void add_trace(Command& app);
void add_train(Command& app);
void add_tune(Command& app);

// CONFIG, --set and --ranks, as several subcommands take them.
struct ConfigArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;
  std::int64_t ranks = 0;
  void add_to(Command& command);
  // One more override, stronger than those of the command line.
  void set(std::string override) { overrides.push_back(std::move(override)); }
  // Loads, applies overrides, resolves. `launched`: the processes that a launcher started as ranks,
  // which count like --ranks; 0: none did. Throws Error (bad_usage) with all errors.
  [[nodiscard]] Config load(std::uint32_t launched = 0) const;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_COMMAND_H_
