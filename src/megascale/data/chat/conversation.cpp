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

Conversation messages_of(const json& list) {
  if (!list.is_array()) {
    throw bad_conversation("\"messages\"", fmt::format("expected a list of messages, found {}",
                                                       checkpoint::shown(list)));
  }
  Conversation conversation;
  for (const json& object : list) {
    const std::string place = fmt::format("\"messages\"[{}]", conversation.messages.size());
    conversation.messages.push_back(message_of(object, place));
  }
  const bool learns_any = std::any_of(conversation.messages.begin(), conversation.messages.end(),
                                      [](const Message& message) { return message.is_learned; });
  if (!learns_any) {
    throw bad_conversation("\"messages\"",
                           "expected a message of \"assistant\" without \"weight\": 0, found none: "
                           "there is nothing to learn");
  }
  return conversation;
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

}  // namespace megascale::chat
