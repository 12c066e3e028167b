#include "megascale/data/chat/template_choice.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "megascale/base/files.h"
#include "megascale/checkpoint/json_text.h"

namespace megascale::chat {
namespace {

constexpr std::array kWithTokens{ChatTemplate::chatml, ChatTemplate::llama3, ChatTemplate::gemma,
                                 ChatTemplate::mistral};

// Returns a token that this template writes and no other one does. Empty: there is none.
std::string_view sign_of(ChatTemplate name) {
  switch (name) {
    case ChatTemplate::chatml:
      return "<|im_start|>";
    case ChatTemplate::llama3:
      return "<|start_header_id|>";
    case ChatTemplate::gemma:
      return "<start_of_turn>";
    case ChatTemplate::mistral:
      return "[INST]";
    case ChatTemplate::plain:
      break;
  }
  return {};
}

// Returns the text of the template that the files of a folder hold, or nothing.
std::string jinja_of(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "chat_template.jinja"))
    return read_text(folder / "chat_template.jinja");
  const std::filesystem::path path = folder / "tokenizer_config.json";
  if (!std::filesystem::exists(path)) return {};
  constexpr int kDepth = 64;
  const nlohmann::json config = checkpoint::parse_json(
      read_text(path), {.file = path.string(), .code = ErrorCode::bad_input}, kDepth);
  const auto found = config.is_object() ? config.find("chat_template") : config.end();
  return found != config.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::optional<ChatTemplate> template_of_jinja(std::string_view text) {
  const auto* const found = std::find_if(
      kWithTokens.begin(), kWithTokens.end(),
      [&](ChatTemplate name) { return text.find(sign_of(name)) != std::string_view::npos; });
  return found == kWithTokens.end() ? std::nullopt : std::optional(*found);
}

std::optional<ChatTemplate> template_of_tokens(const Tokenizer& tokenizer) {
  // Many tokenizers have the tokens of mistral, <s> and </s>, which say nothing about a template.
  const auto* const found =
      std::find_if(kWithTokens.begin(), kWithTokens.end(), [&](ChatTemplate name) {
        const auto tokens = special_tokens(name);
        return name != ChatTemplate::mistral &&
               std::all_of(tokens.begin(), tokens.end(), [&](std::string_view token) {
                 return tokenizer.special_token(token).has_value();
               });
      });
  return found == kWithTokens.end() ? std::nullopt : std::optional(*found);
}

std::optional<ChatTemplate> template_of_model(const std::filesystem::path& folder,
                                              const Tokenizer& tokenizer) {
  const std::string jinja = jinja_of(folder);
  return jinja.empty() ? template_of_tokens(tokenizer) : template_of_jinja(jinja);
}

}  // namespace megascale::chat
