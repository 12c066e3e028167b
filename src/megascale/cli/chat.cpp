// `megascale chat`: a conversation with a checkpoint in the terminal, or over pipes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "megascale/base/error.h"
#include "megascale/cli/chat_interrupts.h"
#include "megascale/cli/command.h"
#include "megascale/cli/model_tokenizer.h"
#include "megascale/cli/sampling_arguments.h"
#include "megascale/data/chat/template_choice.h"
#include "megascale/data/tokenizers/unicode.h"
#include "megascale/generate/chat_session.h"

namespace megascale::cli {
namespace {

struct ChatArguments {
  ModelArguments model;
  TokenizerChoice tokenizer;
  generate::ChatOptions options;
  std::string chat_template;
};

chat::ChatTemplate template_of(const ChatArguments& arguments, const LoadedModel& model,
                               const Tokenizer& tokenizer) {
  const auto found = arguments.chat_template.empty()
                         ? chat::template_of_model(model.path, tokenizer)
                         : chat::chat_template_named(arguments.chat_template);
  if (found) return *found;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: expected a known chat template in the files of the tokenizer, found "
                          "none; name the one that the model has learnt with --chat-template ({})",
                          model.path.string(), fmt::join(chat::kChatTemplateNames, ", ")));
}

// Says why an answer ended, if it is not complete.
void say_end(generate::AnswerEnd end) {
  switch (end) {
    case generate::AnswerEnd::turn:
      break;
    case generate::AnswerEnd::interrupted:
      return say("(interrupted)");
    case generate::AnswerEnd::length:
      return say("(cut after --max-tokens)");
    case generate::AnswerEnd::context:
      return say("(the context of the model is full: /reset begins a new conversation)");
  }
}

// Carries out a line that begins with a slash. Returns false if it ends the program.
bool command_of(const std::string& line, generate::ChatSession& session) {
  if (line == "/exit") return false;
  if (line == "/reset") {
    session.clear();
    say("(a new conversation)");
  } else {
    say(fmt::format("expected /reset, /exit or a question, found {}", line));
  }
  return true;
}

void converse(generate::ChatSession& session, ChatInterrupts& interrupts) {
  const bool asks = ::isatty(STDIN_FILENO) != 0;
  if (asks) say("/reset begins anew; Ctrl-C ends an answer; /exit or Ctrl-D leaves");
  const auto print = [](std::string_view part) {
    fmt::print("{}", part);
    std::fflush(stdout);
  };
  for (std::string line;;) {
    if (asks) print("> ");
    if (!std::getline(std::cin, line)) break;
    if (tokenizers::leading_white_space(line) == line.size()) continue;
    if (line.starts_with('/')) {
      if (!command_of(line, session)) return;
      continue;
    }
    interrupts.begin_answer();
    try {
      const generate::AnswerEnd end =
          session.answer(line, print, [&] { return interrupts.requested(); });
      // Before it says so: who reads that may press Ctrl-C again, for the next question.
      interrupts.end_answer();
      print("\n");
      say_end(end);
    } catch (const Error& error) {
      interrupts.end_answer();
      if (error.code() != ErrorCode::bad_input) throw;
      say(error.message());
    }
  }
  if (asks) print("\n");
}

Outcome run(const ChatArguments& arguments) {
  ChatInterrupts interrupts;
  const LoadedModel loaded = load_model(arguments.model);
  const auto tokenizer = open_model_tokenizer(loaded, arguments.tokenizer);
  const chat::ConversationEncoder encoder(template_of(arguments, loaded, *tokenizer), *tokenizer);
  generate::ChatOptions options = arguments.options;
  if (loaded.tokenizer && loaded.tokenizer->eod)
    options.end_of_document = static_cast<std::int32_t>(*loaded.tokenizer->eod);
  generate::ChatSession session(*loaded.model, *tokenizer, encoder, options);
  interrupts.ready();
  converse(session, interrupts);
  Outcome outcome{.json = {{"step", loaded.step},
                           {"template", chat::to_string(encoder.name())},
                           {"messages", nlohmann::ordered_json::array()},
                           {"tokens", session.dialogue().ids().size()},
                           {"computed_tokens", session.computed_tokens()}}};
  for (const chat::Message& message : session.dialogue().messages()) {
    outcome.json["messages"].push_back(
        {{"role", chat::to_string(message.role)}, {"content", message.content}});
  }
  return outcome;
}

}  // namespace

void add_chat(Command& app) {
  const auto arguments = std::make_shared<ChatArguments>();
  Command command = app.subcommand("chat", "a conversation with a checkpoint in the terminal");
  arguments->model.add_to(command, /*positional=*/true);
  arguments->model.add_context_to(command);
  arguments->tokenizer.add_name_to(command);
  arguments->tokenizer.add_any_to(command);
  command.option("--system", arguments->options.system, "the system message");
  command
      .option("--chat-template", arguments->chat_template,
              "the template that the model has learnt; by default that of its tokenizer's files")
      .one_of({chat::kChatTemplateNames.begin(), chat::kChatTemplateNames.end()});
  command.option("--max-tokens", arguments->options.max_tokens, "most tokens of an answer")
      .positive()
      .shows_default();
  add_sampling_to(command, arguments->options.sampler);
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
