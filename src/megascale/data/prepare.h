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

// Text to an indexed dataset. Reads in pieces: memory holds one JSONL line, or of a text file what
// the tokenizer cannot take apart (for bytes: a buffer), and twelve bytes per document.
namespace megascale {

enum class InputFormat : std::uint8_t {
  automatic,  // jsonl for names that end in .jsonl, .ndjson or .json, else text
  text,       // a file is one document, or several around `separator`
  jsonl,      // a line is an object with the text of a document under `json_key`
};

struct PrepareOptions {
  std::vector<std::filesystem::path> inputs = {};
  std::filesystem::path output = {};  // prefix
  InputFormat format = InputFormat::automatic;
  std::string json_key = "text";
  // Where it is not empty, text files are cut at each occurrence ("<|endoftext|>"); pieces of white
  // space only are dropped.
  std::string separator = {};
  bool append_eod = true;  // the end-of-document id after each document
  bool raw_bytes = false;  // text files need not be UTF-8, and may hold bytes that the tokenizer
                           // keeps for itself
};

struct PrepareResult {
  std::int64_t documents = 0;
  std::int64_t tokens = 0;
  std::int64_t input_nbytes = 0;
};

// Writes output.bin and output.idx, or nothing. Throws one Error with the first ten problems, one
// per line, each with file and line or byte: input that cannot be read, text that is not UTF-8 or
// holds a reserved byte, JSON that is broken, lacks the key or has no string there, empty
// documents; and at once when the output cannot be written (io).
PrepareResult prepare(const PrepareOptions& options, const Tokenizer& tokenizer);

// ---- the parts, apart for tests and fuzzing
// ----------------------------------------------------------------------------

// Fills the span from the front; 0 = the end. May throw Error (io).
using ByteSource = std::function<std::size_t(std::span<char>)>;
// Takes the pieces of a document; `ends` with the last, which may be empty.
using TextSink = std::function<void(std::string_view text, bool ends)>;
// Returns whether reading goes on.
using ProblemSink = std::function<bool(const Error&)>;

// Feeds every document of a JSONL source to `sink`, as one piece each; every bad line goes to
// `problem`. Lines of white space are skipped.
void read_jsonl(const ByteSource& source, std::string_view name, std::string_view key,
                const Tokenizer& tokenizer, const TextSink& sink, const ProblemSink& problem);
// Feeds a text source to `sink`, in pieces as the tokenizer's separable_prefix() says. Throws Error
// (bad_input) at the first byte that is not UTF-8 or that the tokenizer keeps for itself (neither
// with raw_bytes), and when there is no document at all.
void read_text_documents(const ByteSource& source, std::string_view name,
                         std::string_view separator, bool raw_bytes, const Tokenizer& tokenizer,
                         const TextSink& sink);

}  // namespace megascale

#endif  // MEGASCALE_DATA_PREPARE_H_
