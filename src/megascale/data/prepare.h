#ifndef MEGASCALE_DATA_PREPARE_H_
#define MEGASCALE_DATA_PREPARE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/data/tokenizer.h"

// Converts text files and JSONL files into an indexed dataset (`megascale prepare`). Input is read
// in pieces. Memory holds one line of a JSONL file, or the part of a text file that the tokenizer
// cannot encode yet, and twelve bytes for each document.
namespace megascale {

enum class InputFormat : std::uint8_t {
  automatic,  // jsonl for names that end in .jsonl, .ndjson or .json, otherwise text
  text,       // a file is one document, or several documents between occurrences of `separator`
  jsonl,      // a line is a JSON object with the text of a document under `json_key`
};

struct PrepareOptions {
  std::vector<std::filesystem::path> inputs = {};
  std::filesystem::path output = {};  // prefix of the .bin and .idx files
  InputFormat format = InputFormat::automatic;
  std::string json_key = "text";
  // If it is not empty, text files are cut into documents at each occurrence of this text, for
  // instance "<|endoftext|>". Documents of white space only are dropped.
  std::string separator = {};
  bool append_eod = true;  // append the end-of-document id to each document
  // true: text files may contain any bytes. false: they must be UTF-8 without the tokenizer's
  // reserved bytes.
  bool raw_bytes = false;
};

struct PrepareResult {
  std::int64_t documents = 0;
  std::int64_t tokens = 0;
  std::int64_t input_nbytes = 0;
};

// Writes output.bin and output.idx, or neither of them. Throws one Error that holds the first ten
// problems of the inputs, one per line, each with file and line or byte. Problems are: a file that
// cannot be read; text that is not UTF-8 or contains a reserved byte; JSON that is broken, lacks
// the key or has no string there; an empty document. If the output cannot be written, Error (io) is
// thrown at once.
PrepareResult prepare(const PrepareOptions& options, const Tokenizer& tokenizer);

// ---- parts of prepare(), declared here for tests and fuzzing -----------------------------------

// Writes the next bytes of an input to the front of the span. Returns their number; 0 means the
// end. May throw Error (io).
using ByteSource = std::function<std::size_t(std::span<char>)>;
// Returns a source that reads the file `input` and adds the bytes it has read to `total_nbytes`.
// Throws Error (io) if it cannot be opened.
[[nodiscard]] ByteSource open_source(const std::filesystem::path& input,
                                     std::int64_t& total_nbytes);
// True for names that end in .jsonl, .ndjson or .json.
[[nodiscard]] bool is_jsonl(const std::filesystem::path& input);
// Takes the pieces of a document in order. `ends` is true for the last piece, which may be empty.
using TextSink = std::function<void(std::string_view text, bool ends)>;
// Takes a problem. Returns true if reading shall continue.
using ProblemSink = std::function<bool(const Error&)>;

// Passes every document of a JSONL source to `sink`, in one piece each, and an error for every bad
// line to `problem`. Lines of white space are skipped. `name` is the file name for messages, `key`
// the key of the text in the JSON objects.
void read_jsonl(const ByteSource& source, std::string_view name, std::string_view key,
                const Tokenizer& tokenizer, const TextSink& sink, const ProblemSink& problem);
// Passes the documents of a text source to `sink`, in pieces that the tokenizer can encode by
// themselves (Tokenizer::separable_prefix()). Throws Error (bad_input) if the source contains no
// document. Without `raw_bytes` it also throws Error (bad_input) at the first byte that is not
// UTF-8 or that is reserved by the tokenizer.
void read_text_documents(const ByteSource& source, std::string_view name,
                         std::string_view separator, bool raw_bytes, const Tokenizer& tokenizer,
                         const TextSink& sink);

}  // namespace megascale

#endif  // MEGASCALE_DATA_PREPARE_H_
