#ifndef MEGASCALE_DATA_INPUT_FORMAT_H_
#define MEGASCALE_DATA_INPUT_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace megascale {

enum class InputFormat : std::uint8_t {
  automatic,   // jsonl for names that end in .jsonl, .ndjson or .json, npy for .npy, otherwise text
  text,        // a file is one document, or several documents between occurrences of a separator
  jsonl,       // a line is a JSON object with a text or a list of token ids under a key
  chat,        // a line is a JSON object with a conversation (chat/conversation.h)
  preference,  // a line is a JSON object with two answers to a prompt (chat/conversation.h)
  ids,         // a line is a document: token ids in decimal, with spaces or commas between them
  uint16,      // token ids without a header (nanoGPT), or with that of llm.c
  uint32,
  npy,  // a one-dimensional array of integers, as numpy.save() writes it
};
// Returns the name of a format, as the command line has it.
[[nodiscard]] std::string_view to_string(InputFormat format) noexcept;
// Returns the format of an input: `asked`, or the one that belongs to the name of the file.
[[nodiscard]] InputFormat format_of(const std::filesystem::path& input, InputFormat asked);
// True if a line of the input holds conversations, which a chat template turns into text.
[[nodiscard]] constexpr bool holds_conversations(InputFormat format) noexcept {
  return format == InputFormat::chat || format == InputFormat::preference;
}
// True if the inputs of this format hold token ids only.
[[nodiscard]] constexpr bool holds_ids(InputFormat format) noexcept {
  return format >= InputFormat::ids;
}
// True if the ids are binary numbers.
[[nodiscard]] constexpr bool is_binary(InputFormat format) noexcept {
  return format >= InputFormat::uint16;
}

// Little-endian integers that lie back to back from byte `begin` of a file to its end.
struct ItemLayout {
  std::uint64_t begin = 0;
  std::size_t nbytes = 1;  // of an item: 1, 2, 4 or 8
  bool is_signed = false;
};
// Returns the layout of a file with binary ids. `head` holds its first kItemHeadNbytes bytes, or
// all of it; `nbytes` is its size, `name` its name for messages. Throws Error (bad_input) if the
// header is not one of this format, or does not agree with the size.
inline constexpr std::size_t kItemHeadNbytes = 4096;
[[nodiscard]] ItemLayout item_layout(InputFormat format, std::string_view head,
                                     std::uint64_t nbytes, const std::string& name);

}  // namespace megascale

#endif  // MEGASCALE_DATA_INPUT_FORMAT_H_
