#ifndef MEGASCALE_DATA_CHAT_TEMPLATE_CHOICE_H_
#define MEGASCALE_DATA_CHAT_TEMPLATE_CHOICE_H_

#include <filesystem>
#include <optional>
#include <string_view>

#include "megascale/data/chat/chat_template.h"
#include "megascale/data/tokenizer.h"

// Which chat template a model has learnt, as far as its files tell.
namespace megascale::chat {

// Returns the template whose special tokens a text in Jinja writes, as chat_template.jinja or the key
// "chat_template" of a tokenizer_config.json hold it; nothing if it is none of ours.
[[nodiscard]] std::optional<ChatTemplate> template_of_jinja(std::string_view text);
// Returns the first template all of whose special tokens the tokenizer has.
[[nodiscard]] std::optional<ChatTemplate> template_of_tokens(const Tokenizer& tokenizer);
// Returns the template by the files of a folder, such as a checkpoint, and by its tokenizer if there
// are none. Nothing if neither tells. Throws Error (io, bad_input) for a file that cannot be read.
[[nodiscard]] std::optional<ChatTemplate> template_of_model(const std::filesystem::path& folder,
                                                            const Tokenizer& tokenizer);

}  // namespace megascale::chat

#endif  // MEGASCALE_DATA_CHAT_TEMPLATE_CHOICE_H_
