// The megascale program: parses the command line, runs the action of the named subcommand, and
// turns its result or error into output and an exit code (0 done, 1 failed, 2 bad usage or
// configuration). With --json every end, also a failure, prints one JSON object as the last line of
// stdout.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/inherited_signals.h"

namespace megascale::cli {
namespace {

constexpr const char* kVersion = "megascale 0.1.0";

int exit_code_of(ErrorCode code) {
  return code == ErrorCode::bad_usage || code == ErrorCode::bad_input ? 2 : 1;
}

// Prints the JSON object, if --json is given, and flushes stdout. Returns the exit code. If stdout
// could not be written, it is at least 1.
int finish(const Outcome& outcome, bool json) {
  // Invalid bytes are replaced, since a message may contain a path that is not UTF-8.
  if (json && !outcome.json_is_printed)
    std::fputs((outcome.json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n")
                   .c_str(),
               stdout);
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

int run(int argc, char** argv) {
  CLI::App app("Trains large language models as a static, verified step plan.", "megascale");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  bool json = false;
  app.add_flag("--json", json, "print one JSON object as the last line of stdout");
  app.fallthrough();
  ActionMap actions;
  Command commands(app, actions);
  for (auto* add :
       {add_train, add_plan, add_check, add_prepare, add_simulate, add_generate, add_eval, add_hang,
        add_checkpoint, add_tokenizer, add_trace, add_bench, add_calibrate, add_ablate, add_tune}) {
    add(commands);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream help, complaint;
    const int code = app.exit(error, help, complaint);
    std::fputs(help.str().c_str(), stdout);
    say(complaint.str(), "");
    if (code == 0) return finish({}, false);
    // Parsing failed, so the variable `json` may not be set yet: search the arguments instead.
    return finish({.exit_code = 2, .json = {{"errors", {error.what()}}}},
                  std::find(argv, argv + argc, std::string_view("--json")) != argv + argc);
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
  return megascale::cli::run(argc, argv);
}
