#ifndef MEGASCALE_DATA_CHAT_CONVERSATION_H_
#define MEGASCALE_DATA_CHAT_CONVERSATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Conversations for fine-tuning, as a line of a JSONL file has them.
namespace megascale::chat {

enum class Role : std::uint8_t { system, user, assistant };
// Returns the name that files and templates have: "system", "user" or "assistant".
[[nodiscard]] std::string_view to_string(Role role) noexcept;

struct Message {
  Role role = Role::user;
  std::string content;      // UTF-8, not empty, not white space only
  bool is_learned = false;  // the loss counts its tokens; only messages of the assistant
  bool operator==(const Message&) const = default;
};

// At least one message is learned.
struct Conversation {
  std::vector<Message> messages;
  bool operator==(const Conversation&) const = default;
};

// Parses a line of a JSONL file. It is an object of one of two forms; other keys are ignored.
//   {"messages": [{"role": ROLE, "content": TEXT}, ...]}
//   {"prompt": TEXT, "completion": TEXT}   a message of the user, and one of the assistant
// The assistant's messages are learned. A message of it with "weight": 0 is not (the key of OpenAI's
// files). Throws Error (bad_input), which names the message, what was expected and what was found,
// for: a line that is not UTF-8, not JSON or no object; a missing key; another role; a content that
// is not text, or is white space only; calls of tools; nothing to learn.
[[nodiscard]] Conversation parse_conversation(const std::string& line);

// A question, an answer that people prefer, and one that they do not. Both conversations begin with the same
// messages, of which nothing is learned.
struct Preference {
  Conversation chosen, rejected;
  bool operator==(const Preference&) const = default;
};

// Parses a line of a JSONL file with preferences, in the forms of TRL; other keys are ignored.
//   {"prompt": P, "chosen": A, "rejected": A}   P: a text (a message of the user) or a list of messages;
//                                               A: a text (a message of the assistant) or a list of messages
//   {"chosen": LIST, "rejected": LIST}          whole conversations: the messages that both begin with are
//                                               the prompt
// Messages of the assistant in A are learned, as by parse_conversation(). Throws Error (bad_input) as it does.
[[nodiscard]] Preference parse_preference(const std::string& line);

}  // namespace megascale::chat

#endif  // MEGASCALE_DATA_CHAT_CONVERSATION_H_
