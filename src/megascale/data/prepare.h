#ifndef MEGASCALE_DATA_PREPARE_H_
#define MEGASCALE_DATA_PREPARE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "megascale/data/chat/chat_template.h"
#include "megascale/data/input_format.h"
#include "megascale/data/tokenizer.h"

// Converts texts and token ids into an indexed dataset (`megascale prepare`). All threads encode
// parts of the input, of half a MiB each, and the output is the same for every number of threads.
// Memory does not grow with the input: it holds a few parts for each thread. A JSON line, and a
// document of a tokenizer without Tokenizer::separable_prefix(), is a part as a whole.
namespace megascale {

struct PrepareProgress {
  std::int64_t input_nbytes = 0;    // that are done
  std::int64_t all_nbytes = 0;      // of all inputs; 0: unknown
  std::int64_t resumed_nbytes = 0;  // of input_nbytes, done by an earlier process
  std::int64_t tokens = 0;
};

struct PrepareOptions {
  std::vector<std::filesystem::path> inputs = {};
  std::filesystem::path output = {};  // prefix of the files to write
  InputFormat format = InputFormat::automatic;
  // Of the formats with conversations, which need it: the template that these are written in.
  std::optional<chat::ChatTemplate> chat_template = {};
  std::string json_key = "text";  // of the document in the lines of a JSONL file
  // If it is not empty, text files are cut into documents at each occurrence of this text, for
  // instance "<|endoftext|>". Documents of white space only are dropped.
  std::string separator = {};
  // Append the end-of-document id to each text, and to each document of ids that does not end with
  // it. Binary ids stay as they are.
  bool append_eod = true;
  // true: text files may contain any bytes. false: they must be UTF-8 without the tokenizer's
  // reserved bytes.
  bool raw_bytes = false;
  std::string tokenizer_name = "byte";  // for PREFIX.info.json; empty: not known
  std::size_t threads = 0;              // 0: one for each core of this process
  bool begin_anew = false;              // forget an unfinished preparation of the same output
  // Bytes of input after which the state is recorded again.
  std::int64_t record_nbytes = std::int64_t{64} << 20;
  // Called a few times a second, by one thread at a time. May be empty.
  std::function<void(const PrepareProgress&)> on_progress = {};
  std::function<void(const std::string&)> on_message = {};  // may be empty
};

struct PrepareResult {
  std::int64_t documents = 0;
  std::int64_t tokens = 0;
  std::int64_t learned_tokens = 0;  // of conversations: the tokens that the loss counts
  std::int64_t input_nbytes = 0;
  std::int64_t text_nbytes = 0;     // of the documents; -1: some of them were ids
  std::int64_t resumed_nbytes = 0;  // of input_nbytes, done by an earlier process
};

// Writes output.bin, output.idx and output.info.json, of conversations also output.loss_mask, or
// none of them. Throws one Error that holds the first ten problems of the inputs, one per line, each
// with file and line or byte. Problems are: a file that cannot be read; text that is not UTF-8 or
// contains a reserved byte; JSON that is broken, lacks the key or has neither text nor ids there; an
// empty document; an id outside of the vocabulary; a conversation that parse_conversation(), parse_preference() or ConversationEncoder refuses.
//
// If all inputs are regular files, the state is recorded from time to time. If the process is
// killed, or the disk is full, a later call goes on from the record. It throws Error (bad_usage) if
// its inputs or options differ.
//
// Throws Error (bad_usage) if the format has conversations and there is no template, or the other way round;
// Error (bad_input) if the tokenizer lacks a special token of the template; Error (bad_usage) if an
// output would replace an input, and Error (io) if the output cannot be written.
PrepareResult prepare(const PrepareOptions& options, const Tokenizer& tokenizer);

}  // namespace megascale

#endif  // MEGASCALE_DATA_PREPARE_H_
