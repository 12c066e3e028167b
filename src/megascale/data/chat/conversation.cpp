// Parses conversations. Files come from many programs, so each message says which key of which
// message is wrong; nothing is left out silently, since a model would learn from the rest.
#include "megascale/data/chat/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/checkpoint/json_text.h"
#include "megascale/data/json_lines.h"
#include "megascale/data/tokenizers/unicode.h"

namespace megascale::chat {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kRoleNames{"system", "user", "assistant"};
// Keys of a message that say more than its content does.
constexpr std::array<const char*, 2> kToolKeys{"tool_calls", "function_call"};

Error bad_conversation(const std::string& place, const std::string& what) {
  return {ErrorCode::bad_input, place.empty() ? what : fmt::format("{}: {}", place, what)};
}

// Returns the text under `key` of `object`, which `place` names.
std::string text_under(const json& object, const char* key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end()) {
    throw bad_conversation(place,
                           fmt::format("expected the key \"{}\", found {}", key, keys_of(object)));
  }
  const auto* text = found->get_ptr<const std::string*>();
  if (text == nullptr) {
    throw bad_conversation(
        place, fmt::format("\"{}\": expected text, found {}", key, checkpoint::shown(*found)));
  }
  if (tokenizers::leading_white_space(*text) == text->size()) {
    throw bad_conversation(place, fmt::format("\"{}\": expected text, found {}", key,
                                              text->empty() ? "\"\"" : "white space only"));
  }
  return *text;
}

Role role_of(const json& object, const std::string& place) {
  const std::string name = text_under(object, "role", place);
  const auto found = std::find(kRoleNames.begin(), kRoleNames.end(), name);
  if (found != kRoleNames.end()) return static_cast<Role>(found - kRoleNames.begin());
  throw bad_conversation(
      place, fmt::format("\"role\": expected \"system\", \"user\" or \"assistant\", found \"{}\"",
                         checkpoint::shown(std::string_view(name))));
}

// Returns whether a message of the assistant is learned.
bool learns(const json& object, const std::string& place) {
  const auto found = object.find("weight");
  if (found == object.end() || found->is_null()) return true;
  const double weight = found->is_number() ? found->get<double>() : -1;
  if (weight == 0 || weight == 1) return weight == 1;
  throw bad_conversation(
      place, fmt::format("\"weight\": expected 0 or 1, found {}", checkpoint::shown(*found)));
}

Message message_of(const json& object, const std::string& place) {
  if (!object.is_object()) {
    throw bad_conversation(place,
                           fmt::format("expected an object with \"role\" and \"content\", found {}",
                                       checkpoint::shown(object)));
  }
  for (const char* key : kToolKeys) {
    if (!object.contains(key) || object[key].is_null()) continue;
    throw bad_conversation(place, fmt::format("expected text only, found \"{}\": calls of tools "
                                              "are not supported; remove the conversation",
                                              key));
  }
  Message message{.role = role_of(object, place), .content = text_under(object, "content", place)};
  message.is_learned = message.role == Role::assistant && learns(object, place);
  return message;
}

// Returns the messages of the list that stands under `key`.
std::vector<Message> list_of_messages(const json& list, const char* key) {
  if (!list.is_array()) {
    throw bad_conversation(
        fmt::format("\"{}\"", key),
        fmt::format("expected a list of messages, found {}", checkpoint::shown(list)));
  }
  std::vector<Message> messages;
  for (const json& object : list)
    messages.push_back(message_of(object, fmt::format("\"{}\"[{}]", key, messages.size())));
  return messages;
}

void require_learned(const std::vector<Message>& messages, const char* key) {
  if (std::any_of(messages.begin(), messages.end(),
                  [](const Message& message) { return message.is_learned; }))
    return;
  throw bad_conversation(fmt::format("\"{}\"", key),
                         "expected a message of \"assistant\" without \"weight\": 0, found none: "
                         "there is nothing to learn");
}

Conversation messages_of(const json& list) {
  Conversation conversation{.messages = list_of_messages(list, "messages")};
  require_learned(conversation.messages, "messages");
  return conversation;
}

// Returns the messages under `key`: a list of them, or a text, which is one message of `role`.
std::vector<Message> text_or_messages(const json& object, const char* key, Role role) {
  const auto found = object.find(key);
  if (found != object.end() && found->is_array()) return list_of_messages(*found, key);
  return {{role, text_under(object, key, {}), role == Role::assistant}};
}

// Moves the messages that both begin with from `chosen` and `rejected` to the result.
std::vector<Message> take_common_prompt(std::vector<Message>& chosen,
                                        std::vector<Message>& rejected) {
  const auto [end, ignored] =
      std::mismatch(chosen.begin(), chosen.end(), rejected.begin(), rejected.end());
  const auto count = end - chosen.begin();
  std::vector<Message> prompt(chosen.begin(), end);
  chosen.erase(chosen.begin(), end);
  rejected.erase(rejected.begin(), rejected.begin() + count);
  return prompt;
}

}  // namespace

std::string_view to_string(Role role) noexcept {
  return kRoleNames[static_cast<std::size_t>(role)];
}

Conversation parse_conversation(const std::string& line) {
  const json object = parse_json_line(line);
  const bool has_messages = object.contains("messages"),
             has_prompt = object.contains("prompt") || object.contains("completion");
  if (has_messages && has_prompt) {
    throw bad_conversation({}, fmt::format("expected \"messages\", or \"prompt\" and "
                                           "\"completion\", found both: {}",
                                           keys_of(object)));
  }
  if (has_messages) return messages_of(object["messages"]);
  if (has_prompt) {
    return {.messages = {{Role::user, text_under(object, "prompt", {}), false},
                         {Role::assistant, text_under(object, "completion", {}), true}}};
  }
  throw bad_conversation({}, fmt::format("expected the key \"messages\", or \"prompt\" and "
                                         "\"completion\", found {}",
                                         keys_of(object)));
}

Preference parse_preference(const std::string& line) {
  const json object = parse_json_line(line);
  std::vector<Message> chosen = text_or_messages(object, "chosen", Role::assistant),
                       rejected = text_or_messages(object, "rejected", Role::assistant), prompt;
  if (object.contains("prompt")) {
    prompt = text_or_messages(object, "prompt", Role::user);
  } else {
    if (!object["chosen"].is_array() || !object["rejected"].is_array()) {
      throw bad_conversation(
          {}, fmt::format("expected the key \"prompt\", or lists of messages under \"chosen\" and "
                          "\"rejected\", found {}",
                          keys_of(object)));
    }
    prompt = take_common_prompt(chosen, rejected);
  }
  require_learned(chosen, "chosen");
  require_learned(rejected, "rejected");
  for (Message& message : prompt) message.is_learned = false;
  Preference pair{.chosen = {.messages = prompt}, .rejected = {.messages = std::move(prompt)}};
  for (Message& message : chosen) pair.chosen.messages.push_back(std::move(message));
  for (Message& message : rejected) pair.rejected.messages.push_back(std::move(message));
  return pair;
}

}  // namespace megascale::chat
