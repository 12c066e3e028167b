// `megascale top`: a run in the terminal, refreshed while it goes on.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "megascale/cli/command.h"
#include "megascale/cli/stop_signals.h"
#include "megascale/report/text.h"

namespace megascale::cli {
namespace {

struct TopArguments {
  std::filesystem::path run_dir;
  double seconds = 2;
  std::uint32_t ranks = 8;
  bool once = false;
};

// Moves to the top left of the screen; erases what is below.
constexpr const char *kHome = "\x1b[H", *kEraseBelow = "\x1b[J";

bool goes_on(report::RunState state) {
  return state == report::RunState::running || state == report::RunState::waiting ||
         state == report::RunState::elsewhere;
}

Outcome watch(const TopArguments& arguments) {
  StopSignals signals([](const char* text) { say(text); });
  const auto run = report::open_run(arguments.run_dir);
  const bool on_terminal = ::isatty(STDOUT_FILENO) == 1 && !arguments.once;
  signals.begin_to_stop();
  if (on_terminal) fmt::print("{}{}", kHome, kEraseBelow);
  while (true) {
    const report::RunFacts facts = report::read_facts(*run);
    const std::string block = report::live_text(facts, arguments.ranks);
    fmt::print("{}{}{}", on_terminal ? kHome : "", block, on_terminal ? kEraseBelow : "\n");
    std::fflush(stdout);
    if (arguments.once || !goes_on(facts.state)) return {.json = report::to_json(facts)};
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(arguments.seconds);
    while (std::chrono::steady_clock::now() < until && !signals.requested().load())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (signals.requested().load()) return {.json = report::to_json(facts)};
  }
}

}  // namespace

void add_top(Command& app) {
  const auto arguments = std::make_shared<TopArguments>();
  Command command =
      app.subcommand("top", "shows a run while it goes on: progress, rates, waits, slowest ranks");
  command.option("RUN_DIR", arguments->run_dir, "run directory").required();
  command.option("--seconds", arguments->seconds, "time between two refreshes")
      .positive()
      .shows_default();
  command.option("--ranks", arguments->ranks, "number of ranks to show, the slowest first")
      .shows_default();
  command.flag("--once", arguments->once, "show the state once and end");
  command.does([arguments] { return watch(*arguments); });
}

}  // namespace megascale::cli
