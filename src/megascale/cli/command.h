#ifndef MEGASCALE_CLI_COMMAND_H_
#define MEGASCALE_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"

namespace megascale::cli {

// What a subcommand's run leaves behind: the exit status, and the object that --json prints as the
// last line of stdout.
struct Outcome {
  int exit_code = 0;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  bool json_is_printed = false;  // by a child of this process, on the same stdout
};
using Action = std::function<Outcome()>;

// A line to stderr. A stderr that takes nothing (a full disk, a closed pipe) stops no command.
void say(std::string_view text, std::string_view end = "\n") noexcept;

// Adds a subcommand; `actions` gets what to do when it was named.
using ActionMap = std::vector<std::pair<CLI::App*, Action>>;
void add_ablate(CLI::App& app, ActionMap& actions);
void add_bench(CLI::App& app, ActionMap& actions);
// Of `bench`.
void add_bench_peak(CLI::App& bench, ActionMap& actions);
void add_bench_collectives(CLI::App& bench, ActionMap& actions);
void add_bench_startup(CLI::App& bench, ActionMap& actions);
void add_bench_step(CLI::App& bench, ActionMap& actions);
void add_check(CLI::App& app, ActionMap& actions);
void add_checkpoint(CLI::App& app, ActionMap& actions);
void add_eval(CLI::App& app, ActionMap& actions);
void add_generate(CLI::App& app, ActionMap& actions);
void add_plan(CLI::App& app, ActionMap& actions);
void add_prepare(CLI::App& app, ActionMap& actions);
void add_simulate(CLI::App& app, ActionMap& actions);
void add_trace(CLI::App& app, ActionMap& actions);
void add_train(CLI::App& app, ActionMap& actions);

// CONFIG, --set and --ranks, as several subcommands take them.
struct ConfigArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;
  std::int64_t ranks = 0;
  void add_to(CLI::App& command);
  // Loads, applies overrides, resolves. `launched`: the processes that a launcher started as ranks,
  // which count like --ranks; 0: none did. Throws Error (bad_usage) with all errors.
  [[nodiscard]] Config load(std::uint32_t launched = 0) const;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_COMMAND_H_
