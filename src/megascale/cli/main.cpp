// The megascale program: parses the command line, runs the action of the named subcommand, and
// turns its result or error into output and an exit code (0 done, 1 failed, 2 bad usage or
// configuration). With --json every end, also a failure, prints one JSON object as the last line of
// stdout.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/near_name.h"
#include "megascale/cli/command.h"
#include "megascale/cli/crash_trace.h"
#include "megascale/cli/inherited_signals.h"
#include "megascale/cli/short_spins.h"
#include "megascale/version.h"

namespace megascale::cli {
namespace {

int exit_code_of(ErrorCode code) {
  return code == ErrorCode::bad_usage || code == ErrorCode::bad_input ? 2 : 1;
}

// Prints the JSON object, if --json is given, and flushes stdout. Returns the exit code. If stdout
// could not be written, it is at least 1.
int finish(const Outcome& outcome, bool json) {
  if (json && !outcome.json_is_printed) std::fputs(json_line(outcome.json).c_str(), stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return outcome.exit_code;
  say("megascale: cannot write to stdout");
  return std::max(outcome.exit_code, 1);
}

int fail(const Error& error, bool json) {
  say("megascale: " + error.message());
  Outcome outcome{.exit_code = exit_code_of(error.code())};
  outcome.json["errors"] = {error.message()};
  return finish(outcome, json);
}

// Returns what to say about a word of the command line that stands where a subcommand was expected;
// empty if there is no such word.
std::string unknown_subcommand(const CLI::App& program, int argc, char** argv) {
  const CLI::App* command = &program;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with('-')) continue;
    std::vector<std::string> known;
    for (const CLI::App* one : command->get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(one->get_name());
    if (known.empty()) return "";  // the word is an argument of the command
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      const std::string near = nearest_name(word, known);
      return fmt::format("{}: unknown command \"{}\"{}; known commands: {}", command->get_name(),
                         word, near.empty() ? "" : fmt::format("; did you mean {}?", near),
                         fmt::join(known, ", "));
    }
    command = command->get_subcommand(word);
  }
  return "";
}

// Reports that the command line cannot be parsed, or prints the help that it asks for.
int fail_to_parse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::ostringstream help, complaint;
  const int code = app.exit(error, help, complaint);
  const std::string unknown = code == 0 ? "" : unknown_subcommand(app, argc, argv);
  std::fputs(help.str().c_str(), stdout);
  say(unknown.empty() ? complaint.str() : unknown + "\n", "");
  if (code == 0) return finish({}, false);
  // Parsing failed, so the variable of --json may not be set yet: search the arguments instead.
  return finish({.exit_code = 2, .json = {{"errors", {unknown.empty() ? error.what() : unknown}}}},
                std::find(argv, argv + argc, std::string_view("--json")) != argv + argc);
}

int run(int argc, char** argv) {
  CLI::App app("Trains large language models as a static, verified step plan.", "megascale");
  app.set_version_flag("--version", fmt::format("megascale {}", kVersion));
  app.require_subcommand(1);
  bool json = false;
  app.add_flag("--json", json, "print one JSON object as the last line of stdout");
  app.fallthrough();
  ActionMap actions;
  Command commands(app, actions, json);
  for (auto* add : {add_train,      add_plan,
                    add_check,      add_prepare,
                    add_simulate,   add_generate,
                    add_eval,       add_hang,
                    add_status,     add_incidents,
                    add_checkpoint, add_cluster,
                    add_tokenizer,  add_trace,
                    add_bench,      add_calibrate,
                    add_ablate,     add_tune,
                    add_diagnose,   add_driver,
                    add_executor,   add_operator_commands,
                    add_logs,       add_serve,
                    add_report,     add_top,
                    add_compare,    add_chat,
                    add_evaluate,   add_config,
                    add_completion, add_man}) {
    add(commands);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return fail_to_parse(app, error, argc, argv);
  }
  try {
    for (const auto& [command, action] : actions) {
      if (command->parsed()) return finish(action(), json);
    }
  } catch (const Error& error) {
    return fail(error, json);
  } catch (const std::bad_alloc&) {
    return fail(Error(ErrorCode::out_of_memory, "out of memory"), json);
  } catch (const std::system_error& error) {
    return fail(Error(ErrorCode::failed,
                      error.code() == std::errc::resource_unavailable_try_again
                          ? "a thread cannot be started: the limit of this user's processes "
                            "(ulimit -u) or of the control group (pids.max) is reached"
                          : error.what()),
                json);
  } catch (const std::exception& error) {
    return fail(Error(ErrorCode::failed, error.what()), json);
  }
  return 2;
}

}  // namespace

}  // namespace megascale::cli

// Errors of commands are reported inside run(). Only a lack of memory before a command starts can
// end main() with an exception.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  megascale::cli::restore_signals();
  megascale::cli::trace_crashes();
  megascale::cli::start_with_short_spins(argc, argv);
  return megascale::cli::run(argc, argv);
}
